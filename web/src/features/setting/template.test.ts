import { expect, test } from 'vitest';
import { fillTemplate, inserted, smsCount, unknownToken } from './template';

const values = {
  patient: 'นางสมศรี ใจดี',
  date: '20 พ.ย. 2569',
  time: '09:30',
  service: 'อายุรกรรม',
  place: 'ห้อง 3',
  number: 'A6911-00012',
  hospital: 'โรงพยาบาลศรีนคร',
  phone: '044 999 999',
};

test('fills in all placeholders of a message', () => {
  expect(fillTemplate('เรียน {patient} นัด {service} {date} {time} น. ({time})', values)).toBe(
    'เรียน นางสมศรี ใจดี นัด อายุรกรรม 20 พ.ย. 2569 09:30 น. (09:30)',
  );
  expect(fillTemplate('{Patient} {hn}', values)).toBe('{Patient} {hn}');
});

test.each([
  ['{patient} {date} {time} {service} {place} {number} {hospital} {phone}', null],
  ['ไม่มีอะไร', null],
  ['{patient} {hn}', '{hn}'],
  ['{Patient}', '{Patient}'],
  ['{patient', '{'],
  ['{patient}}', '}'],
])('%s', (template, unknown) => {
  expect(unknownToken(template)).toBe(unknown);
});

test('inserts a placeholder at the cursor or over the selection', () => {
  expect(inserted('เรียน  นัด', '{patient}', 6, 6)).toEqual({ text: 'เรียน {patient} นัด', cursor: 15 });
  expect(inserted('เรียน คุณ', '{patient}', 6, 9)).toEqual({ text: 'เรียน {patient}', cursor: 15 });
});

test.each([
  ['a'.repeat(160), 1],
  ['a'.repeat(161), 2],
  ['ก'.repeat(70), 1],
  ['ก'.repeat(71), 2],
  ['ก'.repeat(135), 3],
  ['', 1],
])('%s takes as many SMS', (text, count) => {
  expect(smsCount(text)).toBe(count);
});
