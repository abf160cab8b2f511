import { z } from 'zod';
import type { Messages } from '@/i18n/th';
import { nameKey } from '@/lib/account-rules';
import { ageOn } from '@/lib/age';
import { isIdCard, isMaskedIdCard } from '@/lib/id-card';
import { isPhone, phoneDigits } from '@/lib/phone';
import { isIsoDate } from '@/lib/thai-date';
import { arabicDigits, cleanText, digitsOf } from '@/lib/thai-text';
import { MAX_AGE } from './api';
import type { PatientValues, Severity } from './patient-values';

const MAX_ITEMS = 50;

/** Checks patients by the server's rules before they are sent. The server checks again. */
export function patientSchema(t: Messages): z.ZodType<unknown, PatientValues> {
  const { rule } = t.account;
  const text = (max: number) =>
    z
      .string()
      .refine((value) => [...cleanText(value)].length <= max, rule.tooLong(max))
      .refine((value) => !hasControl(value), t.patient.rule.control);
  const required = (max: number) => text(max).refine((value) => nameKey(value) !== '', rule.required);
  const phone = z.string().refine((value) => value.trim() === '' || isPhone(phoneDigits(value)), rule.phone);
  return z.object({
    prename: required(40),
    firstName: required(100),
    lastName: required(100),
    firstNameEn: text(100),
    lastNameEn: text(100),
    nationality: text(100),
    religion: text(100),
    maritalStatus: text(100),
    occupation: text(100),
    lineUserId: text(100),
    rightCardNo: text(100),
    rightHospital: text(100),
    contactName: text(100),
    contactRelation: text(100),
    note: text(2000),
    sex: z.custom<PatientValues['sex']>((value) => value !== '', t.patient.rule.sex),
    phone,
    phone2: phone,
    contactPhone: phone,
    email: z
      .string()
      .trim()
      .regex(/^([^\s@<>()",;:]+@[^\s@<>()",;:]+\.[^\s@<>()",;:]+)?$/, rule.email)
      .max(254, rule.email),
    hn: z.string().refine(isHn, t.patient.rule.hn),
    passportNo: z
      .string()
      .refine(
        (value) => /^([A-Z0-9]{5,20})?$/.test(value.replace(/\s/g, '').toUpperCase()),
        t.patient.rule.passport,
      ),
    address: z.object({
      line: text(300),
      moo: text(100),
      subdistrict: text(100),
      district: text(100),
      province: text(100),
      postalCode: z
        .string()
        .refine((value) => /^(\d{5})?$/.test(arabicDigits(value).trim()), t.patient.rule.postalCode),
    }),
    allergies: z
      .array(
        z.object({
          key: z.string(),
          substance: required(100),
          severity: z.custom<Severity>(),
          reaction: text(200),
        }),
      )
      .max(MAX_ITEMS, t.patient.rule.tooMany),
    conditions: z.array(required(200)).max(MAX_ITEMS, t.patient.rule.tooMany),
    // Checked by patientRules.
    idType: z.custom<PatientValues['idType']>(),
    idCard: z.string(),
    birthDate: z.string(),
    noKnownAllergy: z.boolean(),
    // Chosen from lists, or valid by construction.
    birthPrecision: z.custom<PatientValues['birthPrecision']>(),
    bloodGroup: z.string(),
    rhFactor: z.string(),
    rightCode: z.string(),
    rightExpires: z.string(),
    consentAt: z.string(),
  });
}

/** Rules that involve several fields, and the rule of the ID card, which may be masked. */
export function patientRules(t: Messages, today: string) {
  return (values: PatientValues) => ({
    idCard: idCardFault(t, values),
    passportNo:
      values.idType === 'PASSPORT' && values.passportNo.trim() === '' ? t.patient.rule.passportMissing : null,
    birthDate: birthFault(t, values.birthDate, today),
    noKnownAllergy: values.noKnownAllergy && values.allergies.length > 0 ? t.patient.rule.allergyClash : null,
  });
}

function idCardFault(t: Messages, { idType, idCard }: PatientValues): string | null {
  if (isMaskedIdCard(idCard)) return null;
  if (idCard.trim() === '') return idType === 'CID' ? t.patient.rule.idCardMissing : null;
  return isIdCard(digitsOf(idCard)) ? null : t.patient.rule.idCard;
}

function birthFault(t: Messages, birthDate: string, today: string): string | null {
  if (birthDate === '') return t.patient.rule.birthMissing;
  if (!isIsoDate(birthDate)) return t.date.unreadable;
  if (birthDate > today) return t.patient.rule.birthFuture;
  return (ageOn(birthDate, today)?.years ?? 0) > MAX_AGE ? t.patient.rule.birthTooOld : null;
}

function isHn(typed: string): boolean {
  const hn = arabicDigits(typed).trim();
  return hn === '' || ([...hn].length <= 20 && /[A-Za-z0-9]/.test(hn));
}

function hasControl(text: string): boolean {
  return [...text].some(
    (char) => (char < ' ' && !'\n\t\r'.includes(char)) || char === '\u007f' || char === '\ufffd',
  );
}
