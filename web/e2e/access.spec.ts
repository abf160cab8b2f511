import { expect, type Role, test } from './support';

test('names the missing permission, inside the shell', { tag: '@long' }, async ({
  page,
  context,
  signInAs,
}) => {
  test.slow();
  for (const [role, path, title, permission] of [
    ['queue', '/app/serviceSchedule', 'ตารางให้บริการ', 'SERVICE_SCHEDULE.SHOW'],
    ['queue', '/app/patient-management', 'จัดการผู้ป่วย', 'SIDEBAR.PATIENTS'],
    ['nurse', '/app/patient-management/create', 'ลงทะเบียนผู้ป่วย', 'PATIENT.CREATE'],
    ['executive', '/app/appointment/create', 'เพิ่มนัดหมาย', 'APPOINTMENT.CREATE'],
    ['executive', '/app/appointment/7/edit', 'แก้ไขนัดหมาย', 'APPOINTMENT.UPDATE'],
    ['registrar', '/app/appointment/7/diagnosisResults', 'บันทึกผลการตรวจ', 'RESULT.CREATE'],
    ['nurse', '/app/report', 'รายงาน', 'REPORT.SHOW'],
    ['registrar', '/app/user-management', 'จัดการผู้ใช้งาน', 'SIDEBAR.USERS'],
    ['doctor', '/app/user-management/create', 'เพิ่มผู้ใช้งาน', 'SIDEBAR.USERS'],
    ['nurse', '/app/global-config', 'ตั้งค่าระบบ', 'SIDEBAR.GLOBAL_CONFIG'],
  ] as [Role, string, string, string][]) {
    await test.step(`${role} may not open ${path}`, async () => {
      await context.clearCookies();
      await signInAs(role);
      await page.goto(path);
      const main = page.getByRole('main');
      await expect(main.getByRole('heading', { name: 'ไม่มีสิทธิ์เข้าถึง' })).toBeVisible();
      await expect(main).toContainText(title);
      await expect(main.getByText(permission, { exact: true })).toBeVisible();
      await expect(page.getByRole('navigation', { name: 'เมนูหลัก' })).toBeVisible();
      await expect(page).toHaveTitle('ไม่มีสิทธิ์เข้าถึง · โรงพยาบาลศรีนคร');
      await main.getByRole('link', { name: 'กลับหน้าหลัก' }).click();
      await expect(page).toHaveURL('/app/dashboard');
      await expect(page.getByRole('heading', { level: 1, name: 'แดชบอร์ด' })).toBeVisible();
    });
  }
});

test('opens a page with its permission', async ({ page, signInAs }) => {
  await signInAs('registrar');
  await page.goto('/app/patient-management/create');
  await expect(page.getByRole('heading', { level: 1, name: 'ลงทะเบียนผู้ป่วย' })).toBeVisible();
  await expect(page.getByText('ไม่มีสิทธิ์เข้าถึง')).toHaveCount(0);
});

test('shows "not found" for an unknown address, inside the shell', async ({ page, signInAs }) => {
  await signInAs('admin');
  for (const path of ['/app/nothing-here', '/app/patient-management/7/nothing', '/app/appointment/x/y/z']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'Not Found · ไม่พบหน้านี้' })).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'ไม่พบหน้านี้', exact: true })).toBeVisible();
    await expect(page).toHaveTitle('ไม่พบหน้านี้ · โรงพยาบาลศรีนคร');
    await page.getByRole('main').getByRole('link', { name: 'กลับหน้าหลัก' }).click();
    await expect(page).toHaveURL('/app/dashboard');
  }
});

test('shows "not found" outside the app, without signing in', async ({ page }) => {
  await page.goto('/nothing/here');
  await expect(page.getByRole('heading', { level: 1, name: 'Not Found · ไม่พบหน้านี้' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'กลับหน้าหลัก' })).toHaveAttribute('href', '/app/dashboard');
});

test.describe('a page that fails to load', () => {
  // The failed import is the point of the test.
  test.use({ allowBrowserErrors: true });

  test('shows an error and can be retried', async ({ page, signInAs }) => {
    await signInAs('admin');
    // Before the dashboard is opened, because it preloads the other screens.
    await page.route(/assets\/serviceSchedule.*\.js/, (route) => route.abort());
    await page.goto('/app/dashboard');
    await expect(page.getByRole('heading', { level: 1, name: 'แดชบอร์ด' })).toBeVisible();
    await page
      .getByRole('navigation', { name: 'เมนูหลัก' })
      .getByRole('link', { name: 'ตารางให้บริการ' })
      .click();
    await expect(page.getByRole('heading', { name: 'An error occurred · เกิดข้อผิดพลาด' })).toBeVisible();
    await expect(page.getByRole('main').getByRole('link', { name: 'กลับหน้าหลัก' })).toBeVisible();
    await page.unroute(/assets\/serviceSchedule.*\.js/);
    await page.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'ตารางให้บริการ' })).toBeVisible();
  });
});
