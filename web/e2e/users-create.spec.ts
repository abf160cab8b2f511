import { signIn, uniqueName } from './accounts';
import { expect, movePointerAway, test } from './support';

test('an account signs in with its first password and must change it', async ({
  page,
  signInAs,
  browser,
}) => {
  const username = uniqueName('first');
  await signInAs('admin');
  await page.goto('/app/user-management');
  await page.getByRole('link', { name: 'เพิ่มผู้ใช้งาน' }).click();
  await page.getByRole('textbox', { name: 'ชื่อผู้ใช้' }).fill(username);
  await page.getByRole('textbox', { name: 'อีเมล' }).fill(`${username}@sinakhon.example`);
  await page.getByRole('textbox', { name: 'ชื่อ-นามสกุล' }).fill('วนิดา แสงทอง');
  await page.getByRole('combobox', { name: 'บทบาท' }).selectOption('พยาบาล');
  await page.getByRole('radio', { name: /กำหนดรหัสผ่านแรก/ }).check();
  await page.getByRole('button', { name: 'สุ่มรหัสผ่าน' }).click();
  const first = await page.getByRole('textbox', { name: 'รหัสผ่านแรก' }).inputValue();
  await page.getByRole('button', { name: 'เพิ่มผู้ใช้งาน' }).click();
  await expect(page).toHaveURL('/app/user-management');
  await expect(page.getByText('เพิ่มบัญชีของ วนิดา แสงทอง แล้ว')).toBeVisible();

  const theirs = await (await browser.newContext()).newPage();
  await signIn(theirs, username, first);
  await expect(theirs).toHaveURL(/\/app\/change-password/);
  await theirs.getByLabel('รหัสผ่านปัจจุบัน').fill(first);
  await theirs.getByLabel('รหัสผ่านใหม่', { exact: true }).fill('the ward is quiet tonight');
  await theirs.getByLabel('รหัสผ่านใหม่อีกครั้ง').fill('the ward is quiet tonight');
  await theirs.getByRole('button', { name: 'บันทึกรหัสผ่านใหม่' }).click();
  await expect(theirs).toHaveURL('/app/dashboard');
});

test('without mail an invitation shows the link, which works once', async ({ page, signInAs, browser }) => {
  const username = uniqueName('invited');
  await signInAs('admin');
  await page.goto('/app/user-management/create');
  await page.getByRole('textbox', { name: 'ชื่อผู้ใช้' }).fill(username);
  await page.getByRole('textbox', { name: 'อีเมล' }).fill(`${username}@sinakhon.example`);
  await page.getByRole('textbox', { name: 'ชื่อ-นามสกุล' }).fill('ธนพร ใจเย็น');
  await page.getByRole('combobox', { name: 'บทบาท' }).selectOption('เวชระเบียน');
  await page.getByRole('button', { name: 'เพิ่มผู้ใช้งาน' }).click();
  await expect(page.getByRole('heading', { name: 'เพิ่มบัญชีของ ธนพร ใจเย็น แล้ว' })).toBeFocused();
  const link = await page.getByLabel('ลิงก์ตั้งรหัสผ่าน').inputValue();
  expect(link).toContain('/reset-password#token=');
  await expect(page.getByText(/ใช้ได้ถึง \d+ .* 25\d\d/)).toBeVisible();

  const { pathname, hash } = new URL(link);
  const theirs = await (await browser.newContext()).newPage();
  await theirs.goto(pathname + hash);
  await expect(theirs).toHaveURL('/reset-password');
  await theirs.getByLabel('รหัสผ่านใหม่', { exact: true }).fill('the ward is quiet tonight');
  await theirs.getByLabel('รหัสผ่านใหม่อีกครั้ง').fill('the ward is quiet tonight');
  await theirs.getByRole('button', { name: 'บันทึกรหัสผ่านใหม่' }).click();
  await expect(theirs).toHaveURL('/login');
  await signIn(theirs, username, 'the ward is quiet tonight');
  await expect(theirs).toHaveURL('/app/dashboard');

  const again = await (await browser.newContext()).newPage();
  await again.goto(pathname + hash);
  await again.getByLabel('รหัสผ่านใหม่', { exact: true }).fill('another password again');
  await again.getByLabel('รหัสผ่านใหม่อีกครั้ง').fill('another password again');
  await again.getByRole('button', { name: 'บันทึกรหัสผ่านใหม่' }).click();
  await expect(again.getByRole('heading', { name: 'ลิงก์นี้ใช้ไม่ได้แล้ว' })).toBeFocused();
  await again.getByRole('link', { name: 'ขอลิงก์ใหม่' }).click();
  await expect(again).toHaveURL('/forgot-password');
});

test('shows a duplicate username at its field', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto('/app/user-management/create');
  await page.getByRole('textbox', { name: 'ชื่อผู้ใช้' }).fill('NURSE');
  await page.getByRole('textbox', { name: 'อีเมล' }).fill(`${uniqueName('x')}@sinakhon.example`);
  await page.getByRole('textbox', { name: 'ชื่อ-นามสกุล' }).fill('คนที่สอง');
  await page.getByRole('combobox', { name: 'บทบาท' }).selectOption('พยาบาล');
  await page.getByRole('button', { name: 'เพิ่มผู้ใช้งาน' }).click();
  await expect(page.getByText('มีผู้ใช้ชื่อนี้แล้ว')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'ชื่อผู้ใช้' })).toBeFocused();
  await expect(page.getByRole('textbox', { name: 'ชื่อ-นามสกุล' })).toHaveValue('คนที่สอง');
});

test('adds an account by keyboard', async ({ page, signInAs }) => {
  const username = uniqueName('keys');
  await signInAs('admin');
  await page.goto('/app/user-management');
  await page.getByRole('link', { name: 'เพิ่มผู้ใช้งาน' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'เพิ่มผู้ใช้งาน' })).toBeVisible();
  await page.getByRole('textbox', { name: 'ชื่อผู้ใช้' }).focus();
  for (const text of [
    username,
    `${username}@sinakhon.example`,
    'คีย์บอร์ด ล้วนล้วน',
    '0812345678',
    'พยาบาล',
    '',
  ]) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  await expect(page.getByRole('combobox', { name: 'บทบาท' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('radio', { name: /ส่งคำเชิญ/ })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await page.keyboard.type('a first password');
  await page.keyboard.press('Enter');
  await expect(page.getByText('เพิ่มบัญชีของ คีย์บอร์ด ล้วนล้วน แล้ว')).toBeVisible();
});

test('a link, Back and a reload ask before losing unsaved changes', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto('/app/user-management');
  await page.getByRole('link', { name: 'เพิ่มผู้ใช้งาน' }).click();
  const name = page.getByRole('textbox', { name: 'ชื่อ-นามสกุล' });
  await name.fill('ยังไม่บันทึก');
  await page.getByRole('link', { name: 'กลับ', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'ยังไม่ได้บันทึก' });
  await dialog.getByRole('button', { name: 'อยู่หน้านี้ต่อ' }).click();
  await expect(dialog).toBeHidden();
  await expect(name).toHaveValue('ยังไม่บันทึก');
  await page.goBack();
  await movePointerAway(page);
  await dialog.getByRole('button', { name: 'อยู่หน้านี้ต่อ' }).click();
  await expect(page).toHaveURL('/app/user-management/create');
  const requested = page.waitForEvent('dialog');
  await page.evaluate(() => void setTimeout(() => location.reload()));
  await (await requested).dismiss();
  await expect(name).toHaveValue('ยังไม่บันทึก');
  await page.getByRole('link', { name: 'กลับ', exact: true }).click();
  await dialog.getByRole('button', { name: 'ออกโดยไม่บันทึก' }).click();
  await expect(page).toHaveURL('/app/user-management');
});
