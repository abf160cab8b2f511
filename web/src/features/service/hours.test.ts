import { describe, expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { hoursText } from './hours';

const row = (weekday: number, startTime: string, endTime: string, more: object = {}) => ({
  weekday,
  startTime,
  endTime,
  ...more,
});
const TODAY = '2026-11-16';

describe('the hours of a week in one line', () => {
  test.each([
    ['none', [], 'ยังไม่กำหนดเวลาให้บริการ'],
    ['one day', [row(6, '09:00', '12:00')], 'ส. 09:00–12:00'],
    [
      'working days with a lunch break, Saturday apart',
      [
        ...[1, 2, 3, 4, 5].flatMap((day) => [row(day, '13:00', '16:00'), row(day, '08:30', '12:00')]),
        row(6, '09:00', '12:00'),
      ],
      'จ.–ศ. 08:30–12:00, 13:00–16:00 · ส. 09:00–12:00',
    ],
    [
      'days that do not follow each other',
      [row(1, '08:00', '09:00'), row(3, '08:00', '09:00')],
      'จ., พ. 08:00–09:00',
    ],
    [
      'the weekend is Saturday, then Sunday',
      [row(0, '08:00', '09:00'), row(6, '08:00', '09:00')],
      'ส., อา. 08:00–09:00',
    ],
    ['every day', [0, 1, 2, 3, 4, 5, 6].map((day) => row(day, '00:00', '24:00')), 'ทุกวัน 00:00–24:00'],
    [
      'only what is valid today',
      [
        row(1, '08:00', '09:00', { validTo: '2026-11-15' }),
        row(1, '10:00', '11:00', { validFrom: '2026-11-16', validTo: '2026-11-16' }),
        row(1, '12:00', '13:00', { validFrom: '2026-11-17' }),
      ],
      'จ. 10:00–11:00',
    ],
    ['rows, but none today', [row(1, '08:00', '09:00', { validTo: '2026-11-15' })], 'ไม่มีเวลาให้บริการในช่วงนี้'],
  ])('%s', (_, rows, text) => {
    expect(hoursText(th, rows, TODAY).join(' · ')).toBe(text);
  });
});
