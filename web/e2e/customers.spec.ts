import type { Page } from '@playwright/test';
import { expectNoSidewaysScroll } from './accounts';
import { fullName, test, uniquePhone, uniqueThai } from './patient-support';
import { expect, expectNoViolations, inEveryLook } from './support';

const CUSTOMERS = '/app/patient-management?tab=customers';
const table = (page: Page) => page.getByRole('table', { name: 'รายชื่อผู้ใช้บริการ' });
const drawer = (page: Page) => page.getByRole('dialog');

test('adds a customer with a patient and lists them', async ({ page, signInAs, registration }) => {
  const patient = await registration.register();
  await signInAs('registrar');
  await page.goto(CUSTOMERS);
  await page.getByRole('link', { name: 'เพิ่มผู้ใช้บริการ' }).click();
  const name = uniqueThai('มานี');
  const phone = uniquePhone();
  await drawer(page).getByRole('button', { name: 'บันทึก' }).click();
  await expect(drawer(page).getByText('กรุณากรอกข้อมูล')).toBeVisible();
  await expect(drawer(page).getByLabel('ชื่อ-นามสกุล')).toBeFocused();
  await drawer(page).getByLabel('ชื่อ-นามสกุล').fill(name);
  await drawer(page)
    .getByLabel('โทรศัพท์')
    .fill(`${phone.slice(0, 3)}-${phone.slice(3, 6)}-${phone.slice(6)}`);
  await drawer(page)
    .getByLabel(/ยินยอมให้เก็บ/)
    .check();
  await drawer(page).getByRole('textbox', { name: 'เพิ่มผู้ป่วย' }).fill(patient.lastName);
  await page.getByRole('option', { name: new RegExp(patient.hn) }).click();
  const relation = drawer(page).getByLabel(`ความสัมพันธ์กับ ${fullName(patient)}`);
  await expect(relation).toBeFocused();
  await drawer(page).getByRole('button', { name: 'บันทึก' }).click();
  await expect(drawer(page).getByText('กรุณาเลือกความสัมพันธ์ของผู้ป่วยทุกคน')).toBeVisible();
  await relation.selectOption('บุตร');
  await drawer(page).getByRole('button', { name: 'บันทึก' }).click();
  await expect(page.getByText(`เพิ่ม ${name} แล้ว`)).toBeVisible();
  await expect(drawer(page)).toBeHidden();
  await page.getByRole('main').getByRole('searchbox').fill(name);
  const row = table(page).getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('ใช้งาน');
  await expect(row.getByRole('listitem')).toHaveText(`${fullName(patient)} บุตร`);
  await expect(row.getByRole('link', { name: fullName(patient) })).toHaveAttribute(
    'href',
    `/app/patient-management/${patient.id}/edit`,
  );
});

test('shows a duplicate phone at its field and keeps the typed values', async ({
  page,
  signInAs,
  registration,
}) => {
  const other = await registration.addCustomer();
  await signInAs('registrar');
  await page.goto(CUSTOMERS);
  await page.getByRole('link', { name: 'เพิ่มผู้ใช้บริการ' }).click();
  await drawer(page).getByLabel('ชื่อ-นามสกุล').fill('คนอื่น');
  await drawer(page).getByLabel('โทรศัพท์').fill(other.phone);
  await drawer(page).getByRole('button', { name: 'บันทึก' }).click();
  const phone = drawer(page).getByLabel('โทรศัพท์');
  await expect(phone).toHaveAttribute('aria-invalid', 'true');
  await expect(phone).toBeFocused();
  await expect(drawer(page).getByLabel('ชื่อ-นามสกุล')).toHaveValue('คนอื่น');
});

test('the open customer is in the address; leaving unsaved changes asks first', async ({
  page,
  signInAs,
  registration,
}) => {
  const customer = await registration.addCustomer();
  await signInAs('registrar');
  await page.goto(`${CUSTOMERS}&q=${customer.name}`);
  await table(page).getByRole('link', { name: customer.name }).click();
  await expect(page).toHaveURL(new RegExp(`customer=${customer.id}`));
  await page.reload();
  const note = drawer(page).getByLabel('หมายเหตุ');
  await note.fill('โทรหลังบ่าย');
  await note.press('Escape');
  const question = page.getByRole('dialog', { name: 'ยังไม่ได้บันทึก' });
  await expect(question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(note).toHaveValue('โทรหลังบ่าย');
  await page.goBack();
  await question.getByRole('button', { name: 'อยู่หน้านี้ต่อ' }).click();
  await drawer(page).getByRole('button', { name: 'บันทึก' }).click();
  await expect(page.getByText(`บันทึกข้อมูลของ ${customer.name} แล้ว`)).toBeVisible();
  await expect(page).not.toHaveURL(/customer=\d/);
});

test('shows conflicting changes of two users side by side', async ({ page, signInAs, registration }) => {
  const customer = await registration.addCustomer({ note: 'เดิม' });
  await signInAs('registrar');
  await page.goto(`${CUSTOMERS}&customer=${customer.id}`);
  await drawer(page).getByLabel('หมายเหตุ').fill('ของฉัน');
  const { id, version } = customer;
  await registration.customers('update', {
    id,
    version,
    note: 'ของเขา',
    email: 'theirs@example.com',
  });
  await drawer(page).getByRole('button', { name: 'บันทึก' }).click();
  const conflict = page.getByRole('dialog', { name: 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว' });
  await expect(conflict.getByRole('radiogroup', { name: 'หมายเหตุ' })).toContainText('ของเขา');
  await conflict.getByRole('button', { name: 'บันทึกตามที่เลือก' }).click();
  await expect(page.getByText(`บันทึกข้อมูลของ ${customer.name} แล้ว`)).toBeVisible();
  const saved = await registration.customers(String(id));
  expect(saved).toMatchObject({ note: 'ของฉัน', email: 'theirs@example.com' });
});

test('merges different fields of two users without asking', async ({ page, signInAs, registration }) => {
  const customer = await registration.addCustomer();
  await signInAs('registrar');
  await page.goto(`${CUSTOMERS}&customer=${customer.id}`);
  await drawer(page).getByLabel('หมายเหตุ').fill('ของฉัน');
  const { id, version } = customer;
  await registration.customers('update', { id, version, email: 'theirs@example.com' });
  await drawer(page).getByRole('button', { name: 'บันทึก' }).click();
  await expect(page.getByText(`บันทึกข้อมูลของ ${customer.name} แล้ว`)).toBeVisible();
  const saved = await registration.customers(String(id));
  expect(saved).toMatchObject({ note: 'ของฉัน', email: 'theirs@example.com' });
});

test('suspending can be undone; deleting asks for confirmation with the name', async ({
  page,
  signInAs,
  registration,
}) => {
  const customer = await registration.addCustomer();
  await signInAs('registrar');
  await page.goto(`${CUSTOMERS}&q=${customer.name}`);
  const row = table(page).getByRole('row').filter({ hasText: customer.name });
  await row.getByRole('button', { name: `จัดการ ${customer.name}` }).click();
  await page.getByRole('menuitem', { name: 'ระงับ' }).click();
  await expect(row).toContainText('ระงับ');
  await page.getByRole('button', { name: 'เลิกทำ' }).click();
  await expect(row).toContainText('ใช้งาน');
  await page.getByLabel('กรองตามสถานะ').selectOption('ระงับ');
  await expect(page.getByText('ไม่พบผู้ใช้บริการตามที่ค้นหา')).toBeVisible();
  await page.goBack();
  await row.getByRole('button', { name: `จัดการ ${customer.name}` }).click();
  await page.getByRole('menuitem', { name: 'ลบผู้ใช้บริการ' }).click();
  const question = page.getByRole('dialog', { name: `ลบ ${customer.name}` });
  await expect(question).toContainText(customer.phone);
  await question.getByRole('button', { name: 'ลบผู้ใช้บริการ' }).click();
  await expect(page.getByText(`ลบ ${customer.name} แล้ว`)).toBeVisible();
  await expect(page.getByText('ไม่พบผู้ใช้บริการตามที่ค้นหา')).toBeVisible();
});

test('a nurse can only read customers', async ({ page, signInAs, registration }) => {
  const customer = await registration.addCustomer();
  await signInAs('nurse');
  await page.goto(`${CUSTOMERS}&q=${customer.name}`);
  await expect(page.getByRole('link', { name: 'เพิ่มผู้ใช้บริการ' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: /^จัดการ / })).toHaveCount(0);
  await table(page).getByRole('link', { name: customer.name }).click();
  await expect(drawer(page).getByText('ท่านดูข้อมูลนี้ได้ แต่แก้ไขไม่ได้')).toBeVisible();
  await expect(drawer(page).getByRole('button', { name: 'บันทึก' })).toHaveCount(0);
});

test('customers: no axe violations, no sideways scrolling', { tag: '@long' }, async ({
  page,
  signInAs,
  registration,
}) => {
  test.slow();
  const patient = await registration.register();
  const patients = [{ patientId: patient.id, relation: 'SELF' }];
  const customer = await registration.addCustomer({ patients });
  await signInAs('registrar');
  await page.goto(`${CUSTOMERS}&q=${customer.name}`);
  await expect(table(page)).toBeVisible();
  await expectNoViolations(page, 'list');
  await inEveryLook(page, () => expectNoSidewaysScroll(page));
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(page.getByRole('list', { name: 'รายชื่อผู้ใช้บริการ' })).toBeVisible();
  await expectNoViolations(page, 'phone');
  await inEveryLook(page, () => expectNoSidewaysScroll(page));
  await page.setViewportSize({ width: 1366, height: 768 });
  await table(page).getByRole('link', { name: customer.name }).click();
  await drawer(page).getByRole('textbox', { name: 'เพิ่มผู้ป่วย' }).fill('สม');
  await expect(page.getByRole('option', { name: /HN/ }).first()).toBeVisible();
  await expectNoViolations(page, 'drawer');
});
