import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { byPath } from '@/test/by-path';
import { aPatient } from '@/test/patients';
import { renderInApp } from '@/test/render';
import { failure, success } from '@/test/server';
import { PatientQuickForm } from './patient-quick-form';

const input = (name: string) => screen.getByLabelText(new RegExp(`^${name}( \\*)?$`), { selector: 'input' });
const write = (name: string, value: string) => fireEvent.change(input(name), { target: { value } });
const submit = () => fireEvent.click(screen.getByRole('button', { name: 'ลงทะเบียน' }));

function setUp(answers: Parameters<typeof byPath>[0]) {
  const sent = byPath(answers);
  const onDone = vi.fn();
  renderInApp(<PatientQuickForm initial={{ firstName: 'สมศรี' }} onDone={onDone} onCancel={() => {}} />);
  write('คำนำหน้า', 'นาง');
  write('นามสกุล', 'ใจดี');
  write('วันเกิด', '5/5/2523');
  return { created: () => sent('/create'), onDone };
}

afterEach(() => vi.unstubAllGlobals());

test('registers with the minimum, starting from the search text', async () => {
  const { created, onDone } = setUp({ '/create': [success(aPatient())] });
  submit();
  await waitFor(() => expect(onDone).toHaveBeenCalledWith(expect.objectContaining({ hn: '0000001' })));
  expect(created()).toEqual([
    {
      prename: 'นาง',
      firstName: 'สมศรี',
      lastName: 'ใจดี',
      sex: 'F',
      birthDate: '1980-05-05',
      birthPrecision: 'DAY',
      idCard: '',
      idType: 'NONE',
      phone: '',
    },
  ]);
});

test('an ID card number sets the document type', async () => {
  const { created } = setUp({ '/create': [success(aPatient())] });
  write('เลขประจำตัวประชาชน', '1111111111119');
  submit();
  await waitFor(() => expect(created()).toMatchObject([{ idType: 'CID', idCard: '1111111111119' }]));
});

test('an existing patient can be chosen instead', async () => {
  const known = aPatient({ id: 42, hn: '0000042' });
  const { created, onDone } = setUp({
    '/create': [failure(409, 'POSSIBLE_DUPLICATE', 'ซ้ำ', { details: { candidates: [known] } })],
  });
  submit();
  const dialog = await screen.findByRole('dialog');
  fireEvent.click(within(dialog).getByRole('button', { name: /^ใช้ระเบียนนี้/ }));
  expect(onDone).toHaveBeenCalledWith(expect.objectContaining({ id: 42 }));
  expect(created()).toHaveLength(1);
});
