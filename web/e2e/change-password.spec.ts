import { expect, logIn, test } from './support';

const FIRST = 'first-secret-of-mine';
const NEXT = 'river-stone-4711-lamp';

/** A user of this test only, whose first password must be changed. */
async function newUser(request: Parameters<typeof logIn>[0], username: string) {
  const { accessToken } = await logIn(request, 'admin');
  const headers = { Authorization: `Bearer ${accessToken}` };
  const roles = await (await request.get('/admin/api/v1/role/list', { headers })).json();
  const nurse = roles.data.find((role: { name: string }) => role.name === 'NURSE');
  const created = await request.post('/admin/api/v1.0/user-admin/create', {
    headers,
    data: { username, email: `${username}@test.example`, name: 'นวล ใหม่', roleId: nurse.id, password: FIRST },
  });
  expect(created.status(), await created.text()).toBe(200);
}

test('the first password must be changed before anything else', async ({ page, request }) => {
  const username = `newcomer-${Date.now()}`;
  await newUser(request, username);
  await page.goto('/login?redirect=/app/appointment/list');
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill(username);
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(FIRST);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'เปลี่ยนรหัสผ่าน' })).toBeVisible();
  await expect(page.getByText('กรุณาเปลี่ยนรหัสผ่านก่อนเริ่มใช้งาน')).toBeVisible();

  // It cannot be bypassed.
  await page.goto('/app/dashboard');
  await expect(page).toHaveURL('/app/change-password?redirect=%2Fapp%2Fdashboard');
  await page.goto('/app/change-password?redirect=/app/appointment/list');

  const fill = async (current: string, next: string) => {
    await page.getByLabel('รหัสผ่านปัจจุบัน').fill(current);
    await page.getByLabel('รหัสผ่านใหม่', { exact: true }).fill(next);
    await page.getByLabel('รหัสผ่านใหม่อีกครั้ง').fill(next);
    await page.getByRole('button', { name: 'บันทึกรหัสผ่านใหม่' }).click();
  };
  await fill(FIRST, 'short');
  await expect(page.getByText('รหัสผ่านต้องมีอย่างน้อย 10 ตัวอักษร', { exact: true })).toBeVisible();
  // The server's messages at their fields.
  await fill('not my password', NEXT);
  await expect(page.getByText('รหัสผ่านปัจจุบันไม่ถูกต้อง')).toBeVisible();
  await expect(page.getByLabel('รหัสผ่านปัจจุบัน')).toBeFocused();
  await fill(FIRST, 'password1234');
  await expect(page.getByText(/เดาง่าย/)).toBeVisible();
  await fill(FIRST, NEXT);
  await expect(page.getByText('เปลี่ยนรหัสผ่านแล้ว')).toBeVisible();
  await expect(page).toHaveURL('/app/appointment/list');

  await page.getByRole('button', { name: 'ออกจากระบบ' }).click();
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill(username);
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(NEXT);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/app/dashboard');
});

test('a response that requires a password change redirects there', async ({ page, signInAs }) => {
  await signInAs('queue');
  await page.route('**/auth/permissions', (route) =>
    route.fulfill({
      status: 403,
      json: { success: false, error: { code: 'PASSWORD_CHANGE_REQUIRED', message: 'x', requestId: 'y' } },
    }),
  );
  await page.goto('/app/appointment/list');
  await expect(page).toHaveURL('/app/change-password?redirect=%2Fapp%2Fappointment%2Flist');
});

test('a user can change the password or cancel', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto('/app/dashboard');
  await page.getByRole('button', { name: /^บัญชีของ/ }).click();
  await page.getByRole('menuitem', { name: 'เปลี่ยนรหัสผ่าน' }).click();
  await expect(page).toHaveURL('/app/change-password');
  await expect(page.getByText('กรุณาเปลี่ยนรหัสผ่านก่อนเริ่มใช้งาน')).toHaveCount(0);
  await page.getByRole('link', { name: 'กลับหน้าหลัก' }).click();
  await expect(page).toHaveURL('/app/dashboard');
});
