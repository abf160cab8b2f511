import { describe, expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { aCustomer } from '@/test/customers';
import {
  type CustomerValues,
  customerSchema,
  EMPTY_CUSTOMER,
  inputOf,
  textsOf,
  valuesOf,
} from './customer-values';

describe('what counts as a change', () => {
  const base = valuesOf(aCustomer());
  const [one, other] = base.patients;
  test.each([
    ['nothing, however the phone is written', { phone: '081-111-2233', name: ' มานี มีนา ' }, []],
    ['another order of the same patients', { patients: [other, one] }, []],
    ['another way to write the same instant', { consentAt: '2026-10-06T11:38:00+07:00' }, []],
    ['a note', { note: 'โทรบ่าย' }, ['note']],
    ['a patient taken out', { patients: [one] }, ['patients']],
    ['another relation', { patients: [one, { ...other, relation: 'PARENT' }] }, ['patients']],
    ['a consent taken back', { consentAt: '' }, ['consentAt']],
  ])('%s', (_, fields, changed) => {
    const before = textsOf(th, base);
    const after = textsOf(th, { ...base, ...fields } as CustomerValues);
    expect(Object.keys(after).filter((field) => after[field] !== before[field])).toEqual(changed);
  });
});

describe('what is sent', () => {
  const base = valuesOf(aCustomer());

  test('has the patients without their names', () => {
    expect(inputOf(base).patients).toEqual([
      { patientId: 1, relation: 'SELF' },
      { patientId: 2, relation: 'CHILD' },
    ]);
  });

  test('has no consent as null', () => {
    expect(inputOf({ ...base, consentAt: '' }).consentAt).toBeNull();
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
