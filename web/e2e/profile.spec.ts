import { approved, oneTimeCode, pageOf, signIn } from './accounts';
import { expect, logIn, PASSWORD, test } from './support';

test('the account menu opens the profile', async ({ page, signInAs }) => {
  await signInAs('nurse');
  await page.goto('/app/dashboard');
  await page.getByRole('button', { name: /^บัญชีของ/ }).click();
  await page.getByRole('menuitem', { name: 'ข้อมูลของฉันและความปลอดภัย' }).click();
  await expect(page).toHaveURL('/app/profile');
  await expect(page.getByRole('heading', { level: 1, name: 'ข้อมูลของฉัน' })).toBeVisible();
  await expect(page.getByText('พยาบาลวิชาชีพชำนาญการ')).toBeVisible();
});

test('two-factor authentication: set up, required at the next sign-in, and turned off', async ({
  request,
  tokensOf,
  browser,
  baseURL,
}) => {
  const { accessToken } = await tokensOf(request, 'admin');
  const { username } = await approved(request, accessToken, 'สองขั้น ปลอดภัย');
  const page = await pageOf(browser, baseURL, username);
  await page.goto('/app/profile');
  await page.getByRole('button', { name: 'เปิดใช้ยืนยันตัวตนสองขั้น' }).click();
  const setUp = page.getByRole('form', { name: 'เปิดใช้ยืนยันตัวตนสองขั้น' });
  await setUp.getByLabel('รหัสผ่านปัจจุบัน').fill('not my password');
  await page.keyboard.press('Enter');
  await expect(setUp.getByText('รหัสผ่านปัจจุบันไม่ถูกต้อง')).toBeVisible();
  await setUp.getByLabel('รหัสผ่านปัจจุบัน').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(setUp.getByRole('img', { name: 'คิวอาร์โค้ดสำหรับแอปยืนยันตัวตน' })).toBeVisible();
  const secret = await setUp.getByLabel('หรือพิมพ์รหัสลับนี้ในแอป').inputValue();
  const code = setUp.getByLabel('รหัส 6 หลักที่แอปแสดง');
  await expect(code).toBeFocused();
  await code.fill('12');
  await page.keyboard.press('Enter');
  await expect(setUp.getByText('กรุณากรอกรหัสเป็นตัวเลข 6 หลัก')).toBeVisible();
  await code.fill(oneTimeCode(secret));
  await page.keyboard.press('Enter');
  await expect(page.getByText('เปิดใช้ยืนยันตัวตนสองขั้นแล้ว')).toBeVisible();
  await expect(page.getByText('เปิดใช้อยู่')).toBeVisible();

  await page.getByRole('button', { name: 'ออกจากระบบ' }).click();
  await expect(page).toHaveURL('/login');
  await signIn(page, username, PASSWORD);
  const otp = page.getByLabel('รหัสยืนยัน 6 หลัก');
  await expect(otp).toBeFocused();
  // A code is valid once; the server also accepts the next one.
  await otp.fill(oneTimeCode(secret, 1));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/app/dashboard');

  await page.goto('/app/profile');
  await page.getByRole('button', { name: 'ปิดยืนยันตัวตนสองขั้น' }).click();
  const turnOff = page.getByRole('form', { name: 'ปิดยืนยันตัวตนสองขั้น' });
  await expect(turnOff.getByLabel('รหัสผ่านปัจจุบัน')).toBeFocused();
  await turnOff.getByLabel('รหัสผ่านปัจจุบัน').fill(PASSWORD);
  await turnOff.getByLabel('รหัส 6 หลักที่แอปแสดง').fill('000000');
  await page.keyboard.press('Enter');
  await expect(turnOff.getByText('รหัสยืนยัน 6 หลักไม่ถูกต้องหรือหมดเวลาแล้ว')).toBeVisible();
});

test('other sessions can be ended one by one or all at once', async ({
  request,
  tokensOf,
  browser,
  baseURL,
}) => {
  const { accessToken } = await tokensOf(request, 'admin');
  const { username } = await approved(request, accessToken, 'หลายเครื่อง');
  const other = await pageOf(browser, baseURL, username);
  await logIn(request, username);
  await logIn(request, username);
  const page = await pageOf(browser, baseURL, username);
  await page.goto('/app/profile');
  const list = page.getByRole('list', { name: 'เครื่องที่เข้าใช้งานอยู่' });
  await expect(list.getByRole('listitem')).toHaveCount(4);
  await expect(list.getByText('เครื่องนี้')).toHaveCount(1);
  await list
    .getByRole('button', { name: /^ให้ .* ออกจากระบบ$/ })
    .first()
    .click();
  await expect(list.getByRole('listitem')).toHaveCount(3);
  await page.getByRole('button', { name: 'ให้เครื่องอื่นออกจากระบบทั้งหมด' }).click();
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'ให้เครื่องอื่นออกจากระบบทั้งหมด' })).toHaveCount(0);
  await other.goto('/app/profile');
  await expect(other).toHaveURL(/\/login/);
});

test('a new password keeps this session and clears the form', async ({
  request,
  tokensOf,
  browser,
  baseURL,
}) => {
  const { accessToken } = await tokensOf(request, 'admin');
  const { username } = await approved(request, accessToken, 'เปลี่ยนรหัส');
  const page = await pageOf(browser, baseURL, username);
  await page.goto('/app/profile');
  const form = page.getByRole('form', { name: 'เปลี่ยนรหัสผ่าน' });
  await form.getByLabel('รหัสผ่านปัจจุบัน').fill(PASSWORD);
  await form.getByLabel('รหัสผ่านใหม่', { exact: true }).fill('the ward is quiet tonight');
  await form.getByLabel('รหัสผ่านใหม่อีกครั้ง').fill('the ward is quiet tonight');
  await form.getByRole('button', { name: 'บันทึกรหัสผ่านใหม่' }).click();
  await expect(page.getByText('เปลี่ยนรหัสผ่านแล้ว')).toBeVisible();
  await expect(form.getByLabel('รหัสผ่านปัจจุบัน')).toHaveValue('');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'ข้อมูลของฉัน' })).toBeVisible();
  await logIn(request, username, 'the ward is quiet tonight');
});
