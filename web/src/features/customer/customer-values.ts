import { z } from 'zod';
import type { Messages } from '@/i18n/th';
import { accountRules } from '@/lib/account-rules';
import { isPhone, phoneDigits } from '@/lib/phone';
import { type Customer, type CustomerInput, RELATIONS } from './api';

/** A patient the customer books for. The relation is '' until it is chosen. */
const linkedPatient = z.object({
  patientId: z.number().int().positive(),
  hn: z.string(),
  name: z.string(),
  relation: z.enum([...RELATIONS, '']),
});
export type LinkedPatient = z.infer<typeof linkedPatient>;

/** The values of the customer form. */
export interface CustomerValues extends Record<string, unknown> {
  name: string;
  phone: string;
  email: string;
  lineUserId: string;
  /** The time of the consent, or '' for none. */
  consentAt: string;
  note: string;
  patients: LinkedPatient[];
}

export const EMPTY_CUSTOMER: CustomerValues = {
  name: '',
  phone: '',
  email: '',
  lineUserId: '',
  consentAt: '',
  note: '',
  patients: [],
};

export function valuesOf({
  name,
  phone,
  email,
  lineUserId,
  consentAt,
  note,
  patients,
}: Customer): CustomerValues {
  return {
    name,
    phone,
    email,
    lineUserId,
    consentAt: consentAt ?? '',
    note,
    patients: patients.map(({ patientId, relation, hn = '', name: patient = '' }) => ({
      patientId,
      relation,
      hn,
      name: patient,
    })),
  };
}

const MAX_PATIENTS = 50;
const MAX_NOTE = 2000;
const MAX_LINE = 100;

export function customerSchema(t: Messages) {
  const { name, email } = accountRules(t);
  const text = (max: number) =>
    z.string().refine((value) => [...value].length <= max, t.account.rule.tooLong(max));
  return z.object({
    name,
    phone: z.string().refine((value) => isPhone(phoneDigits(value)), t.account.rule.phone),
    email: z.union([z.literal(''), email], { error: t.account.rule.email }),
    lineUserId: text(MAX_LINE),
    consentAt: z.string(),
    note: text(MAX_NOTE),
    patients: z
      .array(linkedPatient)
      .max(MAX_PATIENTS, t.customer.tooManyPatients(MAX_PATIENTS))
      .refine((links) => links.every(({ relation }) => relation !== ''), t.customer.relationRequired),
  });
}

export function inputOf(values: CustomerValues): CustomerInput {
  const { name, phone, email, lineUserId, consentAt, note, patients } = values;
  return {
    name: name.trim(),
    phone: phoneDigits(phone),
    email: email.trim(),
    lineUserId: lineUserId.trim(),
    consentAt: consentAt || null,
    note: note.trim(),
    patients: patients.flatMap(({ patientId, relation }) => (relation ? [{ patientId, relation }] : [])),
  };
}

/** The linked patient's name and HN, or the record id if the user may not see patients. */
export function linkName(
  t: Messages,
  { patientId, name, hn }: { patientId: number; name?: string; hn?: string },
): string {
  return name ? `${name} HN ${hn}` : t.customer.unnamedPatient(patientId);
}

/** Each field as text for comparison; all but the time of consent are also shown. */
export function textsOf(t: Messages, values: CustomerValues): Record<string, string> {
  const { consentAt, patients, phone, name, email, lineUserId, note } = values;
  const links = patients.map(
    (one) => `${linkName(t, one)} (${one.relation ? t.customer.relations[one.relation] : '–'})`,
  );
  return {
    name: name.trim(),
    phone: phoneDigits(phone),
    email: email.trim(),
    lineUserId: lineUserId.trim(),
    consentAt: consentAt && new Date(consentAt).toISOString(),
    note: note.trim(),
    patients: links.sort().join(', '),
  };
}
