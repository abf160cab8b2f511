import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { renderPage } from '@/test/app';
import { aCustomer } from '@/test/customers';
import { answerWith, failure, success } from '@/test/server';
import { CustomerForm } from './customer-form';

async function setUp(...answers: Parameters<typeof answerWith>) {
  const [customer, onDone] = [aCustomer(), vi.fn()];
  renderPage({
    at: '/app/patient-management',
    path: '/app/patient-management',
    component: () => <CustomerForm customer={customer} onDone={onDone} />,
    permissions: ['CUSTOMER.UPDATE'],
    answers: {},
  });
  await screen.findByRole('form', { name: 'แก้ไข มานี มีนา' });
  const requests = answerWith(...answers);
  return { onDone, sent: () => Promise.all(requests.map((request) => request.clone().json())) };
}

const note = () => screen.getByRole('textbox', { name: 'หมายเหตุ' });
const consent = () => screen.getByRole('checkbox', { name: /ยินยอม/ });
const save = () => fireEvent.click(screen.getByRole('button', { name: 'บันทึก' }));

// The autosizing textarea uses it; the test DOM has none.
beforeAll(() => Object.defineProperty(document, 'fonts', { value: new EventTarget() }));
afterEach(() => vi.unstubAllGlobals());

test('sends only the changed fields and closes', async () => {
  const { onDone, sent } = await setUp(success(aCustomer({ note: 'โทรบ่าย', version: 4 })));
  fireEvent.change(note(), { target: { value: 'โทรบ่าย ' } });
  save();
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect((await sent())[0]).toEqual({ id: 7, version: 3, note: 'โทรบ่าย' });
});

test('unchecking and checking the consent restores it', async () => {
  const { onDone, sent } = await setUp();
  fireEvent.click(consent());
  expect(consent()).not.toBeChecked();
  fireEvent.click(consent());
  save();
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(await sent()).toEqual([]);
});

test('shows a server error of a linked patient at the patients until they are changed', async () => {
  const { onDone } = await setUp(
    failure(422, 'VALIDATION', 'ไม่ถูกต้อง', {
      fields: [{ field: 'patients[0].patientId', message: 'ไม่พบผู้ป่วยนี้' }],
    }),
  );
  fireEvent.change(note(), { target: { value: 'โทรบ่าย' } });
  save();
  expect(await screen.findByText('ไม่พบผู้ป่วยนี้')).toBeVisible();
  expect(screen.queryByText('ไม่ถูกต้อง')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'เอา นางมานี มีนา ออก' }));
  await waitFor(() => expect(screen.queryByText('ไม่พบผู้ป่วยนี้')).toBeNull());
  expect(onDone).not.toHaveBeenCalled();
});

test('a user who may not see patients sees their record ids and cannot add any', async () => {
  const customer = aCustomer({ patients: [{ patientId: 12, relation: 'CHILD' }] });
  renderPage({
    at: '/app/patient-management',
    path: '/app/patient-management',
    component: () => <CustomerForm customer={customer} onDone={vi.fn()} />,
    permissions: ['CUSTOMER.UPDATE'],
    answers: {},
  });
  expect(await screen.findByText('ผู้ป่วยรหัส 12')).toBeVisible();
  expect(screen.getByRole('combobox', { name: 'ความสัมพันธ์กับ ผู้ป่วยรหัส 12' })).toHaveValue('CHILD');
  expect(screen.getByText('ท่านไม่มีสิทธิ์ดูข้อมูลผู้ป่วย จึงเพิ่มผู้ป่วยไม่ได้')).toBeVisible();
  expect(screen.queryByLabelText('เพิ่มผู้ป่วย')).toBeNull();
});
