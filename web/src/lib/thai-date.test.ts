import { describe, expect, test } from 'vitest';
import { en } from '@/i18n/en';
import { th } from '@/i18n/th';
import {
  addDays,
  addMonths,
  firstOfMonth,
  formatDate,
  formatDateRange,
  formatDateTime,
  formatLongDate,
  formatMonth,
  formatRelative,
  formatTypedDate,
  hospitalToday,
  inHospital,
  isIsoDate,
  parseThaiDate,
  startOfDay,
  weekdayName,
  weekdayOf,
} from './thai-date';

describe('parses as a date', () => {
  test.each([
    ['09/02/2531', '1988-02-09'],
    ['9/2/2531', '1988-02-09'],
    ['9/2/31', '1988-02-09'],
    ['15/11/69', '2026-11-15'],
    ['09022531', '1988-02-09'],
    ['๐๙๐๒๒๕๓๑', '1988-02-09'],
    ['๙/๒/๒๕๓๑', '1988-02-09'],
    ['๙ ก.พ. ๒๕๓๑', '1988-02-09'],
    ['9-2-2531', '1988-02-09'],
    ['9.2.2531', '1988-02-09'],
    ['9 2 2531', '1988-02-09'],
    ['9 / 2 / 2531', '1988-02-09'],
    ['  9/2/2531  ', '1988-02-09'],
    ['9\u00a0ก.พ.\u00a02531', '1988-02-09'],
    ['9\u200b/2/2531', '1988-02-09'],
    ['9 กุมภาพันธ์ 2531', '1988-02-09'],
    ['9 กุมภา 2531', '1988-02-09'],
    ['9 กพ 2531', '1988-02-09'],
    ['9ก.พ.31', '1988-02-09'],
    ['9 ก.พ. พ.ศ. 2531', '1988-02-09'],
    ['9 ก.พ. ค.ศ. 1988', '1988-02-09'],
    ['1 มีนาคม 2569', '2026-03-01'],
    ['1 มี.ค. 2569', '2026-03-01'],
    ['1 ม.ค. 2569', '2026-01-01'],
    ['1 พฤษภาคม 2569', '2026-05-01'],
    ['1 พฤศจิกายน 2569', '2026-11-01'],
    ['วันอาทิตย์ที่ 15 พฤศจิกายน 2569', '2026-11-15'],
    ['วันที่ 15 พ.ย. 2569', '2026-11-15'],
    ['09/02/1988', '1988-02-09'],
    ['15 Nov 2026', '2026-11-15'],
    ['15 november 2569', '2026-11-15'],
    ['Sunday 15 November 2026', '2026-11-15'],
    ['2026-11-15', '2026-11-15'],
    ['2569-11-15', '2026-11-15'],
    ['29/02/2567', '2024-02-29'],
    ['29/02/2543', '2000-02-29'],
    ['31/12/2400', '1857-12-31'],
  ])('%s', (typed, iso) => expect(parseThaiDate(typed)).toBe(iso));
});

describe('is not a date', () => {
  test.each([
    '',
    ' ',
    'abc',
    '9 xx 2531',
    '9 ม 2531',
    '29/02/2568',
    '29/02/2443',
    '31/04/2569',
    '31/02/2560',
    '00/01/2569',
    '01/00/2569',
    '32/01/2569',
    '01/13/2569',
    '09/02/253',
    '09/02/0253',
    '09/02/25311',
    '09/02/2251',
    '09/02/1700',
    '9/2',
    '9/2/3',
    '090231',
    '9022531',
    '15 พ.ย.',
    '15 พ.ย. ค.ศ. 69',
    '9 ก.พ. 253',
    '2026-02-30',
    'พรุ่งนี้',
    '9/2/2531 10:00',
  ])('"%s"', (typed) => expect(parseThaiDate(typed)).toBeNull());
});

describe('without short years', () => {
  test.each(['9/2/31', '09/02/25', '9 ก.พ. 31'])('%s is incomplete', (typed) =>
    expect(parseThaiDate(typed, { shortYear: false })).toBeNull(),
  );
  test('parses a full year', () => {
    expect(parseThaiDate('9/2/2531', { shortYear: false })).toBe('1988-02-09');
  });
});

test('parses every month in every printed format', () => {
  for (let month = 1; month <= 12; month++) {
    const iso = `2026-${String(month).padStart(2, '0')}-07`;
    for (const language of ['th', 'en'] as const) {
      for (const format of [formatDate, formatLongDate, formatTypedDate]) {
        expect(parseThaiDate(format(iso, language))).toBe(iso);
      }
    }
  }
});

describe('shows a date', () => {
  test.each([
    [formatDate('2026-11-15'), '15 พ.ย. 2569'],
    [formatDate('2026-11-15', 'en'), '15 Nov 2026'],
    [formatDate('1988-02-09'), '9 ก.พ. 2531'],
    [formatLongDate('2026-11-15'), 'วันอาทิตย์ที่ 15 พฤศจิกายน 2569'],
    [formatLongDate('2026-11-15', 'en'), 'Sunday 15 November 2026'],
    [formatTypedDate('2026-11-05'), '05/11/2569'],
    [formatTypedDate('2026-11-05', 'en'), '05/11/2026'],
    [formatDateTime('2026-11-15T02:30:00Z'), '15 พ.ย. 2569 09:30 น.'],
    [formatDateTime('2026-11-15T02:30:00Z', 'en'), '15 Nov 2026 09:30'],
  ])('%s', (shown, expected) => expect(shown).toBe(expected));
});

describe('uses the hospital’s time zone', () => {
  test('not the machine’s: the tests run in New York', () => {
    expect(new Date('2026-11-15T00:00:00Z').getTimezoneOffset()).toBe(5 * 60);
  });

  test.each([
    ['2026-11-14T16:59:59Z', '2026-11-14', '23:59'],
    ['2026-11-14T17:00:00Z', '2026-11-15', '00:00'],
    ['2026-12-31T17:00:00Z', '2027-01-01', '00:00'],
    // This clock time does not exist in New York, where daylight saving time starts.
    ['2026-03-07T19:30:00Z', '2026-03-08', '02:30'],
  ])('%s is %s %s', (instant, date, time) => expect(inHospital(instant)).toEqual({ date, time }));

  test('a day starts at the hospital’s midnight', () => {
    expect(new Date(startOfDay('2026-11-15')).toISOString()).toBe('2026-11-14T17:00:00.000Z');
    expect(inHospital(startOfDay('2026-11-15'))).toEqual({ date: '2026-11-15', time: '00:00' });
  });

  test('today is the hospital’s date', () => {
    expect(hospitalToday(new Date('2026-11-14T18:00:00Z'))).toBe('2026-11-15');
  });
});

describe('relative to now', () => {
  const now = new Date('2026-11-15T05:00:00Z');
  test.each([
    ['2026-11-15T04:59:30Z', 'เมื่อสักครู่', 'Just now'],
    ['2026-11-15T05:00:20Z', 'เมื่อสักครู่', 'Just now'],
    ['2026-11-15T04:55:00Z', '5 นาทีที่แล้ว', '5 min ago'],
    ['2026-11-15T04:00:01Z', '59 นาทีที่แล้ว', '59 min ago'],
    ['2026-11-15T02:00:00Z', '3 ชั่วโมงที่แล้ว', '3 h ago'],
    ['2026-11-14T02:30:00Z', 'เมื่อวาน 09:30 น.', 'Yesterday 09:30'],
    ['2026-11-14T16:30:00Z', 'เมื่อวาน 23:30 น.', 'Yesterday 23:30'],
    ['2026-11-13T02:30:00Z', '13 พ.ย. 2569 09:30 น.', '13 Nov 2026 09:30'],
    ['2026-11-15T06:00:00Z', '15 พ.ย. 2569 13:00 น.', '15 Nov 2026 13:00'],
  ])('%s is %s', (instant, inThai, inEnglish) => {
    expect(formatRelative(instant, th.date, 'th', now)).toBe(inThai);
    expect(formatRelative(instant, en.date, 'en', now)).toBe(inEnglish);
  });
});

test('counts days across months and years', () => {
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(addDays('2024-03-01', -1)).toBe('2024-02-29');
  expect(firstOfMonth('2026-11-15')).toBe('2026-11-01');
});

test.each([
  ['2026-11-15', true],
  ['2026-02-30', false],
  ['2026-1-5', false],
  ['2026-11-15T00:00:00Z', false],
  ['', false],
])('is "%s" an ISO date: %s', (text, expected) => expect(isIsoDate(text)).toBe(expected));

test.each([
  ['2026-11-15', '2026-11-15', '15 พ.ย. 2569'],
  ['2026-11-15', '2026-11-21', '15–21 พ.ย. 2569'],
  ['2026-11-29', '2026-12-05', '29 พ.ย. – 5 ธ.ค. 2569'],
  ['2026-12-27', '2027-01-02', '27 ธ.ค. 2569 – 2 ม.ค. 2570'],
])('the days from %s to %s', (from, to, text) => {
  expect(formatDateRange(from, to)).toBe(text);
});

test('months and weekdays', () => {
  expect(formatMonth('2026-11-15')).toBe('พฤศจิกายน 2569');
  expect(formatMonth('2026-11-15', 'en')).toBe('November 2026');
  expect(addMonths('2026-11-01', 2)).toBe('2027-01-01');
  expect(weekdayOf('2026-11-15')).toBe(0);
  expect([weekdayName(4), weekdayName(4, 'th', true), weekdayName(4, 'en', true)]).toEqual([
    'พฤหัสบดี',
    'พฤ.',
    'Thu',
  ]);
});
