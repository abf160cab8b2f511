import type { Messages } from '@/i18n/th';

/** The name of the patient's insurance right; its code if it has no name here. */
export function rightName(t: Messages, code: string): string {
  const names: Record<string, string> = t.patient.rights;
  return names[code] ?? code;
}
