import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expectNoSidewaysScroll } from './accounts';
import { filled } from './all-screens';
import { dashed, dashedPhone, fullName, test, uniqueIdCard, uniqueThai } from './patient-support';
import { expect, expectNoViolations, inEveryLook, searchRequest } from './support';

const LIST = '/app/patient-management';
const table = (page: Page) => page.getByRole('table', { name: 'รายชื่อผู้ป่วย' });
const searchBox = (page: Page) => page.getByRole('main').getByRole('searchbox');

test('finds a patient by name, number, phone and ID card', async ({ page, signInAs, registration }) => {
  const idCard = uniqueIdCard();
  const patient = await registration.register({ firstName: uniqueThai('น้อย'), idCard });
  await signInAs('registrar');
  await page.goto(LIST);
  const typed = {
    'a fragment of the name': patient.firstName.slice(3, 12),
    'first and last name': `${patient.firstName} ${patient.lastName}`,
    'a wrong tone mark': patient.firstName.replace('น้อย', 'น่อย'),
    'the HN without zeros': patient.hn.replace(/^0+/, ''),
    'the phone with dashes': dashedPhone(patient.phone),
    'the ID card with dashes': dashed(idCard),
  };
  for (const [what, text] of Object.entries(typed)) {
    await test.step(what, async () => {
      const requested = searchRequest(page, '/patients/list', text);
      await searchBox(page).fill(text);
      await requested;
      expect(page.url()).toMatch(/patient-management$/);
      const link = table(page).getByRole('link', { name: fullName(patient) });
      await expect(link).toBeVisible();
      // Other numbers may contain the digits: the exact match is first.
      if (/^[\d-]+$/.test(text)) await expect(table(page).getByRole('row').nth(1)).toContainText(patient.hn);
    });
  }
});

test('a row shows the masked ID card and the allergies, and opens the patient', async ({
  page,
  signInAs,
  registration,
}) => {
  const allergies = [{ substance: 'เพนิซิลลิน', severity: 'SEVERE' }];
  const own = uniqueIdCard();
  const patient = await registration.register({ allergies, idCard: own });
  await signInAs('registrar');
  await page.goto(`${LIST}?q=${patient.lastName}`);
  const row = table(page).getByRole('row').filter({ hasText: patient.hn });
  await expect(row).toContainText(`${own[0]}-${own.slice(1, 5)}-xxxxx-${own.slice(10, 12)}-${own[12]}`);
  await expect(row).not.toContainText(own);
  await expect(row).toContainText('5 พ.ค. 2523');
  await expect(row.getByRole('img', { name: 'แพ้ เพนิซิลลิน' })).toBeVisible();
  const link = row.getByRole('link', { name: fullName(patient) });
  await expect(link).toHaveAttribute('href', `${LIST}/${patient.id}/edit`);
  await row.getByText(patient.hn).click();
  await expect(page).toHaveURL(`${LIST}/${patient.id}/edit`);
});

test('filters, order and page are in the address and survive a reload and Back', async ({
  page,
  signInAs,
}) => {
  await signInAs('registrar');
  await page.goto(LIST);
  await page.getByLabel('เพศ').selectOption('หญิง');
  await expect(page).toHaveURL(/sex=F/);
  await page.getByLabel('สิทธิการรักษา').selectOption('UCS');
  await expect(page).toHaveURL(/right=UCS/);
  await page.getByRole('combobox', { name: 'จังหวัด' }).fill('เชียงให');
  await page.getByRole('option', { name: 'เชียงใหม่' }).click();
  await page.getByLabel('อายุตั้งแต่ (ปี)').fill('๒๐');
  await page.getByLabel('ถึงอายุ (ปี)').fill('90');
  await expect(page).toHaveURL(/ageTo=90/);
  await table(page).getByRole('button', { name: 'HN' }).click();
  await expect(page).toHaveURL(/sort=hn/);
  const address = new URL(page.url()).searchParams;
  expect(Object.fromEntries(address)).toEqual({
    sex: 'F',
    right: 'UCS',
    province: 'เชียงใหม่',
    ageFrom: '20',
    ageTo: '90',
    sort: 'hn',
  });
  await expect(table(page).getByRole('row').nth(1)).toContainText('หญิง');
  await filled(page);
  // The rows of the previous order are shown until the sorted ones arrive.
  await expect.poll(async () => isSorted(await hns(page))).toBe(true);
  const rows = await table(page).getByRole('row').allTextContents();
  await page.reload();
  await expect(page.getByLabel('เพศ')).toHaveValue('F');
  await expect(page.getByLabel('อายุตั้งแต่ (ปี)')).toHaveValue('20');
  await expect.poll(() => table(page).getByRole('row').allTextContents()).toEqual(rows);
  await page.getByRole('button', { name: 'ล้างตัวกรอง' }).click();
  await expect(page).toHaveURL(`${LIST}?sort=hn`);
  await page.goBack();
  await expect(page).toHaveURL(/sex=F/);
  await expect(page.getByLabel('อายุตั้งแต่ (ปี)')).toHaveValue('20');
  await expect(page.getByLabel('ถึงอายุ (ปี)')).toHaveValue('90');
});

test('rejects an invalid age; the older limit adapts', async ({ page, signInAs }) => {
  await signInAs('registrar');
  await page.goto(`${LIST}?ageFrom=20&ageTo=30`);
  await page.getByLabel('อายุตั้งแต่ (ปี)').fill('140');
  await expect(page.getByText('กรอก 0–130')).toBeVisible();
  await expect(page).toHaveURL(/ageFrom=20/);
  await page.getByLabel('อายุตั้งแต่ (ปี)').fill('40');
  await expect(page).toHaveURL(`${LIST}?ageFrom=40`);
  await expect(page.getByLabel('ถึงอายุ (ปี)')).toHaveValue('');
});

test('an empty result offers to clear the filters and to register the name', async ({ page, signInAs }) => {
  await signInAs('registrar');
  const name = uniqueThai('ไม่มี');
  await page.goto(`${LIST}?q=${name}&sex=M`);
  await expect(page.getByText('ไม่พบผู้ป่วยตามที่ค้นหา')).toBeVisible();
  await page.getByRole('link', { name: `ลงทะเบียน “${name}”` }).click();
  await expect(page).toHaveURL(`${LIST}/create`);
  await expect(page.getByRole('textbox', { name: 'ชื่อ', exact: true })).toHaveValue(name);
  await page.goBack();
  await page.getByRole('main').getByRole('button', { name: 'ล้างตัวกรอง' }).last().click();
  await expect(page).toHaveURL(LIST);
  await expect(table(page)).toBeVisible();
});

test('opens a patient from the search by keyboard', async ({ page, signInAs, registration }) => {
  const lastName = uniqueThai('คีย์');
  const first = await registration.register({ firstName: 'กอ', lastName });
  const second = await registration.register({ firstName: 'ขอ', lastName });
  await signInAs('registrar');
  await page.goto(LIST);
  await expect(table(page)).toBeVisible();
  await page.keyboard.press('/');
  await expect(searchBox(page)).toBeFocused();
  await page.keyboard.insertText(lastName);
  await expect(table(page).getByRole('row')).toHaveCount(3);
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('link', { name: fullName(first) })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('link', { name: fullName(second) })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${LIST}/${second.id}/edit`);
});

test('exports the filtered list as CSV with a Thai file name and no formulas', async ({
  page,
  signInAs,
  registration,
}) => {
  const lastName = uniqueThai('ส่งออก');
  await registration.register({ firstName: '=HYPERLINK("x")', lastName });
  await signInAs('registrar');
  await page.goto(`${LIST}?q=${lastName}`);
  await expect(table(page).getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: 'ส่งออก' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/[ก-๙].*\.csv$/);
  await expect(page.getByText(`ดาวน์โหลด ${download.suggestedFilename()} แล้ว`)).toBeVisible();
  const bytes = await readFile(await download.path());
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  const text = bytes.toString('utf8');
  expect(text).toContain(lastName);
  expect(text).toContain('HYPERLINK');
  expect(text).not.toMatch(/(^|,|\n)"?=HYPERLINK/);
  expect(text.trim().split('\n')).toHaveLength(2);
});

test('exports full ID card numbers with a reason', async ({ page, signInAs, registration }) => {
  const [idCard, lastName] = [uniqueIdCard(), uniqueThai('เบิก')];
  await registration.register({ lastName, idCard });
  await signInAs('registrar');
  await page.goto(`${LIST}?q=${lastName}`);
  await expect(table(page).getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: 'ส่งออก' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'รวมเลขประจำตัวประชาชนทุกหลัก' }).click();
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  const dialog = page.getByRole('dialog', { name: 'ส่งออกพร้อมเลขประจำตัวประชาชน' });
  await dialog.getByLabel('เหตุผล').fill('ส่งเบิก สปสช.');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'ส่งออก' }).click(),
  ]);
  expect(await readFile(await download.path(), 'utf8')).toContain(idCard);
  await expect(dialog).toBeHidden();
});

test('exports the list as a workbook', async ({ page, signInAs }) => {
  await signInAs('registrar');
  await page.goto(LIST);
  await page.getByRole('button', { name: 'ส่งออก' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Excel' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/[ก-๙].*\.xlsx$/);
  const bytes = await readFile(await download.path());
  expect(bytes.subarray(0, 2).toString()).toBe('PK');
});

test('an export can be cancelled; a rejected one shows the reason', async ({ page, signInAs }) => {
  await signInAs('registrar');
  await page.goto(LIST);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/patients/export', async (route) => {
    await held;
    // The browser has aborted the request by then.
    await route.abort().catch(() => {});
  });
  await page.getByRole('button', { name: 'ส่งออก' }).click();
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  await expect(page.getByText('กำลังเตรียมไฟล์')).toBeVisible();
  await page.getByRole('button', { name: 'ยกเลิกการดาวน์โหลด' }).click();
  await expect(page.getByText('ยกเลิกการดาวน์โหลดแล้ว')).toBeVisible();
  release();
  await page.unroute('**/patients/export');
  const error = { code: 'UNAVAILABLE', message: 'ระบบไม่พร้อมให้บริการ', requestId: 'req-9' };
  await page.route('**/patients/export', (route) =>
    route.fulfill({ status: 503, json: { success: false, error } }),
  );
  await page.getByRole('button', { name: 'ส่งออก' }).click();
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  await expect(page.getByText('ระบบไม่พร้อมให้บริการ')).toBeVisible();
  await expect(page.getByText('รหัสอ้างอิง req-9')).toBeVisible();
});

test('a doctor sees the patients, but no customers, registration or export', async ({ page, signInAs }) => {
  await signInAs('doctor');
  await page.goto(LIST);
  await expect(table(page)).toBeVisible();
  await expect(page.getByRole('tab')).toHaveText(['ผู้ป่วย']);
  await expect(page.getByRole('link', { name: 'ลงทะเบียนผู้ป่วย' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'ส่งออก' })).toHaveCount(0);
  await page.goto(`${LIST}?tab=customers`);
  await expect(page.getByText('CUSTOMER.SHOW')).toBeVisible();
});

test('prints only the list', async ({ page, signInAs }) => {
  await signInAs('registrar');
  await page.goto(`${LIST}?sex=F`);
  await expect(table(page)).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('heading', { name: 'รายชื่อผู้ป่วย' })).toBeVisible();
  await expect(page.getByText('เพศ หญิง')).toBeVisible();
  for (const gone of [searchBox(page), page.getByRole('tab'), page.getByRole('button', { name: 'พิมพ์' })]) {
    await expect(gone.first()).toBeHidden();
  }
});

test('no axe violations on the list, no sideways scrolling', { tag: '@long' }, async ({ page, signInAs }) => {
  test.slow();
  await signInAs('registrar');
  for (const path of [`${LIST}?q=ไม่มีใครชื่อนี้เลย`, LIST]) {
    await page.goto(path);
    // Opening the same address again is a reload, which keeps the search text.
    if (path === LIST) await searchBox(page).clear();
    await expect(path === LIST ? table(page) : page.getByText('ไม่พบผู้ป่วยตามที่ค้นหา')).toBeVisible();
    await expectNoViolations(page, path);
    await inEveryLook(page, () => expectNoSidewaysScroll(page));
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'ตัวกรอง' }).click();
  await expect(page.getByLabel('เพศ')).toBeVisible();
  await expect(page.getByRole('list', { name: 'รายชื่อผู้ป่วย' })).toBeVisible();
  await expectNoViolations(page, 'phone');
  await inEveryLook(page, () => expectNoSidewaysScroll(page));
});

const hns = async (page: Page) =>
  (await table(page).getByRole('row').allTextContents()).slice(1).map((text) => text.slice(0, 7));

const isSorted = (list: string[]) => list.join() === [...list].sort().join();
