import type { Page } from '@playwright/test';
import { test, unique } from './role-support';
import { expect, expectNoViolations } from './support';

const AUDIT = '/app/global-config?tab=audit';

/** The entries with their expand button; the details below an entry are rows, too. */
const rows = (page: Page) =>
  page
    .getByRole('table')
    .getByRole('row')
    .filter({ has: page.locator('button[aria-expanded]') });

/** Today's date at the hospital. */
const today = () => new Date(Date.now() + 7 * 3600_000).toISOString().slice(0, 10);

test('filters the log by user', async ({ page, signInAs, records, browser }) => {
  const role = await records.role(['DASHBOARD.SHOW']);
  const elsewhere = await browser.newContext();
  const user = await records.signIn(elsewhere, role.id);
  await elsewhere.close();
  await signInAs('admin');
  await page.goto(AUDIT);
  await page.getByRole('combobox', { name: 'ผู้ใช้งาน' }).fill(user.name);
  await page.getByRole('option', { name: user.name }).click();
  await expect(page).toHaveURL(`${AUDIT}&actor=${user.id}`);
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText('เปลี่ยนรหัสผ่านของตนเอง');
  await expect(rows(page).last()).toContainText('เข้าสู่ระบบ');
  // The filters are in the address: a shared link shows the same.
  await page.reload();
  await expect(rows(page)).toHaveCount(2);
  await expect(page.getByRole('combobox', { name: 'ผู้ใช้งาน' })).toHaveValue(user.name);
  await page.getByRole('button', { name: 'ล้างตัวกรอง' }).click();
  await expect(page).toHaveURL(AUDIT);
});

test('filters the log by action, kind, record and outcome', async ({ page, signInAs, records }) => {
  const role = await records.role(['DASHBOARD.SHOW']);
  const user = await records.user(role.id);
  await signInAs('admin');
  await page.goto(AUDIT);
  await page.getByLabel('ประเภทข้อมูล').selectOption('ผู้ใช้งาน');
  await page.getByLabel('เลขที่ข้อมูล').fill(String(user.id));
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText(`เพิ่มผู้ใช้งาน ${user.name}`);
  await page.getByLabel('การกระทำ').selectOption('แก้ไขผู้ใช้งาน');
  await expect(page.getByText('ไม่มีบันทึกที่ตรงกับตัวกรอง')).toBeVisible();
  await page.getByLabel('การกระทำ').selectOption('ผู้ใช้งาน ทั้งหมด');
  await expect(page).toHaveURL(/action=user\./);
  await expect(rows(page)).toHaveCount(1);
  await page.getByLabel('ผลลัพธ์').selectOption('ถูกปฏิเสธ');
  await page.getByRole('link', { name: 'ล้างตัวกรอง' }).click();
  await expect(page).toHaveURL(AUDIT);
  await expect(page.getByLabel('เลขที่ข้อมูล')).toHaveValue('');
  await expect(rows(page).first()).toBeVisible();
});

test('filters the log by a period in the Buddhist Era', async ({ page, signInAs, records }) => {
  const role = await records.role(['DASHBOARD.SHOW']);
  await signInAs('admin');
  await page.goto(`${AUDIT}&entity=role&entityId=${role.id}`);
  await page.getByLabel('ช่วงวันที่').selectOption('วันนี้');
  await expect(page).toHaveURL(new RegExp(`from=${today()}&to=${today()}`));
  await expect(rows(page)).toHaveCount(1);
  const [year, month, day] = today().split('-');
  await expect(page.getByLabel('ตั้งแต่วันที่', { exact: true })).toHaveValue(
    `${day}/${month}/${Number(year) + 543}`,
  );
  await page.getByLabel('ช่วงวันที่').selectOption('เมื่อวาน');
  await expect(page.getByText('ไม่มีบันทึกที่ตรงกับตัวกรอง')).toBeVisible();
  await page.getByLabel('ช่วงวันที่').selectOption('7 วันที่ผ่านมา');
  await expect(rows(page)).toHaveCount(1);
});

test('an entry expands, also by keyboard, to readable changes', async ({ page, signInAs, records }) => {
  const role = await records.role(['DASHBOARD.SHOW', 'PATIENT.SHOW']);
  const user = await records.user(role.id);
  const current = await records.call<{ version: number }>(`/admin/api/v1.0/user-admin/${user.id}`);
  await records.call('/admin/api/v1.0/user-admin/update', {
    id: user.id,
    version: current.version,
    position: 'หัวหน้าพยาบาล',
    status: 'SUSPENDED',
  });
  await signInAs('admin');
  await page.goto(`${AUDIT}&entity=user&entityId=${user.id}&action=user.update`);
  const entry = page.getByRole('button', { name: `แก้ไขผู้ใช้งาน ${user.name}` });
  await entry.focus();
  await page.keyboard.press('Enter');
  await expect(entry).toHaveAttribute('aria-expanded', 'true');
  const detail = page.getByRole('region', { name: 'สิ่งที่เปลี่ยน' });
  await expect(detail.getByRole('term').filter({ hasText: 'สถานะ' })).toBeVisible();
  await expect(detail.getByRole('deletion')).toContainText('ใช้งาน');
  await expect(detail.getByRole('insertion').filter({ hasText: 'ระงับ' })).toBeVisible();
  await expect(detail.getByRole('insertion').filter({ hasText: 'หัวหน้าพยาบาล' })).toBeVisible();
  for (const code of ['SUSPENDED', 'position', '{', '"']) await expect(detail).not.toContainText(code);
  await expect(detail).toContainText('user.update');
  await page.keyboard.press('Enter');
  await expect(detail).toHaveCount(0);
  await entry.click();
  await detail.getByRole('link', { name: /ดูทุกบันทึกของผู้ใช้งาน/ }).click();
  await expect(rows(page)).toHaveCount(2);
});

test('a denied action shows the permission that was needed', async ({
  page,
  signInAs,
  request,
  tokensOf,
}) => {
  const { accessToken } = await tokensOf(request, 'queue');
  await request.post('/admin/api/v1/role/list', {
    headers: { Authorization: `Bearer ${accessToken}` },
    data: { page: 1, pageSize: 20 },
  });
  await signInAs('admin');
  await page.goto(`${AUDIT}&outcome=REFUSED&entityId=post-role-list`);
  const entry = page.getByRole('button', { name: 'ไม่มีสิทธิ์ ดูรายการบทบาท' }).first();
  await entry.click();
  await expect(page.getByRole('region', { name: 'สิ่งที่เปลี่ยน' })).toContainText('สิทธิ์ที่ต้องมี ดูบทบาท');
  await expect(rows(page).first()).toContainText('ถูกปฏิเสธ');
});

test('a failed sign-in shows the reason', async ({ page, signInAs, records, request }) => {
  const role = await records.role(['DASHBOARD.SHOW']);
  const user = await records.user(role.id);
  await request.post('/admin/api/v1.0/auth/login', { data: { username: user.username, password: 'wrong' } });
  await signInAs('admin');
  await page.goto(`${AUDIT}&entity=user&entityId=${user.id}&outcome=FAILED`);
  await rows(page).getByRole('button', { name: 'เข้าสู่ระบบ' }).click();
  await expect(page.getByRole('region', { name: 'สิ่งที่เปลี่ยน' })).toContainText(
    'ชื่อผู้ใช้ รหัสผ่าน หรือรหัสยืนยันไม่ถูกต้อง',
  );
});

test('a nurse sees no audit log', async ({ page, signInAs }) => {
  await signInAs('nurse');
  await page.goto(AUDIT);
  await expect(page.getByRole('heading', { name: 'ไม่มีสิทธิ์เข้าถึง', level: 2 })).toBeVisible();
  await expect(page.getByRole('table')).toHaveCount(0);
});

test('without its permission the log has no tab and cannot be opened by its address', async ({
  page,
  context,
  records,
}) => {
  const role = await records.role(['DASHBOARD.SHOW', 'SIDEBAR.GLOBAL_CONFIG', 'GLOBAL_SETTING.SHOW']);
  await records.signIn(context, role.id);
  await page.goto('/app/global-config');
  await expect(page.getByRole('tab')).toHaveText(['โรงพยาบาล', 'กติกาการนัด', 'การแจ้งเตือน', 'เลขที่เอกสาร']);
  await expect(page.getByRole('tab', { name: 'โรงพยาบาล' })).toHaveAttribute('aria-selected', 'true');
  await page.goto(AUDIT);
  await expect(page.getByText('AUDIT.SHOW')).toBeVisible();
});

test('the log is readable without permission to see roles', async ({ page, context, records }) => {
  const role = await records.role(['DASHBOARD.SHOW', 'SIDEBAR.GLOBAL_CONFIG', 'AUDIT.SHOW']);
  await records.signIn(context, role.id);
  await page.goto(`${AUDIT}&entity=role&entityId=${role.id}`);
  await page.getByRole('button', { name: `เพิ่มบทบาท ${role.label}` }).click();
  await expect(page.getByRole('region', { name: 'สิ่งที่เปลี่ยน' })).toContainText('ดูบันทึกการใช้งาน');
});

test('shows Common Era years in English', async ({ page, signInAs, records }) => {
  const role = await records.role(['DASHBOARD.SHOW']);
  await page.addInitScript(() => localStorage.setItem('nadmor.language', 'en'));
  await signInAs('admin');
  await page.goto(`${AUDIT}&entity=role&entityId=${role.id}`);
  await expect(rows(page)).toContainText(`Added role ${role.label}`);
  await expect(rows(page)).toContainText(
    new RegExp(`\\d+ [A-Z][a-z]{2} ${today().slice(0, 4)} \\d{2}:\\d{2}`),
  );
  await page.getByLabel('Period').selectOption('Today');
  const [year, month, day] = today().split('-');
  await expect(page.getByLabel('From', { exact: true })).toHaveValue(`${day}/${month}/${year}`);
});

test('shows a failed load and retries it', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.route('**/audit/list', (route) =>
    route.fulfill({
      status: 400,
      json: { success: false, error: { code: 'NOT_NOW', message: 'ยังโหลดไม่ได้', requestId: 'req-5' } },
    }),
  );
  await page.goto(AUDIT);
  await expect(page.getByRole('alert')).toContainText('ยังโหลดไม่ได้');
  await expect(page.getByRole('alert')).toContainText('req-5');
  await page.unroute('**/audit/list');
  await page.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
  await expect(rows(page).first()).toBeVisible();
});

test('a phone shows cards and collapses the filters', async ({ page, signInAs, records }) => {
  const role = await records.role(['DASHBOARD.SHOW']);
  await page.setViewportSize({ width: 360, height: 740 });
  await signInAs('admin');
  await page.goto(`${AUDIT}&entity=role&entityId=${role.id}`);
  await expect(page.getByRole('tab', { name: 'บันทึกการใช้งาน' })).toBeInViewport();
  await expect(page.getByLabel('การกระทำ')).toBeHidden();
  await page.getByRole('button', { name: 'ตัวกรอง (2)' }).click();
  await expect(page.getByLabel('การกระทำ')).toBeVisible();
  await page.getByRole('button', { name: `เพิ่มบทบาท ${role.label}` }).click();
  await expect(page.getByRole('insertion').filter({ hasText: 'ดูภาพรวมประจำวัน' })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});

test('no axe violations in the log', { tag: '@long' }, async ({ page, signInAs, records }) => {
  test.slow();
  const role = await records.role(['DASHBOARD.SHOW']);
  await records.updateRole(role, ['REPORT.SHOW']);
  await signInAs('admin');
  await page.goto(`${AUDIT}&entity=role&entityId=${role.id}`);
  await page.getByRole('button', { name: `แก้ไขบทบาท ${role.label}` }).click();
  await expect(page.getByRole('deletion')).toBeVisible();
  await expectNoViolations(page, 'an entry');
  await page.getByRole('button', { name: 'เลือกตั้งแต่วันที่จากปฏิทิน' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectNoViolations(page, 'the calendar');
});

test('shows an unknown action in a link as it is', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto(`${AUDIT}&action=never.${unique()}&entity=nothing`);
  await expect(page.getByLabel('การกระทำ')).toHaveValue(/^never\./);
  await expect(page.getByLabel('ประเภทข้อมูล')).toHaveValue('nothing');
  await expect(page.getByText('ไม่มีบันทึกที่ตรงกับตัวกรอง')).toBeVisible();
});
