import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { byPath } from '@/test/by-path';
import { aPatient } from '@/test/patients';
import { renderInApp } from '@/test/render';
import { failure, success } from '@/test/server';
import { CreatePatient } from './create-patient';

const input = (name: string) => screen.getByLabelText(new RegExp(`^${name}( \\*)?$`), { selector: 'input' });
const write = (name: string, value: string) => fireEvent.change(input(name), { target: { value } });
const leave = (name: string) => fireEvent.blur(input(name));
const submit = () => fireEvent.click(screen.getByRole('button', { name: 'ลงทะเบียน' }));

function setUp(answers: Parameters<typeof byPath>[0] = {}) {
  const sent = byPath(answers);
  renderInApp(<CreatePatient />);
  return { created: () => sent('/create') as Record<string, unknown>[], sent };
}

function fillIn() {
  write('เลขประจำตัวประชาชน', '1111111111119');
  write('คำนำหน้า', 'นาง');
  write('ชื่อ', 'สมศรี');
  write('นามสกุล', 'ใจดี');
  write('วันเกิด', '5/5/2523');
  leave('วันเกิด');
}

/** The whole form renders slowly on a busy machine. */
const PATIENTLY = { timeout: 10_000 };
vi.setConfig({ testTimeout: 30_000 });

afterEach(() => vi.unstubAllGlobals());

describe('what is typed', () => {
  test.each([
    ['โทรศัพท์', '12345', 'หมายเลขโทรศัพท์ต้องเป็นตัวเลข 9–10 หลัก ขึ้นต้นด้วย 0'],
    ['รหัสไปรษณีย์', '502', 'รหัสไปรษณีย์ต้องเป็นตัวเลข 5 หลัก'],
    ['อีเมล', 'no-email', 'รูปแบบอีเมลไม่ถูกต้อง'],
    ['คำนำหน้า', 'x'.repeat(41), 'ยาวได้ไม่เกิน 40 ตัวอักษร'],
    ['วันเกิด', '1/1/2600', 'วันเกิดต้องไม่เป็นวันในอนาคต'],
    ['วันเกิด', '1/1/2430', 'วันเกิดย้อนหลังได้ไม่เกิน 130 ปี กรุณาตรวจสอบว่าเป็น พ.ศ. หรือ ค.ศ.'],
  ])('%s “%s” is a mistake, told when the field is left', (field, typed, message) => {
    setUp();
    write(field, typed);
    leave(field);
    expect(screen.getByText(message)).toBeVisible();
  });

  test('a card is grouped, and its check digit is judged once it is complete', () => {
    setUp();
    write('เลขประจำตัวประชาชน', '111111');
    expect(input('เลขประจำตัวประชาชน')).toHaveValue('1-1111-1');
    expect(screen.getByText('กรอกแล้ว 6 จาก 13 หลัก')).toBeVisible();
    write('เลขประจำตัวประชาชน', '1111111111110');
    expect(screen.getByText(/กรุณาตรวจสอบทั้ง 13 หลัก/)).toBeVisible();
    write('เลขประจำตัวประชาชน', '1111111111119');
    expect(screen.getByText('เลขถูกต้อง')).toBeVisible();
  });

  test('a card that is registered already links to its holder', async () => {
    setUp({ '/list-id-card': [success([aPatient({ id: 7, hn: '0000007' })])] });
    write('เลขประจำตัวประชาชน', '1111111111119');
    const link = await screen.findByRole('link', { name: 'เปิดข้อมูลของ นางสมศรี ใจดี (HN 0000007)' });
    expect(link).toHaveAttribute('href', '/app/patient-management/7/edit');
  });

  test('a phone number gets its dashes when it is left', () => {
    setUp();
    write('โทรศัพท์', '0812345678');
    leave('โทรศัพท์');
    expect(input('โทรศัพท์')).toHaveValue('081-234-5678');
  });

  test('a prename tells the sex where it is empty, and never changes it', () => {
    setUp();
    write('คำนำหน้า', 'นาย');
    expect(screen.getByRole('radio', { name: 'ชาย' })).toBeChecked();
    write('คำนำหน้า', 'นางสาว');
    expect(screen.getByRole('radio', { name: 'ชาย' })).toBeChecked();
  });

  test('a prename glued to the name is offered to be split', () => {
    setUp();
    write('ชื่อ', 'นายสมชาย');
    fireEvent.click(screen.getByRole('button', { name: 'แยกเป็น “นาย” และ “สมชาย”' }));
    expect(input('ชื่อ')).toHaveValue('สมชาย');
    expect(input('คำนำหน้า')).toHaveValue('นาย');
    expect(screen.getByRole('radio', { name: 'ชาย' })).toBeChecked();
  });

  test('a birth year alone gives an approximate age', () => {
    setUp();
    fireEvent.click(screen.getByRole('radio', { name: 'ทราบเฉพาะปี' }));
    write('ปีเกิด', '2490');
    leave('ปีเกิด');
    expect(screen.getByText(/^อายุ ประมาณ \d+ ปี$/)).toBeVisible();
    fireEvent.click(screen.getByRole('radio', { name: 'ทราบวัน' }));
    expect(input('วันเกิด')).toHaveValue('');
  });
});

describe('allergies', () => {
  test('none known and a list of them exclude each other', () => {
    setUp();
    const none = screen.getByLabelText(/^ไม่มีประวัติแพ้/);
    fireEvent.click(none);
    expect(screen.queryByRole('button', { name: 'เพิ่มรายการแพ้' })).toBeNull();
    fireEvent.click(none);
    fireEvent.click(screen.getByRole('button', { name: 'เพิ่มรายการแพ้' }));
    expect(none).toBeDisabled();
    write('ยาหรือสารที่แพ้', 'เพนิซิลลิน');
    fireEvent.click(screen.getByRole('button', { name: 'เอารายการแพ้ เพนิซิลลิน ออก' }));
    expect(none).toBeEnabled();
  });
});

describe('registering', () => {
  test('nothing is sent while something is missing, and the first mistake on the screen has the focus', async () => {
    const { created } = setUp();
    submit();
    expect(screen.getByText('กรุณากรอกเลขประจำตัวประชาชน')).toBeVisible();
    expect(screen.getByText('กรุณาเลือกเพศ')).toBeVisible();
    await waitFor(() => expect(input('เลขประจำตัวประชาชน')).toHaveFocus(), PATIENTLY);
    expect(created()).toEqual([]);
  });

  test('sends numbers without dashes, dates as ISO, and only once', async () => {
    const { created } = setUp({ '/create': [success(aPatient())] });
    fillIn();
    write('โทรศัพท์', '081-234-5678');
    submit();
    submit();
    await waitFor(() => expect(created()).toHaveLength(1));
    expect(created()[0]).toMatchObject({
      idCard: '1111111111119',
      phone: '0812345678',
      birthDate: '1980-05-05',
      birthPrecision: 'DAY',
      sex: 'F',
      consentAt: null,
    });
  });

  test('mistakes that the server finds land on their inputs, inside lists too', async () => {
    setUp({
      '/create': [
        failure(422, 'VALIDATION_FAILED', 'ข้อมูลไม่ถูกต้อง', {
          fields: [
            { field: 'address.postalCode', message: 'ไม่มีรหัสนี้' },
            { field: 'allergies[0].substance', message: 'ไม่รู้จักสารนี้' },
          ],
        }),
      ],
    });
    fillIn();
    fireEvent.click(screen.getByRole('button', { name: 'เพิ่มรายการแพ้' }));
    write('ยาหรือสารที่แพ้', 'บางอย่าง');
    submit();
    await waitFor(() => expect(screen.getByText('ไม่รู้จักสารนี้')).toBeVisible(), PATIENTLY);
    await waitFor(() => expect(input('รหัสไปรษณีย์')).toHaveFocus(), PATIENTLY);
    expect(input('รหัสไปรษณีย์')).toHaveAccessibleDescription(/ไม่มีรหัสนี้/);
    expect(input('ชื่อ')).toHaveValue('สมศรี');
  });

  test('shows a patient with the same name and birth date, who may be another person', async () => {
    const { created } = setUp({
      '/create': [
        failure(409, 'POSSIBLE_DUPLICATE', 'ซ้ำ', { details: { candidates: [aPatient({ hn: '0000042' })] } }),
        success(aPatient()),
      ],
    });
    fillIn();
    submit();
    const dialog = await screen.findByRole('dialog', { name: 'มีผู้ป่วยชื่อและวันเกิดเดียวกัน' });
    const row = within(dialog).getByRole('row', { name: /^HN/ });
    expect(within(row).getByText('0000042')).toBeVisible();
    expect(within(dialog).getByRole('row', { name: /1-1111-xxxxx-11-9/ })).toBeVisible();
    await userEvent.click(within(dialog).getByRole('button', { name: 'ลงทะเบียนเป็นคนใหม่' }));
    await waitFor(() => expect(created()).toHaveLength(2));
    expect(created()[0]).not.toHaveProperty('confirmDuplicate');
    expect(created()[1]).toMatchObject({ confirmDuplicate: true, firstName: 'สมศรี' });
  });
});
