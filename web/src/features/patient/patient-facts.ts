import { allergiesText, birthText, rightText } from '@/entities/patient/patient-text';
import type { AddressValues, PatientValues } from '@/entities/patient/patient-values';
import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { formatDate, inHospital } from '@/lib/thai-date';
import type { Fields } from '@/lib/three-way';

export const SECTIONS = ['identity', 'contact', 'right', 'health', 'person', 'consent'] as const;
export type SectionName = (typeof SECTIONS)[number];
export type FactKey = Exclude<
  keyof Messages['patient']['field'],
  'birthMonth' | 'birthYear' | 'birthPrecision' | 'age' | 'address' | 'name'
>;

/** The facts of a record, in the order of the form. Each is shown, compared and chosen as a whole. */
export const FACTS: Record<SectionName, FactKey[]> = {
  identity: [
    'idType',
    'idCard',
    'passportNo',
    'hn',
    'prename',
    'firstName',
    'lastName',
    'sex',
    'birthDate',
    'firstNameEn',
    'lastNameEn',
    'nationality',
    'religion',
    'maritalStatus',
    'occupation',
  ],
  contact: [
    'phone',
    'phone2',
    'email',
    'lineUserId',
    'address.line',
    'address.moo',
    'address.subdistrict',
    'address.district',
    'address.province',
    'address.postalCode',
  ],
  right: ['rightCode', 'rightCardNo', 'rightHospital', 'rightExpires'],
  health: ['allergies', 'conditions', 'bloodGroup', 'rhFactor', 'note'],
  person: ['contactName', 'contactRelation', 'contactPhone'],
  consent: ['consentAt'],
};
export const ALL_FACTS = SECTIONS.flatMap((section) => FACTS[section]);

/** The section of the input that an error belongs to: 'address.postalCode' → 'contact'. */
export function sectionOf(path: string): SectionName | undefined {
  const [top = ''] = path.split('.');
  if (top === 'noKnownAllergy') return 'health';
  if (top === 'birthPrecision') return 'identity';
  return SECTIONS.find((section) => FACTS[section].some((fact) => fact.split('.')[0] === top));
}

/** The values of a fact; some facts are two fields that belong together. */
function partOf(values: PatientValues, fact: FactKey): Partial<PatientValues> {
  switch (fact) {
    case 'allergies':
      return { allergies: values.allergies, noKnownAllergy: values.noKnownAllergy };
    case 'birthDate':
      return { birthDate: values.birthDate, birthPrecision: values.birthPrecision };
    default:
      return { [fact]: valueAt(values, fact) };
  }
}

function valueAt(values: PatientValues, fact: FactKey): unknown {
  if (!fact.startsWith('address.')) return values[fact];
  return values.address[nameIn(fact)];
}

/** 'address.moo' → 'moo'. */
function nameIn(fact: FactKey): keyof AddressValues {
  return fact.slice('address.'.length) as keyof AddressValues;
}

function sameFact(a: PatientValues, b: PatientValues, fact: FactKey): boolean {
  const plain = (values: PatientValues) =>
    JSON.stringify(partOf(values, fact), (name, value) => (name === 'key' ? undefined : value));
  return plain(a) === plain(b);
}

/** `values` with some facts replaced by those of `from`. */
export function withFacts(values: PatientValues, from: PatientValues, facts: FactKey[]): PatientValues {
  const taken: PatientValues = { ...values, address: { ...values.address } };
  for (const fact of facts) {
    if (fact.startsWith('address.')) Object.assign(taken.address, { [nameIn(fact)]: valueAt(from, fact) });
    else Object.assign(taken, partOf(from, fact));
  }
  return taken;
}

/** The facts as the fields of a record that two users may change at once. */
export const patientFields: Fields<PatientValues> = {
  changed: (before, after) => ALL_FACTS.filter((fact) => !sameFact(before, after, fact)),
  take: (values, from, facts) =>
    withFacts(
      values,
      from,
      ALL_FACTS.filter((fact) => facts.includes(fact)),
    ),
};

/** A fact in words; empty if it is not recorded. */
export function factText(t: Messages, language: Language, values: PatientValues, fact: FactKey): string {
  switch (fact) {
    case 'idType':
      return t.patient.idTypes[values.idType];
    case 'sex':
      return values.sex === '' ? '' : t.patient.sexes[values.sex];
    case 'birthDate':
      return birthText(values.birthDate, values.birthPrecision, language);
    case 'rightCode':
      return rightText(t, values.rightCode);
    case 'rightExpires':
      return values.rightExpires === '' ? '' : formatDate(values.rightExpires, language);
    case 'allergies':
      return values.noKnownAllergy ? t.patient.noKnownAllergy : allergiesText(t, values.allergies);
    case 'conditions':
      return values.conditions.join(', ');
    case 'consentAt':
      return values.consentAt === '' ? '' : formatDate(inHospital(values.consentAt).date, language);
    default:
      return String(valueAt(values, fact));
  }
}
