import { expect, test } from 'vitest';
import names from '@/data/icd10.json';
import type { DaySlots } from '@/entities/appointment/api';
import { proposeSeat, targetDay } from './follow-up';
import { cleanCode, cleanCodes, findCodes, type Icd10Name, isCode } from './icd10';

test('formats a code like the server', () => {
  for (const [typed, code] of [
    ['e119', 'E11.9'],
    ['E11.9', 'E11.9'],
    ['i10.', 'I10'],
    [' j06 9 ', 'J06.9'],
    ['E๑๑.๙', 'E11.9'],
    ['S7200', 'S72.00'],
  ] as const) {
    expect(cleanCode(typed)).toBe(code);
    expect(isCode(code)).toBe(true);
  }
  for (const typed of ['หวัด', 'E1', '11.9', 'E11.9.1', 'E11.12345'])
    expect(isCode(cleanCode(typed))).toBe(false);
  expect(cleanCodes(['e119', 'E11.9', ' ', 'i10'])).toEqual(['E11.9', 'I10']);
});

test('finds a code by its prefix, its Thai and its English name', () => {
  const list = names as Icd10Name[];
  expect(list.length).toBeGreaterThan(150);
  expect(list.every(([code, th, en]) => isCode(code) && th && en)).toBe(true);
  const found = (typed: string) => findCodes(list, typed).map(([code]) => code);
  expect(found('e119')[0]).toBe('E11.9');
  expect(found('เบาหวาน')).toContain('E11.9');
  expect(found('hypertension')).toEqual(['I10']);
  expect(found('ไม่มีโรคนี้')).toEqual([]);
});

const day = (date: string, booked: number, open: Partial<DaySlots['slots'][number]> = {}): DaySlots => ({
  date,
  closed: false,
  reason: '',
  slots: ['09:00', '10:00'].map((startTime) => ({
    startTime,
    endTime: '11:00',
    capacity: 10,
    booked,
    available: 10 - booked,
    state: booked < 10 ? 'FREE' : 'FULL',
    overridden: false,
    past: false,
    closed: false,
    waitlisted: 0,
    ...open,
  })),
});

test('proposes the least loaded open day around the date, at the time of the visit', () => {
  const days = [
    day('2026-12-12', 9),
    day('2026-12-13', 0, { closed: true, state: 'CLOSED' }),
    day('2026-12-15', 0, { state: 'TOO_LATE' }),
    day('2026-12-14', 8),
    day('2026-12-16', 2),
  ];
  expect(proposeSeat(days, '2026-12-14', '10:00')).toEqual({ date: '2026-12-16', startTime: '10:00' });
  expect(proposeSeat(days, '2026-12-14', '15:00')).toEqual({ date: '2026-12-16', startTime: '09:00' });
  expect(proposeSeat([day('2026-12-10', 3), day('2026-12-15', 3)], '2026-12-14', '')?.date).toBe(
    '2026-12-15',
  );
  expect(proposeSeat([day('2026-12-14', 10)], '2026-12-14', '')).toBeNull();
  expect(targetDay('2026-11-16', '2026-11-16', 4)).toBe('2026-12-14');
  expect(targetDay('2026-01-01', '2026-11-16', 1)).toBe('2026-11-23');
});
