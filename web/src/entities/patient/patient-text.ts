import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { formatDate } from '@/lib/thai-date';
import type { AddressValues, AllergyValues, BirthPrecision } from './patient-values';

/** '9 ก.พ. 2531', 'ก.พ. 2531' or '2531', by precision. */
export function birthText(iso: string, precision: BirthPrecision, language: Language): string {
  if (iso === '') return '';
  const parts = formatDate(iso, language).split(' ');
  return parts.slice({ DAY: 0, MONTH: 1, YEAR: 2 }[precision]).join(' ');
}

/** The code and name of a right; the code alone if it has no name here. */
export function rightText(t: Messages, code: string): string {
  const labels: Record<string, string> = t.patient.rights;
  const label = labels[code];
  return label ? t.patient.rightOf(code, label) : code;
}

/** The substances with severity and reaction: 'Penicillin (รุนแรง, ผื่นแดง); Aspirin'. */
export function allergiesText(t: Messages, allergies: Omit<AllergyValues, 'key'>[]): string {
  return allergies
    .map(({ substance, severity, reaction }) => {
      const more = [severity && t.patient.severities[severity], reaction].filter(Boolean).join(', ');
      return more ? `${substance} (${more})` : substance;
    })
    .join('; ');
}

/** '99/1 หมู่ 4 ต.สุเทพ อ.เมืองเชียงใหม่ จ.เชียงใหม่ 50200'. */
export function addressText({
  line,
  moo,
  subdistrict,
  district,
  province,
  postalCode,
}: Partial<AddressValues>) {
  const bangkok = province === 'กรุงเทพมหานคร';
  const named = (kind: string, name?: string) => (name ? `${kind}${name}` : '');
  return [
    line,
    named('หมู่ ', moo),
    named(bangkok ? 'แขวง' : 'ต.', subdistrict),
    named(bangkok ? 'เขต' : 'อ.', district),
    named(bangkok ? '' : 'จ.', province),
    postalCode,
  ]
    .filter(Boolean)
    .join(' ');
}
