import { z } from 'zod';
import type { Service } from '@/entities/service/api';
import type { Messages } from '@/i18n/th';
import { isHexColour } from '@/lib/colour';
import { type Typed, wholeNumber } from '@/lib/number-rule';
import type { ServiceInput } from './api';

/** The values of the service form. */
export interface ServiceValues extends Record<string, unknown> {
  code: string;
  name: string;
  nameEn: string;
  department: string;
  location: string;
  color: string;
  description: string;
  instructions: string;
  slotMinutes: Typed;
  defaultCapacity: Typed;
  overbookLimit: Typed;
  /** Null for the hospital's rule. */
  bookingWindowDays: Typed | null;
  leadMinutes: Typed | null;
  cancelCutoffMinutes: Typed | null;
  requiresApproval: boolean;
  staffIds: string[];
  active: boolean;
}

/** The rules that default to the hospital's. */
const HOSPITAL_RULES = ['bookingWindowDays', 'leadMinutes', 'cancelCutoffMinutes'] as const;
export type HospitalRule = (typeof HOSPITAL_RULES)[number];

/** Each is readable on white, and white on it. None is red, which stands for errors. */
export const COLOURS = [
  '#0f766e',
  '#15803d',
  '#4d7c0f',
  '#a16207',
  '#b45309',
  '#9a3412',
  '#be185d',
  '#a21caf',
  '#7e22ce',
  '#4338ca',
  '#1d4ed8',
  '#0369a1',
  '#475569',
];

/** The server's defaults. */
export const NEW_SERVICE: ServiceValues = {
  code: '',
  name: '',
  nameEn: '',
  department: '',
  location: '',
  color: '#0f766e',
  description: '',
  instructions: '',
  slotMinutes: 30,
  defaultCapacity: 10,
  overbookLimit: 0,
  bookingWindowDays: null,
  leadMinutes: null,
  cancelCutoffMinutes: null,
  requiresApproval: false,
  staffIds: [],
  active: true,
};

export function valuesOf(service: Service): ServiceValues {
  const fields = Object.keys(NEW_SERVICE).map((field) => [field, service[field as keyof Service]]);
  return { ...(Object.fromEntries(fields) as ServiceValues), staffIds: service.staffIds.map(String) };
}

/** A copy of a service; its code must be unique. */
export function copyOf(service: Service): ServiceValues {
  return { ...valuesOf(service), code: '' };
}

const MINUTES = 60 * 24 * 60;

export const BOUNDS = {
  slotMinutes: [5, 720],
  defaultCapacity: [1, 1000],
  overbookLimit: [0, 1000],
  bookingWindowDays: [1, 730],
  leadMinutes: [0, MINUTES],
  cancelCutoffMinutes: [0, MINUTES],
} as const;

/** The server's rules, checked before sending. */
export function serviceSchema(t: Messages) {
  const text = (max: number) =>
    z.string().refine((value) => [...value.trim()].length <= max, t.account.rule.tooLong(max));
  const number = (field: keyof typeof BOUNDS) => {
    const [low, high] = BOUNDS[field];
    return wholeNumber(low, high, t.service.rule.between(low, high));
  };
  return z.object({
    code: z
      .string()
      .refine((value) => /^[A-Z0-9][A-Z0-9_-]{0,19}$/.test(value.trim().toUpperCase()), t.service.rule.code),
    name: text(120).refine((value) => value.trim() !== '', t.account.rule.required),
    nameEn: text(120),
    department: text(120),
    location: text(200),
    color: z.string().refine(isHexColour),
    description: text(2000),
    instructions: text(2000),
    slotMinutes: number('slotMinutes'),
    defaultCapacity: number('defaultCapacity'),
    overbookLimit: number('overbookLimit'),
    bookingWindowDays: number('bookingWindowDays').nullable(),
    leadMinutes: number('leadMinutes').nullable(),
    cancelCutoffMinutes: number('cancelCutoffMinutes').nullable(),
    requiresApproval: z.boolean(),
    staffIds: z.array(z.string()),
    active: z.boolean(),
  });
}

export function inputOf(values: ServiceValues): ServiceInput {
  const whole = (value: Typed | null) => (value === null ? null : Number(value));
  return {
    code: values.code.trim().toUpperCase(),
    name: values.name.trim(),
    nameEn: values.nameEn.trim(),
    department: values.department.trim(),
    location: values.location.trim(),
    color: values.color,
    description: values.description.trim(),
    instructions: values.instructions.trim(),
    slotMinutes: Number(values.slotMinutes),
    defaultCapacity: Number(values.defaultCapacity),
    overbookLimit: Number(values.overbookLimit),
    bookingWindowDays: whole(values.bookingWindowDays),
    leadMinutes: whole(values.leadMinutes),
    cancelCutoffMinutes: whole(values.cancelCutoffMinutes),
    requiresApproval: values.requiresApproval,
    staffIds: values.staffIds.map(Number),
    active: values.active,
  };
}

/** Each field as text, to show and to compare. */
export function textsOf(
  t: Messages,
  values: ServiceValues,
  staffName: (id: string) => string,
): Record<string, string> {
  const { staffIds, requiresApproval, active, ...plain } = inputOf(values);
  const texts = Object.entries(plain).map(([field, value]) => [
    field,
    value === null ? t.service.asHospital : String(value),
  ]);
  return {
    ...Object.fromEntries(texts),
    requiresApproval: requiresApproval ? t.service.yes : t.service.no,
    staffIds: (staffIds ?? [])
      .map((id) => staffName(String(id)))
      .sort()
      .join(', '),
    active: active ? t.service.active : t.service.inactive,
  };
}
