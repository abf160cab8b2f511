import type { NewPatient, Patient } from '@/entities/patient/api';
import { isMaskedIdCard } from '@/lib/id-card';
import { formatPhone, phoneDigits } from '@/lib/phone';
import { digitsOf } from '@/lib/thai-text';
import type { PatientChange } from './api';

export type IdType = Patient['idType'];
export type Sex = Patient['sex'];
export type BirthPrecision = Patient['birthPrecision'];
export type Severity = 'MILD' | 'MODERATE' | 'SEVERE' | 'LIFE_THREATENING' | '';

export interface AllergyValues {
  /** The React key; not sent. */
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

/** The values of the patient form: texts as in the inputs, '' for none. */
export interface PatientValues extends Record<string, unknown> {
  hn: string;
  idType: IdType;
  /** The stored number as masked by the server, or a new one grouped as 1-1111-11111-11-9. */
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
  /** With dashes if it is a valid number. */
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
  /** A timestamp. */
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

/** The key is a counter: crypto.randomUUID does not exist on plain HTTP. */
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
    idCard: isMaskedIdCard(values.idCard) ? values.idCard : digitsOf(values.idCard),
    phone: phoneDigits(values.phone),
    phone2: phoneDigits(values.phone2),
    contactPhone: phoneDigits(values.contactPhone),
    allergies: allergies.map(({ key: _key, ...allergy }) => allergy),
    consentAt: consentAt === '' ? null : consentAt,
  };
  return sex === '' ? fields : { ...fields, sex };
}

/**
 * Returns the request that changes `base` to `values`: only the changed fields, also of the address, or null if there
 * are none.
 */
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
