import { cookieNames, expect, PASSWORD, test } from './support';

const WRONG = 'ชื่อผู้ใช้หรือรหัสผ่านไม่ถูกต้อง';

test.beforeEach(async ({ page }) => {
  await page.goto('/login');
});

test('shows the hospital’s name and focuses the username', async ({ page }) => {
  await expect(page).toHaveTitle('เข้าสู่ระบบ · โรงพยาบาลศรีนคร');
  await expect(page.getByText('โรงพยาบาลศรีนคร')).toBeVisible();
  await expect(page.getByLabel('ชื่อผู้ใช้หรืออีเมล')).toBeFocused();
});

test('rejects a wrong password in Thai with a request id', async ({ page }) => {
  // Not one of the sample users: failures lock a username for a while.
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill('unknown-user');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'เข้าสู่ระบบ' }).click();
  const alert = page.getByRole('alert');
  await expect(alert).toContainText(WRONG);
  await expect(alert).toContainText(/รหัสอ้างอิง \S+/);
  await expect(page.getByLabel('รหัสผ่าน', { exact: true })).toHaveValue('not the password');
  await expect(page).toHaveURL('/login');
  expect(await cookieNames(page)).toEqual([]);
});

test('the right password opens the dashboard, with both tokens in cookies', async ({ page }) => {
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill('nurse');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/app/dashboard');
  await expect(page.getByRole('heading', { level: 1, name: 'แดชบอร์ด' })).toBeVisible();
  await expect(page.getByRole('button', { name: /กมลชนก ศรีสวัสดิ์ พยาบาล/ })).toBeVisible();
  const cookies = await page.context().cookies();
  expect(cookies.map(({ name }) => name).sort()).toEqual(['access_token', 'smq_access_token']);
  for (const cookie of cookies) {
    expect(cookie).toMatchObject({ path: '/', sameSite: 'Strict' });
    expect(cookie.expires * 1000).toBeGreaterThan(Date.now());
  }
});

test('signs in with the e-mail address', async ({ page }) => {
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill('executive@sinakhon.example');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: /ดร.วิภาวี จันทร์เพ็ญ ผู้บริหาร/ })).toBeVisible();
});

test('does not sign in unless the response is 200 with success', async ({ page }) => {
  await page.route('**/auth/login', (route) =>
    route.fulfill({ status: 200, json: { success: false, data: { accessToken: 'x' } } }),
  );
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill('nurse');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toBeVisible();
  expect(await cookieNames(page)).toEqual([]);
});

test('many clicks send one request', async ({ page }) => {
  let requests = 0;
  await page.route('**/auth/login', async (route) => {
    requests += 1;
    await new Promise((resolve) => setTimeout(resolve, 200));
    await route.continue();
  });
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill('queue');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(PASSWORD);
  const form = page.getByRole('form', { name: 'เข้าสู่ระบบ' });
  await form.evaluate((element: HTMLFormElement) => {
    for (let i = 0; i < 3; i++) element.requestSubmit();
  });
  await expect(page).toHaveURL('/app/dashboard');
  expect(requests).toBe(1);
});

for (const [link, path, title] of [
  ['ลืมรหัสผ่าน?', '/forgot-password', 'ลืมรหัสผ่าน'],
  ['ขอเปิดบัญชีผู้ใช้งาน', '/register', 'ขอเปิดบัญชีผู้ใช้งาน'],
] as const) {
  test(`links to ${path} and back`, async ({ page }) => {
    await page.getByRole('link', { name: link }).click();
    await expect(page).toHaveURL(path);
    await expect(page).toHaveTitle(`${title} · โรงพยาบาลศรีนคร`);
    await page
      .getByRole('main')
      .getByRole('link', { name: /เข้าสู่ระบบ/ })
      .click();
    await expect(page).toHaveURL('/login');
  });
}
