import { expect, type Role, test } from './support';

const ENTRIES: Record<Role, string[]> = {
  admin: [
    'แดชบอร์ด',
    'ตารางให้บริการ',
    'ปฏิทินนัดหมาย',
    'รายการนัดหมาย',
    'จัดการผู้ป่วย',
    'รายงาน',
    'จัดการผู้ใช้งาน',
    'ตั้งค่าระบบ',
  ],
  registrar: ['แดชบอร์ด', 'ตารางให้บริการ', 'ปฏิทินนัดหมาย', 'รายการนัดหมาย', 'จัดการผู้ป่วย'],
  nurse: ['แดชบอร์ด', 'ตารางให้บริการ', 'ปฏิทินนัดหมาย', 'รายการนัดหมาย', 'จัดการผู้ป่วย'],
  doctor: ['แดชบอร์ด', 'ตารางให้บริการ', 'ปฏิทินนัดหมาย', 'รายการนัดหมาย', 'จัดการผู้ป่วย'],
  queue: ['แดชบอร์ด', 'ปฏิทินนัดหมาย', 'รายการนัดหมาย'],
  executive: ['แดชบอร์ด', 'ปฏิทินนัดหมาย', 'รายการนัดหมาย', 'รายงาน'],
};

test('each role sees its menu entries', { tag: '@long' }, async ({ page, context, signInAs }) => {
  test.slow();
  for (const [role, entries] of Object.entries(ENTRIES) as [Role, string[]][]) {
    await test.step(role, async () => {
      await context.clearCookies();
      await signInAs(role);
      await page.goto('/');
      await expect(page).toHaveURL('/app/dashboard');
      const menu = page.getByRole('navigation', { name: 'เมนูหลัก' });
      await expect(menu.getByRole('link')).toHaveText(entries);
      // Every menu entry opens a page that the user may see.
      for (const entry of entries) {
        await menu.getByRole('link', { name: entry, exact: true }).click();
        await expect(page.getByRole('heading', { level: 1, name: entry })).toBeVisible();
        await expect(page.getByText('ไม่มีสิทธิ์เข้าถึง')).toHaveCount(0);
      }
    });
  }
});

test('every entry opens its page', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto('/app');
  const menu = page.getByRole('navigation', { name: 'เมนูหลัก' });
  for (const [entry, path] of [
    ['ตารางให้บริการ', '/app/serviceSchedule'],
    ['ปฏิทินนัดหมาย', '/app/appointment/calendar'],
    ['รายการนัดหมาย', '/app/appointment/list'],
    ['จัดการผู้ป่วย', '/app/patient-management'],
    ['รายงาน', '/app/report'],
    ['จัดการผู้ใช้งาน', '/app/user-management'],
    ['ตั้งค่าระบบ', '/app/global-config'],
    ['แดชบอร์ด', '/app/dashboard'],
  ] as const) {
    await menu.getByRole('link', { name: entry }).click();
    await expect(page).toHaveURL(path);
    await expect(page.getByRole('heading', { level: 1, name: entry })).toBeVisible();
    await expect(page).toHaveTitle(`${entry} · โรงพยาบาลศรีนคร`);
    await expect(menu.getByRole('link', { name: entry })).toHaveAttribute('aria-current', 'page');
  }
});

test('breadcrumbs link to the parent pages', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto('/app/patient-management/create');
  const crumbs = page.getByRole('navigation', { name: 'ตำแหน่งหน้า' });
  await expect(crumbs.getByRole('listitem')).toHaveText(['หน้าหลัก', 'จัดการผู้ป่วย', 'ลงทะเบียนผู้ป่วย']);
  await crumbs.getByRole('link', { name: 'จัดการผู้ป่วย' }).click();
  await expect(page).toHaveURL('/app/patient-management');
  await crumbs.getByRole('link', { name: 'หน้าหลัก' }).click();
  await expect(page).toHaveURL('/app/dashboard');
});

test('appointment addresses without /app redirect to those with it', async ({ page, signInAs }) => {
  await signInAs('queue');
  for (const name of ['calendar', 'list']) {
    await page.goto(`/appointment/${name}?service=1`);
    await expect(page).toHaveURL(`/app/appointment/${name}?service=1`);
  }
});
