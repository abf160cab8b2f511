import type { NewPatient, Patient } from '@/entities/patient/api';
import { isMaskedCitizenId } from '@/lib/citizen-id';
import { formatPhone, phoneDigits } from '@/lib/phone';
import { digitsOf } from '@/lib/thai-text';
import type { PatientChange } from './api';

export type IdType = Patient['idType'];
export type Sex = Patient['sex'];
export type BirthPrecision = Patient['birthPrecision'];
export type Severity = 'MILD' | 'MODERATE' | 'SEVERE' | 'LIFE_THREATENING' | '';

export interface AllergyValues {
  /** For React alone; the server never sees it. */
  key: string;
  substance: string;
  severity: Severity;
  reaction: string;
}

export interface AddressValues {
  line: string;
  moo: string;
  subdistrict: string;
  district: string;
  province: string;
  postalCode: string;
}

/** What the form holds of a patient: texts as inputs show them, '' for nothing. */
export interface PatientValues extends Record<string, unknown> {
  hn: string;
  idType: IdType;
  /** The stored number as the server masks it, or a new one, grouped 1-1111-11111-11-9. */
  idCard: string;
  passportNo: string;
  prename: string;
  firstName: string;
  lastName: string;
  firstNameEn: string;
  lastNameEn: string;
  birthDate: string;
  birthPrecision: BirthPrecision;
  sex: Sex | '';
  bloodGroup: string;
  rhFactor: string;
  nationality: string;
  religion: string;
  maritalStatus: string;
  occupation: string;
  /** With dashes where it is a number. */
  phone: string;
  phone2: string;
  email: string;
  lineUserId: string;
  address: AddressValues;
  rightCode: string;
  rightCardNo: string;
  rightHospital: string;
  rightExpires: string;
  allergies: AllergyValues[];
  noKnownAllergy: boolean;
  conditions: string[];
  contactName: string;
  contactRelation: string;
  contactPhone: string;
  /** An instant. */
  consentAt: string;
  note: string;
}

const EMPTY_ADDRESS: AddressValues = {
  line: '',
  moo: '',
  subdistrict: '',
  district: '',
  province: '',
  postalCode: '',
};

export const EMPTY_PATIENT: PatientValues = {
  hn: '',
  idType: 'CID',
  idCard: '',
  passportNo: '',
  prename: '',
  firstName: '',
  lastName: '',
  firstNameEn: '',
  lastNameEn: '',
  birthDate: '',
  birthPrecision: 'DAY',
  sex: '',
  bloodGroup: '',
  rhFactor: '',
  nationality: 'ไทย',
  religion: '',
  maritalStatus: '',
  occupation: '',
  phone: '',
  phone2: '',
  email: '',
  lineUserId: '',
  address: EMPTY_ADDRESS,
  rightCode: '',
  rightCardNo: '',
  rightHospital: '',
  rightExpires: '',
  allergies: [],
  noKnownAllergy: false,
  conditions: [],
  contactName: '',
  contactRelation: '',
  contactPhone: '',
  consentAt: '',
  note: '',
};

let rows = 0;

/** Its key is counted: crypto.randomUUID is not there where the page is served over plain http. */
export function newAllergy(): AllergyValues {
  rows += 1;
  return { key: `new ${rows}`, substance: '', severity: '', reaction: '' };
}

export function valuesOf(patient: Patient): PatientValues {
  const picked = Object.keys(EMPTY_PATIENT).map((field) => [field, patient[field as keyof Patient]]);
  const fields = Object.fromEntries(picked) as PatientValues;
  return {
    ...fields,
    phone: formatPhone(patient.phone),
    phone2: formatPhone(patient.phone2),
    contactPhone: formatPhone(patient.contactPhone),
    address: { ...EMPTY_ADDRESS, ...patient.address },
    allergies: patient.allergies.map(({ substance, severity, reaction }, index) => ({
      key: String(index),
      substance,
      severity: (severity ?? '') as Severity,
      reaction: reaction ?? '',
    })),
    consentAt: patient.consentAt ?? '',
  };
}

/** The request fields. The server trims and normalises texts. */
export function fieldsOf(values: PatientValues): NewPatient {
  const { allergies, consentAt, sex, ...rest } = values;
  const fields: NewPatient = {
    ...rest,
    idCard: isMaskedCitizenId(values.idCard) ? values.idCard : digitsOf(values.idCard),
    phone: phoneDigits(values.phone),
    phone2: phoneDigits(values.phone2),
    contactPhone: phoneDigits(values.contactPhone),
    allergies: allergies.map(({ key: _key, ...allergy }) => allergy),
    consentAt: consentAt === '' ? null : consentAt,
  };
  return sex === '' ? fields : { ...fields, sex };
}

/** What has to be sent for `base` to become `values`: only what differs, of the address too; null when nothing does. */
export function changeOf(base: Patient, values: PatientValues): PatientChange | null {
  const before = fieldsOf(valuesOf(base));
  const changed = differing(before, fieldsOf(values));
  if (Object.keys(changed).length === 0) return null;
  const { address, ...plain } = changed;
  const change: PatientChange = { id: base.id, version: base.version, ...plain };
  return address ? { ...change, address: differing(before.address ?? {}, address) } : change;
}

function differing<Fields extends object>(before: Fields, after: Fields): Partial<Fields> {
  const entries = Object.entries(after).filter(
    ([field, value]) => JSON.stringify(before[field as keyof Fields]) !== JSON.stringify(value),
  );
  return Object.fromEntries(entries) as Partial<Fields>;
}
