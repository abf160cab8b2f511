import { describe, expect, test } from 'vitest';
import { th } from '@/i18n/th';
import type { Customer } from './api';
import { bothChanged, changeOf, customerSchema, EMPTY_CUSTOMER, inputOf, valuesOf } from './customer-values';

const MANEE: Customer = {
  id: 7,
  version: 3,
  name: 'มานี มีนา',
  phone: '0811112233',
  email: '',
  lineUserId: '',
  status: 'ACTIVE',
  consentAt: '2026-10-06T04:38:00Z',
  note: '',
  patients: [
    { patientId: 1, relation: 'SELF', hn: '0000001', name: 'นางมานี มีนา' },
    { patientId: 2, relation: 'CHILD', hn: '0000002', name: 'ด.ช.ชูใจ มีนา' },
  ],
  createdAt: '2026-10-06T04:38:00Z',
  updatedAt: '2026-10-06T04:38:00Z',
};

describe('what is sent', () => {
  const base = valuesOf(MANEE);

  test('is nothing when nothing was changed, however the phone is written', () => {
    expect(changeOf(th, MANEE, { ...base, phone: '081-111-2233', name: ' มานี มีนา ' })).toBeNull();
  });

  test('is only what was changed', () => {
    expect(changeOf(th, MANEE, { ...base, note: 'โทรบ่าย' })).toEqual({ id: 7, version: 3, note: 'โทรบ่าย' });
  });

  test('is the whole list when one patient was taken out', () => {
    const patients = base.patients.slice(0, 1);
    expect(changeOf(th, MANEE, { ...base, patients })).toEqual({
      id: 7,
      version: 3,
      patients: [{ patientId: 1, relation: 'SELF' }],
    });
  });

  test('takes a consent back as null', () => {
    expect(changeOf(th, MANEE, { ...base, consentAt: '' })).toEqual({ id: 7, version: 3, consentAt: null });
  });

  test('has the number without dashes and Thai digits', () => {
    expect(inputOf({ ...EMPTY_CUSTOMER, phone: '๐๘๑-111 2233' }).phone).toBe('0811112233');
  });
});

describe('what is wrong', () => {
  const faults = (values: object) => {
    const { error } = customerSchema(th).safeParse({
      ...EMPTY_CUSTOMER,
      name: 'มานี',
      phone: '0811112233',
      ...values,
    });
    return error?.issues.map(({ path }) => path[0]) ?? [];
  };
  test.each([
    ['nothing', {}, []],
    ['no name', { name: ' ' }, ['name']],
    ['no phone', { phone: '' }, ['phone']],
    ['a short phone', { phone: '0811' }, ['phone']],
    ['an email that is none', { email: 'manee' }, ['email']],
    ['a long note', { note: 'ก'.repeat(2001) }, ['note']],
    [
      'a relation not chosen',
      { patients: [{ patientId: 1, hn: '1', name: 'ก', relation: '' }] },
      ['patients'],
    ],
  ])('%s', (_, values, fields) => {
    expect(faults(values)).toEqual(fields);
  });
});

test('only what both changed to different things is asked about', () => {
  const mine = { ...valuesOf(MANEE), note: 'ของฉัน', lineUserId: 'same' };
  const theirs = { ...MANEE, email: 'theirs@example.com', lineUserId: 'same' };
  expect(bothChanged(th, MANEE, mine, theirs)).toEqual([]);
  expect(bothChanged(th, MANEE, mine, { ...theirs, note: 'ของเขา' })).toEqual(['note']);
});
