import { describe, expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { contrast, READABLE } from '@/lib/colour';
import { COLOURS, inputOf, NEW_SERVICE, type ServiceValues, serviceSchema, textsOf } from './service-values';

const faults = (change: Partial<ServiceValues>) => {
  const { error } = serviceSchema(th).safeParse({ ...NEW_SERVICE, code: 'MED', name: 'อายุรกรรม', ...change });
  return [...new Set(error?.issues.map(({ path }) => path.join('.')) ?? [])];
};

describe('what may be saved', () => {
  test.each<[string, Partial<ServiceValues>, string[]]>([
    ['a plain service', {}, []],
    ['a code in small letters', { code: ' med-01_a ' }, []],
    ['no code', { code: '' }, ['code']],
    ['a Thai code', { code: 'อายุร' }, ['code']],
    ['21 characters', { code: 'A'.repeat(21) }, ['code']],
    ['a blank name', { name: '  ' }, ['name']],
    [
      'slots of four minutes, or none',
      { slotMinutes: 4, defaultCapacity: '' },
      ['slotMinutes', 'defaultCapacity'],
    ],
    ['half a seat', { defaultCapacity: 1.5 }, ['defaultCapacity']],
    ['rules of its own', { bookingWindowDays: 30, leadMinutes: 0, cancelCutoffMinutes: 1440 }, []],
    ['a rule of its own that is missing', { bookingWindowDays: '' }, ['bookingWindowDays']],
    ['a window of three years', { bookingWindowDays: 1095 }, ['bookingWindowDays']],
  ])('%s', (_, change, wrong) => {
    expect(faults(change)).toEqual(wrong);
  });
});

test('sends trimmed values; null uses the hospital’s rule', () => {
  const sent = inputOf({
    ...NEW_SERVICE,
    code: ' med ',
    name: ' อายุรกรรม ',
    slotMinutes: '15',
    leadMinutes: '0',
    staffIds: ['3', '12'],
  });
  expect(sent).toMatchObject({
    code: 'MED',
    name: 'อายุรกรรม',
    slotMinutes: 15,
    leadMinutes: 0,
    bookingWindowDays: null,
    staffIds: [3, 12],
  });
});

test('texts list staff by name in a fixed order', () => {
  const name = (id: string) => ({ 3: 'พ.สมชาย', 12: 'พ.กานดา' })[id] ?? id;
  const text = (staffIds: string[]) => textsOf(th, { ...NEW_SERVICE, staffIds }, name).staffIds;
  expect(text(['3', '12'])).toBe('พ.กานดา, พ.สมชาย');
  expect(text(['12', '3'])).toBe(text(['3', '12']));
});

test('white is readable on every offered colour', () => {
  for (const colour of COLOURS) expect(contrast('#ffffff', colour), colour).toBeGreaterThanOrEqual(READABLE);
});
