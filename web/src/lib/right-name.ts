import type { Messages } from '@/i18n/th';

/** Who pays for the patient; a right that has no name here is called by its code. */
export function rightName(t: Messages, code: string): string {
  const names: Record<string, string> = t.patient.rights;
  return names[code] ?? code;
}
