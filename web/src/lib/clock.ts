import { arabicDigits } from './thai-text';

/** Parses a typed time to 'HH:MM', or null: 9, 930, 9.30, 09:30, ๙.๓๐ น. The day ends at 24:00. */
export function parseClock(typed: string): string | null {
  const text = arabicDigits(typed).replace(/น\.?$/, '').trim();
  const found = /^(\d{1,2})(?:[:.]?(\d{2}))?$/.exec(text);
  if (!found) return null;
  const [hours, minutes] = [Number(found[1]), Number(found[2] ?? 0)];
  if (minutes > 59 || hours > 24 || (hours === 24 && minutes > 0)) return null;
  return clockOf(hours * 60 + minutes);
}

/** Minutes since midnight of 'HH:MM'. */
export function minutesOf(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));
}

export function clockOf(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
