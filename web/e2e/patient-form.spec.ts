import { field, NEW, open, PERSON, test, typePerson, uniqueIdCard, uniqueThai } from './patient-support';
import { expect, expectNoViolations, violations } from './support';

test('registers a patient by keyboard, with address completion', async ({ page, signInAs }) => {
  await open(page, signInAs, 'registrar', NEW);
  const [card, name] = [uniqueIdCard(), uniqueThai('ทดสอบ')];
  await typePerson(page, card, name);
  await expect(page.getByRole('radio', { name: 'ชาย', exact: true })).toBeChecked();
  await expect(page.getByText(/^อายุ \d+ ปี \d+ เดือน \d+ วัน$/)).toBeVisible();
  await field(page, 'ตำบล/แขวง').focus();
  await page.keyboard.type('สุเทพ เชียงใหม่');
  await expect(page.getByRole('option', { name: 'ต.สุเทพ อ.เมืองเชียงใหม่ จ.เชียงใหม่ 50200' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(field(page, 'ตำบล/แขวง')).toHaveValue('สุเทพ');
  await expect(field(page, 'อำเภอ/เขต')).toHaveValue('เมืองเชียงใหม่');
  await expect(field(page, 'จังหวัด')).toHaveValue('เชียงใหม่');
  await expect(field(page, 'รหัสไปรษณีย์')).toHaveValue('50200');
  await field(page, 'รหัสไปรษณีย์').fill('50210');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 2, name: `นาย${name} ใจดี` })).toBeVisible();
  await expect(field(page, 'รหัสไปรษณีย์')).toHaveValue('50210');
  await expect(field(page, 'เลขประจำตัวประชาชน')).toHaveValue(/^8-\d{4}-xxxxx-\d{2}-\d$/);
});

test('shows all errors and focuses the first one', async ({ page, signInAs }) => {
  await open(page, signInAs, 'registrar', NEW);
  await page.getByRole('button', { name: 'ลงทะเบียน', exact: true }).click();
  await expect(field(page, 'เลขประจำตัวประชาชน')).toBeFocused();
  await expect(page.getByText('กรุณากรอกเลขประจำตัวประชาชน')).toBeVisible();
  await expect(page.getByText('กรุณากรอกวันเกิด')).toBeVisible();
  await expect(page.getByRole('button', { name: /ข้อมูลระบุตัวตน ต้องแก้ 6 ช่อง/ })).toBeVisible();
  await field(page, 'เลขประจำตัวประชาชน').fill('1111111111110');
  await expect(page.getByText(/กรุณาตรวจสอบทั้ง 13 หลัก/)).toBeVisible();
});

test('a year of birth alone is enough', async ({ page, signInAs }) => {
  await open(page, signInAs, 'registrar', NEW);
  const name = uniqueThai('ทดสอบ');
  await typePerson(page, uniqueIdCard(), name, '');
  await page.getByText('ทราบเฉพาะปี').click();
  await field(page, 'ปีเกิด').fill('2490');
  await expect(page.getByText(/^อายุ ประมาณ \d+ ปี$/)).toBeVisible();
  await page.keyboard.press('Enter');
  const summary = page.getByRole('region', { name: `นาย${name} ใจดี` });
  await expect(summary).toContainText(/อายุ ประมาณ \d+ ปี \(2490\)/);
  await page.reload();
  await expect(field(page, 'ปีเกิด')).toHaveValue('2490');
});

test('a registered ID card links to its patient', async ({ page, signInAs, registration }) => {
  const card = uniqueIdCard();
  const known = await registration.register({ ...PERSON, idCard: card });
  await open(page, signInAs, 'registrar', NEW);
  await field(page, 'เลขประจำตัวประชาชน').fill(card);
  const link = page.getByRole('link', { name: new RegExp(`HN ${known.hn}`) });
  await expect(link).toBeVisible();
  await typePerson(page, '', uniqueThai('ทดสอบ'));
  await page.getByRole('button', { name: 'ลงทะเบียน', exact: true }).click();
  await expect(page.getByText(`มีผู้ป่วยที่ใช้เลขประจำตัวประชาชนนี้แล้ว HN ${known.hn}`)).toBeVisible();
  await link.click();
  await page.getByRole('button', { name: 'ออกโดยไม่บันทึก' }).click();
  await expect(page.getByRole('heading', { level: 2, name: new RegExp(known.firstName) })).toBeVisible();
});

test('asks about a patient with the same name and birth date', async ({ page, signInAs, registration }) => {
  const known = await registration.register({ ...PERSON, phone: '0812345678' });
  await open(page, signInAs, 'registrar', NEW);
  await typePerson(page, uniqueIdCard(), known.firstName);
  await page.getByRole('button', { name: 'ลงทะเบียน', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'มีผู้ป่วยชื่อและวันเกิดเดียวกัน' });
  await expect(dialog.getByRole('cell', { name: known.hn, exact: true })).toBeVisible();
  await expect(dialog.getByRole('cell', { name: '081-234-5678' })).toBeVisible();
  expect.soft(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'ลงทะเบียนเป็นคนใหม่' }).click();
  await expect(page.getByText(/^ลงทะเบียน .+ แล้ว HN/)).toBeVisible();
  await expect(page).not.toHaveURL(new RegExp(`/${known.id}/edit`));
});

test('asks before leaving unsaved changes', async ({ page, signInAs }) => {
  await open(page, signInAs, 'registrar', NEW);
  await field(page, 'ชื่อ').fill('สมชาย');
  await page.getByRole('link', { name: 'กลับไปรายชื่อ' }).click();
  await page.getByRole('button', { name: 'อยู่หน้านี้ต่อ' }).click();
  await expect(field(page, 'ชื่อ')).toHaveValue('สมชาย');
});

test('no axe violations on the form and the page', { tag: '@long' }, async ({
  page,
  signInAs,
  registration,
}) => {
  test.slow();
  const allergies = [{ substance: 'เพนิซิลลิน', severity: 'SEVERE' }];
  const expired = { rightCode: 'UCS', rightExpires: '2020-01-01' };
  const patient = await registration.register({ ...PERSON, allergies, ...expired, conditions: ['เบาหวาน'] });
  await open(page, signInAs, 'registrar', NEW);
  await page.getByRole('button', { name: 'ลงทะเบียน', exact: true }).click();
  await expect(page.getByText('กรุณาเลือกเพศ')).toBeVisible();
  await expectNoViolations(page, 'register');
  await page.goto(`/app/patient-management/${patient.id}/edit`);
  await expect(page.getByText(/สิทธินี้หมดอายุแล้ว/)).toBeVisible();
  await expectNoViolations(page, 'patient');
});
