import { approved, fillRegistration, registered, signIn, uniqueName } from './accounts';
import { expect, PASSWORD, test } from './support';

test('a registration shows that it waits for approval', async ({ page }) => {
  const { username, submit } = await fillRegistration(page, { name: 'ผู้ขอ เปิดบัญชี', phone: '0812345678' });
  await submit.click();
  await expect(page.getByRole('heading', { name: 'ส่งคำขอแล้ว' })).toBeFocused();
  await expect(page.getByRole('status')).toContainText('ผู้ขอ เปิดบัญชี');
  await page.getByRole('link', { name: 'กลับไปหน้าเข้าสู่ระบบ' }).click();
  await signIn(page, username, PASSWORD);
  await expect(page.getByRole('alert')).toContainText('รอผู้ดูแลระบบอนุมัติ');
});

test('the server rejects a common password at its field', async ({ page }) => {
  const { submit } = await fillRegistration(page, { name: 'รหัสง่าย', password: '1234567890' });
  await submit.click();
  await expect(page.getByText('รหัสผ่านนี้เดาง่ายเกินไป กรุณาเลือกรหัสผ่านอื่น')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'รหัสผ่าน', exact: true })).toBeFocused();
});

test('a password reset does not reveal whether the account exists', async ({ page, request, tokensOf }) => {
  const { accessToken } = await tokensOf(request, 'admin');
  const { email } = await approved(request, accessToken, 'ลืมรหัส');
  const answers: string[] = [];
  for (const address of [email, `${uniqueName('nobody')}@sinakhon.example`]) {
    await page.goto('/forgot-password');
    await page.getByRole('textbox', { name: 'อีเมล' }).fill(address);
    await page.getByRole('button', { name: 'ขอลิงก์' }).click();
    await expect(page.getByRole('heading', { name: 'รับคำขอแล้ว' })).toBeFocused();
    const answer = await page.getByRole('status').textContent();
    answers.push(answer?.replace(address, '…') ?? '');
  }
  expect(answers[0]).toBe(answers[1]);
});

test('without mail an administrator sees the request and hands over a link', async ({
  page,
  request,
  signInAs,
  tokensOf,
  browser,
}) => {
  const { accessToken } = await tokensOf(request, 'admin');
  const { username, email, name } = await approved(request, accessToken, 'ขอลิงก์ใหม่');
  const requested = await request.post('/admin/api/v1.0/auth/forgot-password', { data: { email } });
  expect(requested.status()).toBe(200);
  await signInAs('admin');
  // The request is marked by the server's next background job.
  await expect(async () => {
    await page.goto(`/app/user-management?q=${username}`);
    await expect(page.getByText('ขอรหัสผ่านใหม่')).toBeVisible({ timeout: 2000 });
  }).toPass();
  await page.getByRole('button', { name: `จัดการ ${name}` }).click();
  await page.getByRole('menuitem', { name: 'รหัสผ่านใหม่' }).click();
  const dialog = page.getByRole('dialog', { name: `รหัสผ่านใหม่ของ ${name}` });
  await dialog.getByRole('button', { name: 'สร้างลิงก์' }).click();
  const { pathname, hash } = new URL(await dialog.getByLabel('ลิงก์ตั้งรหัสผ่าน').inputValue());
  await dialog.getByRole('button', { name: 'เสร็จสิ้น' }).click();

  const theirs = await (await browser.newContext()).newPage();
  await theirs.goto(pathname + hash);
  await theirs.getByLabel('รหัสผ่านใหม่', { exact: true }).fill('the ward is quiet tonight');
  await theirs.getByLabel('รหัสผ่านใหม่อีกครั้ง').fill('the ward is quiet tonight');
  await theirs.keyboard.press('Enter');
  await expect(theirs.getByText('ตั้งรหัสผ่านใหม่แล้ว')).toBeVisible();
  await signIn(theirs, username, 'the ward is quiet tonight');
  await expect(theirs).toHaveURL('/app/dashboard');
  await page.reload();
  await expect(page.getByRole('row', { name: username })).toBeVisible();
  await expect(page.getByText('ขอรหัสผ่านใหม่')).toHaveCount(0);
});

test('removes the token from the address bar; without one it shows what to do', async ({ page }) => {
  await page.goto('/reset-password#token=abc');
  await expect(page.getByRole('form', { name: 'ตั้งรหัสผ่านใหม่' })).toBeVisible();
  await expect(page).toHaveURL('/reset-password');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'ลิงก์ไม่สมบูรณ์' })).toBeVisible();
  await page.getByRole('link', { name: 'ขอลิงก์ใหม่' }).click();
  await expect(page).toHaveURL('/forgot-password');
});

test('sign-in explains that an account is pending or suspended', async ({ page, request, tokensOf }) => {
  const { accessToken } = await tokensOf(request, 'admin');
  const { username } = await registered(request, accessToken, 'ยังรออยู่');
  await signIn(page, username, PASSWORD);
  await expect(page.getByRole('alert')).toContainText('รอผู้ดูแลระบบอนุมัติ');
  await signIn(page, 'benjawan.p', PASSWORD);
  await expect(page.getByRole('alert')).toContainText('ถูกระงับ');
});
