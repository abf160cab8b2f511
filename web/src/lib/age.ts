import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc';
import type { Language } from '@/i18n/language';
import { hospitalToday, isIsoDate } from './thai-date';

dayjs.extend(utc);

/** How exactly a birth date is known. */
export type BirthPrecision = 'DAY' | 'MONTH' | 'YEAR';

export interface Age {
  years: number;
  months: number;
  days: number;
}

/**
 * From the birth date to the day, both ISO: full years, then full months, then days, as a calendar does. A month that is
 * too short for the birth day ends on its last day. Null where one is no date or the birth lies after the day.
 */
export function ageOn(birth: string, day: string): Age | null {
  if (!isIsoDate(birth) || !isIsoDate(day) || day < birth) return null;
  const [born, now] = [dayjs.utc(birth), dayjs.utc(day)];
  const calendarMonths = (now.year() - born.year()) * 12 + now.month() - born.month();
  const full = now.date() < born.date() ? calendarMonths - 1 : calendarMonths;
  // dayjs, too, ends a month that is too short on its last day.
  const complete = born.add(full, 'month');
  return { years: Math.floor(full / 12), months: full % 12, days: now.diff(complete, 'day') };
}

const WORDS = {
  th: { about: 'ประมาณ ', years: ' ปี', months: ' เดือน', days: ' วัน' },
  en: { about: 'about ', years: ' years', months: ' months', days: ' days' },
};

/** '35 ปี 2 เดือน 3 วัน', 'ประมาณ 69 ปี': small parts only where they matter, "about" where the date is not exact. */
export function ageText({ years, months, days }: Age, precision: BirthPrecision, language: Language): string {
  const words = WORDS[language];
  const [y, m, d] = [`${years}${words.years}`, `${months}${words.months}`, `${days}${words.days}`];
  if (precision === 'YEAR') return words.about + y;
  if (precision === 'MONTH') return `${words.about}${y} ${m}`;
  if (years > 0) return `${y} ${m} ${d}`;
  return months > 0 ? `${m} ${d}` : d;
}

/** The age of somebody born then, today or on another day; empty where that is not known. */
export function formatAge(
  birth: string,
  precision: BirthPrecision,
  language: Language,
  day: string = hospitalToday(),
): string {
  const age = ageOn(birth, day);
  return age ? ageText(age, precision, language) : '';
}

/** Until this age (years) months matter: to a child's dose, a vaccination, a growth chart. */
const CHILD = 7;

/** The largest part alone, for lists: '35 ปี', '2 เดือน', 'ประมาณ 69 ปี'; with the months of a small child: '2 ปี 3 เดือน'. */
export function formatShortAge(
  birth: string,
  precision: BirthPrecision,
  language: Language,
  day: string = hospitalToday(),
): string {
  const age = ageOn(birth, day);
  if (!age) return '';
  const words = WORDS[language];
  const about = precision === 'DAY' ? '' : words.about;
  if (age.years > 0 && age.years < CHILD && age.months > 0 && precision !== 'YEAR')
    return `${about}${age.years}${words.years} ${age.months}${words.months}`;
  if (age.years > 0 || precision === 'YEAR') return `${about}${age.years}${words.years}`;
  if (age.months > 0 || precision === 'MONTH') return `${about}${age.months}${words.months}`;
  return `${age.days}${words.days}`;
}
