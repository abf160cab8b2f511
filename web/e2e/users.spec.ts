import { adminCall, approved, pageOf, registered, signIn, uniqueName } from './accounts';
import { expect, movePointerAway, PASSWORD, test } from './support';

const LIST = 'รายชื่อผู้ใช้งาน';

test.describe('the list', () => {
  test.beforeEach(async ({ signInAs }) => signInAs('admin'));

  test('filters and sort are in the address; Back and a reload restore them and the search text', async ({
    page,
  }) => {
    await page.goto('/app/user-management');
    const table = page.getByRole('table', { name: LIST });
    await expect(table.getByRole('link', { name: 'กมลชนก ศรีสวัสดิ์' })).toBeVisible();
    await page.getByRole('searchbox').fill('krit');
    await expect(table.getByRole('row')).toHaveCount(2);
    await expect(page).toHaveURL('/app/user-management');
    await page.getByRole('combobox', { name: 'กรองตามสถานะ' }).selectOption('ระงับ');
    await expect(page.getByText('ไม่พบผู้ใช้งานตามที่ค้นหา')).toBeVisible();
    await page.goBack();
    await expect(table.getByRole('link', { name: 'ทพ.กฤษณ์ ลิ้มเจริญ' })).toBeVisible();
    await page.reload();
    await expect(page.getByRole('searchbox')).toHaveValue('krit');
    await expect(table.getByRole('row')).toHaveCount(2);
    await page.getByRole('button', { name: 'ล้างคำค้น' }).click();
    await expect(page).toHaveURL('/app/user-management');
    await table.getByRole('button', { name: 'ชื่อผู้ใช้' }).click();
    await expect(page).toHaveURL(/sort=username/);
    await movePointerAway(page);
    await table.getByRole('button', { name: 'ชื่อผู้ใช้ เรียงจากน้อยไปมาก' }).click();
    await expect(page).toHaveURL(/sort=-username/);
  });

  test('ignores invalid search parameters', async ({ page }) => {
    await page.goto('/app/user-management?page=-3&sort=password&status=NOBODY&tab=nothing&q=12');
    await expect(page.getByRole('tab', { name: 'ผู้ใช้งาน' })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('searchbox')).toHaveValue('12');
  });

  test('shows a failed load and retries it', async ({ page }) => {
    await page.route('**/user-admin/list', (route) =>
      route.fulfill({
        status: 403,
        json: { success: false, error: { code: 'FORBIDDEN', message: 'คุณไม่มีสิทธิ์', requestId: 'req-9' } },
      }),
    );
    await page.goto('/app/user-management');
    await expect(page.getByRole('alert')).toContainText('รหัสอ้างอิง req-9');
    await page.unroute('**/user-admin/list');
    await page.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
    await expect(page.getByRole('table', { name: LIST })).toBeVisible();
  });
});

test('a pending account is approved with a role, and can then sign in', async ({
  page,
  request,
  signInAs,
  tokensOf,
  browser,
}) => {
  const { accessToken } = await tokensOf(request, 'admin');
  const { username, name } = await registered(request, accessToken, 'รอการอนุมัติ');
  await signInAs('admin');
  await page.goto('/app/user-management');
  await page.getByRole('button', { name: /^รออนุมัติ \d+$/ }).click();
  await expect(page).toHaveURL(/status=PENDING/);
  await page.getByRole('searchbox').fill(username);
  const row = page.getByRole('row', { name: username });
  await row.getByRole('button', { name: `อนุมัติ ${name}` }).click();
  const dialog = page.getByRole('dialog', { name: `อนุมัติ ${name}` });
  await dialog.getByRole('button', { name: 'อนุมัติ' }).click();
  await expect(dialog.getByText('กรุณาเลือกบทบาท')).toBeVisible();
  await dialog.getByRole('combobox', { name: 'บทบาท' }).selectOption('พยาบาล');
  await dialog.getByRole('button', { name: 'อนุมัติ' }).click();
  await expect(page.getByText(`อนุมัติบัญชีของ ${name} แล้ว`)).toBeVisible();
  await expect(page.getByText('ไม่มีบัญชีที่รออนุมัติ')).toBeVisible();
  const theirs = await (await browser.newContext()).newPage();
  await signIn(theirs, username, PASSWORD);
  await expect(theirs).toHaveURL('/app/dashboard');
});

test('suspending a user ends the session at once and can be undone', async ({
  page,
  request,
  signInAs,
  tokensOf,
  browser,
  baseURL,
}) => {
  const { accessToken } = await tokensOf(request, 'admin');
  const { username, name } = await approved(request, accessToken, 'พักงาน ชั่วคราว', 'REGISTRAR');
  const theirs = await pageOf(browser, baseURL, username);
  await theirs.goto('/app/profile');
  await expect(theirs.getByRole('heading', { name: 'เครื่องที่เข้าใช้งานอยู่' })).toBeVisible();

  await signInAs('admin');
  await page.goto(`/app/user-management?q=${username}`);
  await page.getByRole('button', { name: `จัดการ ${name}` }).click();
  await page.getByRole('menuitem', { name: 'ระงับบัญชี' }).click();
  const row = page.getByRole('row', { name: username });
  await expect(row.getByText('ระงับ', { exact: true })).toBeVisible();
  await theirs.getByRole('button', { name: 'เปิดใช้ยืนยันตัวตนสองขั้น' }).click();
  await theirs.getByLabel('รหัสผ่านปัจจุบัน').first().fill(PASSWORD);
  await theirs.keyboard.press('Enter');
  await expect(theirs).toHaveURL(/\/login/);

  await page.getByRole('button', { name: 'เลิกทำ' }).click();
  await expect(row.getByText('ใช้งาน', { exact: true })).toBeVisible();
  await signIn(theirs, username, PASSWORD);
  await expect(theirs).toHaveURL(/\/app\//);
});

test('two users change one account: shows both values and saves the chosen ones', async ({
  page,
  request,
  signInAs,
  tokensOf,
  context,
}) => {
  const { accessToken } = await tokensOf(request, 'admin');
  const { id } = await approved(request, accessToken, 'สองคน แก้พร้อมกัน');
  await signInAs('admin');
  const other = await context.newPage();
  for (const one of [page, other]) {
    await one.goto(`/app/user-management/${id}/edit`);
    await expect(one.getByRole('textbox', { name: 'โทรศัพท์' })).toBeVisible();
  }
  await other.getByRole('textbox', { name: 'โทรศัพท์' }).fill('0811111111');
  await other.getByRole('textbox', { name: 'ตำแหน่ง' }).fill('หัวหน้าพยาบาล');
  await other.getByRole('button', { name: 'บันทึก' }).click();
  await expect(other.getByText('บันทึกข้อมูลของ สองคน แก้พร้อมกัน แล้ว')).toBeVisible();
  await page.getByRole('textbox', { name: 'โทรศัพท์' }).fill('0822222222');
  await page.getByRole('button', { name: 'บันทึก' }).click();
  const dialog = page.getByRole('dialog', { name: 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว' });
  await expect(dialog.getByRole('radio', { name: 'ของฉัน 0822222222' })).toBeChecked();
  await expect(dialog.getByRole('radiogroup')).toHaveCount(1);
  await dialog.getByRole('button', { name: 'บันทึกตามที่เลือก' }).click();
  await expect(page.getByText('บันทึกข้อมูลของ สองคน แก้พร้อมกัน แล้ว')).toBeVisible();
  const saved = await adminCall(request, accessToken, `/admin/api/v1.0/user-admin/${id}`);
  expect(saved).toMatchObject({ phone: '0822222222', position: 'หัวหน้าพยาบาล' });
});

test.describe('other actions', () => {
  test('sets a temporary password, ends sessions, and deletes after a confirmation by name', async ({
    page,
    request,
    signInAs,
    tokensOf,
    browser,
    baseURL,
  }) => {
    const { accessToken } = await tokensOf(request, 'admin');
    const { username, name } = await approved(request, accessToken, 'ทดลอง ทุกคำสั่ง');
    const theirs = await pageOf(browser, baseURL, username);
    await theirs.goto('/app/dashboard');
    await signInAs('admin');
    await page.goto(`/app/user-management?q=${username}`);
    const menu = page.getByRole('button', { name: `จัดการ ${name}` });

    await menu.click();
    await page.getByRole('menuitem', { name: 'ให้ออกจากระบบ' }).click();
    const sessions = page.getByRole('dialog', { name: `เครื่องที่ ${name} เข้าใช้งานอยู่` });
    await expect(sessions.getByText('Chrome บน Linux')).toBeVisible();
    await sessions.getByRole('button', { name: 'ให้ออกจากระบบทุกเครื่อง' }).click();
    await expect(page.getByText('ให้ออกจากระบบแล้ว 1 เครื่อง')).toBeVisible();
    await expect(menu).toBeFocused();
    await theirs.reload();
    await expect(theirs).toHaveURL(/\/login/);

    await menu.click();
    await page.getByRole('menuitem', { name: 'รหัสผ่านใหม่' }).click();
    const reset = page.getByRole('dialog', { name: `รหัสผ่านใหม่ของ ${name}` });
    await reset.getByRole('radio', { name: /กำหนดรหัสผ่านชั่วคราว/ }).check();
    await reset.getByRole('textbox', { name: 'รหัสผ่านชั่วคราว' }).fill('for one day only');
    await reset.getByRole('button', { name: 'กำหนดรหัสผ่านชั่วคราว' }).click();
    await expect(page.getByText(`กำหนดรหัสผ่านชั่วคราวของ ${name} แล้ว`)).toBeVisible();
    await signIn(theirs, username, 'for one day only');
    await expect(theirs).toHaveURL(/\/app\/change-password/);

    await menu.click();
    await page.getByRole('menuitem', { name: 'ลบบัญชี' }).click();
    const confirm = page.getByRole('dialog', { name: `ลบบัญชีของ ${name}` });
    await expect(confirm).toContainText(username);
    await page.keyboard.press('Escape');
    await expect(confirm).toBeHidden();
    await expect(menu).toBeFocused();
    await menu.click();
    await page.getByRole('menuitem', { name: 'ลบบัญชี' }).click();
    await confirm.getByRole('button', { name: 'ลบบัญชี' }).click();
    await expect(page.getByText(`ลบบัญชีของ ${name} แล้ว`)).toBeVisible();
    await expect(page.getByText('ไม่พบผู้ใช้งานตามที่ค้นหา')).toBeVisible();
  });

  test('shows the server’s error message', async ({ page, signInAs }) => {
    await signInAs('admin');
    await page.goto('/app/user-management?q=admin%40localhost');
    await page.getByRole('button', { name: 'จัดการ ผู้ดูแลระบบ' }).click();
    await page.getByRole('menuitem', { name: 'ระงับบัญชี' }).click();
    await expect(page.getByRole('alert')).toContainText(/ผู้ดูแลระบบ/);
    await expect(page.getByRole('alert')).toContainText('รหัสอ้างอิง');
  });

  test('a read-only user has no edit actions', async ({ request, tokensOf, browser, baseURL }) => {
    const { accessToken } = await tokensOf(request, 'admin');
    const role = uniqueName('LOOK').replace('.', '_').toUpperCase();
    await adminCall(request, accessToken, '/admin/api/v1/role/create', {
      name: role,
      label: 'ดูรายชื่อ',
      permissions: ['SIDEBAR.USERS', 'USER.SHOW'],
    });
    const { username } = await approved(request, accessToken, 'ผู้ดู', role);
    const theirs = await pageOf(browser, baseURL, username);
    await theirs.goto('/app/user-management');
    await expect(theirs.getByRole('table', { name: LIST })).toBeVisible();
    await expect(theirs.getByRole('tab')).toHaveText(['ผู้ใช้งาน']);
    await expect(theirs.getByRole('link', { name: 'เพิ่มผู้ใช้งาน' })).toHaveCount(0);
    await expect(theirs.getByRole('button', { name: /^จัดการ / })).toHaveCount(0);
    await theirs.goto('/app/user-management/3/edit');
    await expect(theirs.getByRole('main').getByText('USER.UPDATE')).toBeVisible();
  });

  test('a nurse has no access', async ({ page, signInAs }) => {
    await signInAs('nurse');
    await page.goto('/app/user-management');
    await expect(page.getByRole('main').getByRole('heading', { name: 'ไม่มีสิทธิ์เข้าถึง' })).toBeVisible();
  });

  test('shows "not found" for an unknown account', async ({ page, signInAs }) => {
    await signInAs('admin');
    for (const id of ['999999', 'abc', '0']) {
      await page.goto(`/app/user-management/${id}/edit`);
      await expect(page.getByRole('heading', { name: 'Not Found · ไม่พบหน้านี้' })).toBeVisible();
    }
  });
});
