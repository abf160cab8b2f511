import { describe, expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { remindersPart } from './reminders-part';
import { bookingPart, durationText, hospitalPart } from './setting-values';

test.each([
  ['18:00', '18:00', true],
  ['1800', '18:00', true],
  ['18.30', '18:30', true],
  ['๑๘:๐๐', '18:00', true],
  ['', '', true],
  ['24:00', '24:00', false],
  ['เย็น', 'เย็น', false],
])('the time %s is sent as %s', (noShowTime, sent, right) => {
  const { inputOf, schema } = bookingPart(th);
  const values = {
    bookingWindowDays: 1,
    leadMinutes: 0,
    cancelCutoffMinutes: 0,
    maxActivePerPatient: 0,
    noShowTime,
  };
  expect(inputOf(values).noShowTime).toBe(sent);
  expect(schema.safeParse(values).success).toBe(right);
});

test.each([
  [0, ''],
  [45, ''],
  [60, '1 ชั่วโมง'],
  [90, '1 ชั่วโมง 30 นาที'],
  [1440, '1 วัน'],
  [1501, '1 วัน 1 ชั่วโมง 1 นาที'],
  ['', ''],
])('%s minutes', (minutes, text) => {
  expect(durationText(th, minutes)).toBe(text);
});

const wrong = (error: { issues: { path: PropertyKey[] }[] } | undefined) =>
  (error?.issues ?? []).map(({ path }) => path.join('.'));

const hospital = {
  name: 'โรงพยาบาลศรีนคร',
  nameEn: '',
  hospcode: '10999',
  address: '',
  phone: '',
  sessionHours: 12,
  uploadMaxMb: 20,
  slipFooter: '',
};

describe('the hospital', () => {
  test.each([
    ['as it is', {}, []],
    ['no name', { name: ' ' }, ['name']],
    ['a code of nine', { hospcode: 'ea0010666' }, []],
    ['a code of four', { hospcode: '1099' }, ['hospcode']],
    [
      'no session at all, and half a megabyte',
      { sessionHours: 0, uploadMaxMb: 0.5 },
      ['sessionHours', 'uploadMaxMb'],
    ],
  ])('%s', (_, change, fields) => {
    expect(wrong(hospitalPart(th).schema.safeParse({ ...hospital, ...change }).error)).toEqual(fields);
  });
});

describe('booking rules', () => {
  const values = {
    bookingWindowDays: 180,
    leadMinutes: 60,
    cancelCutoffMinutes: 0,
    maxActivePerPatient: 0,
    noShowTime: '',
  };

  test('"none" and "no limit" have their own texts', () => {
    expect(bookingPart(th).textsOf(values)).toMatchObject({
      maxActivePerPatient: 'ไม่จำกัด',
      noShowTime: 'ปิด',
    });
  });

  test.each([
    ['18:00', []],
    ['1800', []],
    ['24:00', ['noShowTime']],
    ['18:60', ['noShowTime']],
    ['เย็น', ['noShowTime']],
  ])('no-shows at %s', (noShowTime, fields) => {
    expect(wrong(bookingPart(th).schema.safeParse({ ...values, noShowTime }).error)).toEqual(fields);
  });

  test('sends values in the server’s format', () => {
    expect(bookingPart(th).inputOf({ ...values, leadMinutes: '90', noShowTime: '1830' })).toMatchObject({
      leadMinutes: 90,
      noShowTime: '18:30',
    });
  });
});

describe('reminders', () => {
  const reminder = (more: object) => ({
    key: '',
    offsetHours: 24,
    channel: 'SMS' as const,
    template: 'พรุ่งนี้มีนัด',
    ...more,
  });

  test('reports a duplicate channel and time once, on the second', () => {
    const reminders = [reminder({}), reminder({ channel: 'LINE' }), reminder({ template: 'อีกครั้ง' })];
    expect(wrong(remindersPart(th).schema.safeParse({ reminders }).error)).toEqual([
      'reminders.2.offsetHours',
    ]);
  });

  test('rejects an unknown placeholder and an empty message', () => {
    const reminders = [reminder({ template: '{hn}' }), reminder({ offsetHours: '', template: ' ' })];
    expect(wrong(remindersPart(th).schema.safeParse({ reminders }).error)).toEqual([
      'reminders.0.template',
      'reminders.1.offsetHours',
      'reminders.1.template',
    ]);
  });
});
