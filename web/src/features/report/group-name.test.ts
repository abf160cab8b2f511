import { expect, test } from 'vitest';
import { en } from '@/i18n/en';
import { th } from '@/i18n/th';
import { axisName, groupName } from './group-name';

test.each([
  ['service', { key: '3', name: 'ทันตกรรม' }, 'ทันตกรรม', 'ทันตกรรม'],
  ['staff', { key: '', name: '' }, 'ไม่ระบุผู้ให้บริการ', 'ไม่ระบุผู้ให้บริการ'],
  ['day', { key: '2026-11-15', name: '' }, 'อา. 15 พ.ย. 2569', '15 พ.ย.'],
  ['month', { key: '2026-11', name: '' }, 'พฤศจิกายน 2569', 'พ.ย. 2569'],
  ['fiscalYear', { key: '2570', name: '' }, 'ปีงบประมาณ 2570', '2570'],
  ['weekday', { key: '0', name: '' }, 'อาทิตย์', 'อาทิตย์'],
  ['hour', { key: '09', name: '' }, '09:00–09:59', '09:00'],
  ['leadTime', { key: '91+', name: '' }, 'มากกว่า 90 วัน', 'มากกว่า 90 วัน'],
])('names a row by %s', (groupBy, group, full, short) => {
  expect(groupName(th, 'th', groupBy, group)).toBe(full);
  expect(axisName(th, 'th', groupBy, group)).toBe(short);
});

test('in English a fiscal year is of the Common Era', () => {
  expect(groupName(en, 'en', 'fiscalYear', { key: '2570', name: '' })).toBe('Fiscal year 2027');
});
