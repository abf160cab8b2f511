import { z } from 'zod';
import type { Setting } from '@/entities/setting/api';
import type { Messages } from '@/i18n/th';
import { parseClock } from '@/lib/clock';
import { type Typed, wholeNumber } from '@/lib/number-rule';
import { arabicDigits } from '@/lib/thai-text';
import { formatFault } from './number-format';
import type { SettingPart } from './use-setting-form';

/** The server's limits. */
export const BOUNDS = {
  uploadMaxMb: [1, 200],
  sessionHours: [1, 168],
  bookingWindowDays: [1, 730],
  leadMinutes: [0, 43_200],
  cancelCutoffMinutes: [0, 43_200],
  maxActivePerPatient: [0, 100],
} as const;

const number = (t: Messages, field: keyof typeof BOUNDS) => {
  const [low, high] = BOUNDS[field];
  return wholeNumber(low, high, t.setting.rule.between(low, high));
};

const text = (t: Messages, max: number) =>
  z.string().refine((value) => [...value.trim()].length <= max, t.account.rule.tooLong(max));

const pick = <Key extends keyof Setting>(setting: Setting, keys: readonly Key[]) =>
  Object.fromEntries(keys.map((key) => [key, setting[key]])) as Pick<Setting, Key>;

const trimmed = (values: object): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([field, value]) => [field, String(value).trim()]));

/** Formats a time for the request; returns other text unchanged. */
const timeOf = (typed: string) => parseClock(typed) ?? typed.trim();

/** A time of every day: 24:00 belongs to the next one. */
const isTime = (typed: string) => ![null, '24:00'].includes(parseClock(typed));

/** 1440 → "1 วัน", 90 → "1 ชั่วโมง 30 นาที"; empty if the number itself is clear. */
export function durationText(t: Messages, minutes: Typed): string {
  const all = Number(minutes);
  if (!Number.isInteger(all) || all < 60) return '';
  const [days, hours, rest] = [Math.floor(all / 1440), Math.floor((all % 1440) / 60), all % 60];
  return [
    days > 0 && t.setting.days(days),
    hours > 0 && t.setting.hours(hours),
    rest > 0 && t.setting.minutes(rest),
  ]
    .filter(Boolean)
    .join(' ');
}

const HOSPITAL = [
  'name',
  'nameEn',
  'hospcode',
  'address',
  'phone',
  'sessionHours',
  'uploadMaxMb',
  'slipFooter',
] as const;

interface HospitalValues extends Record<string, unknown> {
  name: string;
  nameEn: string;
  hospcode: string;
  address: string;
  phone: string;
  sessionHours: Typed;
  uploadMaxMb: Typed;
  slipFooter: string;
}

export function hospitalPart(t: Messages): SettingPart<HospitalValues> {
  return {
    valuesOf: (setting) => ({ ...pick(setting, HOSPITAL) }),
    textsOf: trimmed,
    inputOf: (values) => ({
      ...trimmed(values),
      sessionHours: Number(values.sessionHours),
      uploadMaxMb: Number(values.uploadMaxMb),
    }),
    schema: z.object({
      name: text(t, 120).refine((value) => value.trim() !== '', t.account.rule.required),
      nameEn: text(t, 120),
      hospcode: z
        .string()
        .refine(
          (value) => /^([0-9A-Z]{5}|[0-9A-Z]{9})?$/i.test(arabicDigits(value).trim()),
          t.setting.rule.hospcode,
        ),
      address: text(t, 300),
      phone: text(t, 60),
      sessionHours: number(t, 'sessionHours'),
      uploadMaxMb: number(t, 'uploadMaxMb'),
      slipFooter: text(t, 1000),
    }),
  };
}

const BOOKING = [
  'bookingWindowDays',
  'leadMinutes',
  'cancelCutoffMinutes',
  'maxActivePerPatient',
  'noShowTime',
] as const;

export interface BookingValues extends Record<string, unknown> {
  bookingWindowDays: Typed;
  leadMinutes: Typed;
  cancelCutoffMinutes: Typed;
  maxActivePerPatient: Typed;
  /** '' for never. */
  noShowTime: string;
}

export function bookingPart(t: Messages): SettingPart<BookingValues> {
  return {
    valuesOf: (setting) => ({ ...pick(setting, BOOKING) }),
    textsOf: (values) => ({
      ...trimmed(values),
      maxActivePerPatient:
        Number(values.maxActivePerPatient) === 0 && values.maxActivePerPatient !== ''
          ? t.setting.booking.unlimited
          : String(values.maxActivePerPatient),
      noShowTime: timeOf(values.noShowTime) || t.setting.off,
    }),
    inputOf: (values) => ({
      bookingWindowDays: Number(values.bookingWindowDays),
      leadMinutes: Number(values.leadMinutes),
      cancelCutoffMinutes: Number(values.cancelCutoffMinutes),
      maxActivePerPatient: Number(values.maxActivePerPatient),
      noShowTime: timeOf(values.noShowTime),
    }),
    schema: z.object({
      bookingWindowDays: number(t, 'bookingWindowDays'),
      leadMinutes: number(t, 'leadMinutes'),
      cancelCutoffMinutes: number(t, 'cancelCutoffMinutes'),
      maxActivePerPatient: number(t, 'maxActivePerPatient'),
      noShowTime: z.string().refine((value) => value === '' || isTime(value), t.setting.rule.time),
    }),
  };
}

interface NumberingValues extends Record<string, unknown> {
  hnFormat: string;
  appointmentNumberFormat: string;
}

export function numberingPart(t: Messages): SettingPart<NumberingValues> {
  const format = z.string().superRefine((value, context) => {
    const fault = formatFault(t, value.trim());
    if (fault) context.addIssue({ code: 'custom', message: fault });
  });
  return {
    valuesOf: ({ hnFormat, appointmentNumberFormat }) => ({ hnFormat, appointmentNumberFormat }),
    textsOf: trimmed,
    inputOf: trimmed,
    schema: z.object({ hnFormat: format, appointmentNumberFormat: format }),
  };
}
