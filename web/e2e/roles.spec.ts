import { box, rolePath, saveBar, test, unique } from './role-support';
import { expect, expectNoViolations } from './support';

test('copies, changes and saves a role; the audit log shows the changes', async ({
  page,
  signInAs,
  records,
}) => {
  await signInAs('admin');
  const source = await records.role(['DASHBOARD.SHOW', 'APPOINTMENT.SHOW']);
  await page.goto(rolePath(source.id));
  await page.getByRole('link', { name: 'คัดลอกบทบาท' }).click();
  await expect(page.getByLabel('ชื่อบทบาท')).toHaveValue(`${source.label} (สำเนา)`);
  await expect(page.getByLabel('รหัสบทบาท')).toHaveValue(`${source.name}_COPY`);
  await expect(box(page, 'APPOINTMENT.SHOW')).toBeChecked();

  const own = unique();
  await page.getByLabel('ชื่อบทบาท').fill(`ห้องบัตร ${own}`);
  await page.getByLabel('รหัสบทบาท').fill(`ward ${own}`);
  await expect(page.getByLabel('รหัสบทบาท')).toHaveValue(`WARD_${own}`);
  await box(page, 'PATIENT.SHOW').check();
  await expect(saveBar(page)).toContainText('เพิ่ม 3 สิทธิ์');
  await page.getByRole('button', { name: 'เพิ่มบทบาท' }).click();
  await expect(page.getByRole('heading', { level: 2, name: `ห้องบัตร ${own}` })).toBeFocused();
  await expect(saveBar(page)).toHaveCount(0);

  await box(page, 'AUDIT.SHOW').check();
  await box(page, 'PATIENT.SHOW').uncheck();
  await expect(saveBar(page)).toContainText('เพิ่ม 1 สิทธิ์ · ถอน 1 สิทธิ์');
  await expect(saveBar(page).getByRole('insertion')).toContainText('ดูบันทึกการใช้งาน');
  await expect(saveBar(page).getByRole('deletion')).toContainText('ดูข้อมูลผู้ป่วย');
  await page.getByRole('button', { name: 'บันทึกบทบาท' }).click();
  await expect(page.getByText(`บันทึกบทบาทห้องบัตร ${own}แล้ว`)).toBeVisible();
  const id = Number(new URL(page.url()).searchParams.get('role'));
  expect((await records.readRole(id)).permissions).toEqual([
    'DASHBOARD.SHOW',
    'APPOINTMENT.SHOW',
    'AUDIT.SHOW',
  ]);

  await page.goto(`/app/global-config?tab=audit&entity=role&entityId=${id}`);
  const entry = page.getByRole('button', { name: `แก้ไขบทบาท ห้องบัตร ${own}` });
  await entry.click();
  const detail = page.getByRole('region', { name: 'สิ่งที่เปลี่ยน' });
  await expect(detail.getByRole('insertion')).toContainText('ดูบันทึกการใช้งาน');
  await expect(detail.getByRole('deletion')).toContainText('ดูข้อมูลผู้ป่วย');
  await expect(detail).not.toContainText('PATIENT.SHOW');
  await expect(detail).toContainText('role.update');
});

test('a change reaches other users with the role', async ({ page, signInAs, records, browser }) => {
  const role = await records.role(['DASHBOARD.SHOW', 'SIDEBAR.PATIENTS']);
  const elsewhere = await browser.newContext();
  await records.signIn(elsewhere, role.id);
  const other = await elsewhere.newPage();
  const menu = other.getByRole('navigation', { name: 'เมนูหลัก' });
  await other.goto('/app/dashboard');
  await expect(menu.getByRole('link', { name: 'จัดการผู้ป่วย' })).toBeVisible();
  await expect(menu.getByRole('link', { name: 'ตารางให้บริการ' })).toHaveCount(0);

  await signInAs('admin');
  await page.goto(rolePath(role.id));
  await box(page, 'SIDEBAR.PATIENTS').uncheck();
  await box(page, 'SERVICE_SCHEDULE.SHOW').check();
  await expect(saveBar(page)).toContainText('มีผลกับผู้ใช้งาน 1 คน');
  await page.getByRole('button', { name: 'บันทึกบทบาท' }).click();
  await expect(saveBar(page)).toHaveCount(0);

  await other.goto('/app/appointment/list');
  await expect(menu.getByRole('link', { name: 'ตารางให้บริการ' })).toBeVisible();
  await expect(menu.getByRole('link', { name: 'จัดการผู้ป่วย' })).toHaveCount(0);
  await elsewhere.close();
});

test('two users change different permissions of one role: merges them without asking', async ({
  page,
  signInAs,
  records,
}) => {
  const role = await records.role(['DASHBOARD.SHOW', 'SLOT.SHOW']);
  await signInAs('admin');
  await page.goto(rolePath(role.id));
  await box(page, 'REPORT.SHOW').check();
  await records.updateRole(role, ['DASHBOARD.SHOW', 'RESULT.SHOW']);
  await page.getByRole('button', { name: 'บันทึกบทบาท' }).click();
  await expect(saveBar(page)).toHaveCount(0);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(box(page, 'RESULT.SHOW')).toBeChecked();
  await expect(box(page, 'SLOT.SHOW')).not.toBeChecked();
  expect((await records.readRole(role.id)).permissions).toEqual([
    'DASHBOARD.SHOW',
    'RESULT.SHOW',
    'REPORT.SHOW',
  ]);
});

test('two users rename one role: shows both names and merges the rest', async ({
  page,
  signInAs,
  records,
}) => {
  const role = await records.role(['DASHBOARD.SHOW']);
  await signInAs('admin');
  await page.goto(rolePath(role.id));
  await page.getByLabel('ชื่อบทบาท').fill(`${role.label} ของฉัน`);
  await box(page, 'REPORT.SHOW').check();
  await records.updateRole({ ...role, label: `${role.label} ของเขา` }, ['DASHBOARD.SHOW', 'RESULT.SHOW']);
  await page.getByRole('button', { name: 'บันทึกบทบาท' }).click();
  const dialog = page.getByRole('dialog', { name: 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว' });
  await expect(dialog.getByRole('radiogroup')).toHaveCount(1);
  const label = dialog.getByRole('radiogroup', { name: 'ชื่อบทบาท' });
  await expect(label.getByRole('radio', { name: `ของฉัน ${role.label} ของฉัน` })).toBeChecked();
  await label.getByRole('radio', { name: `ล่าสุดในระบบ ${role.label} ของเขา` }).check();
  await dialog.getByRole('button', { name: 'บันทึกตามที่เลือก' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(saveBar(page)).toHaveCount(0);
  expect(await records.readRole(role.id)).toMatchObject({
    label: `${role.label} ของเขา`,
    permissions: ['DASHBOARD.SHOW', 'RESULT.SHOW', 'REPORT.SHOW'],
  });
});

test('the other user’s version can be chosen', async ({ page, signInAs, records }) => {
  const role = await records.role(['DASHBOARD.SHOW']);
  await signInAs('admin');
  await page.goto(rolePath(role.id));
  await page.getByLabel('ชื่อบทบาท').fill(`${role.label} ของฉัน`);
  await box(page, 'REPORT.SHOW').check();
  await records.updateRole({ ...role, label: `${role.label} ของเขา` }, ['DASHBOARD.SHOW', 'RESULT.SHOW']);
  await page.getByRole('button', { name: 'บันทึกบทบาท' }).click();
  await page.getByRole('button', { name: 'ใช้ข้อมูลล่าสุดทั้งหมด' }).click();
  await expect(saveBar(page)).toHaveCount(0);
  await expect(page.getByLabel('ชื่อบทบาท')).toHaveValue(`${role.label} ของเขา`);
  await expect(box(page, 'RESULT.SHOW')).toBeChecked();
  await expect(box(page, 'REPORT.SHOW')).not.toBeChecked();
});

test('deletes a role after confirmation, but not while it is assigned', async ({
  page,
  signInAs,
  records,
}) => {
  const used = await records.role(['DASHBOARD.SHOW']);
  await records.user(used.id);
  await signInAs('admin');
  await page.goto(rolePath(used.id));
  const remove = page.getByRole('main').getByRole('button', { name: 'ลบบทบาท' });
  await expect(remove).toBeDisabled();
  await expect(remove).toHaveAccessibleDescription('ลบไม่ได้ เพราะยังมีผู้ใช้งาน 1 คน');

  await page
    .getByRole('list', { name: 'รายการบทบาท' })
    .getByRole('link', { name: 'พยาบาล', exact: true })
    .click();
  await expect(remove).toHaveAccessibleDescription('ลบไม่ได้ เพราะเป็นบทบาทของระบบ');

  // A user gets the role while the dialog is open.
  const role = await records.role(['DASHBOARD.SHOW']);
  await page.goto(rolePath(role.id));
  await remove.click();
  const dialog = page.getByRole('dialog', { name: 'ลบบทบาท' });
  await expect(dialog).toContainText(role.label);
  await records.user(role.id);
  await dialog.getByRole('button', { name: 'ลบบทบาท' }).click();
  await expect(dialog.getByRole('alert')).toContainText('ยังมีผู้ใช้งาน 1 คนอยู่ในบทบาทนี้');
  await dialog.getByRole('button', { name: 'กลับ' }).click();
  await expect(dialog).toHaveCount(0);

  const free = await records.role(['DASHBOARD.SHOW']);
  await page.goto(rolePath(free.id));
  await remove.click();
  await dialog.getByRole('button', { name: 'ลบบทบาท' }).click();
  await expect(page.getByText(`ลบบทบาท${free.label}แล้ว`)).toBeVisible();
  await expect(page).toHaveURL('/app/user-management?tab=roles');
  await expect(page.getByRole('link', { name: free.label })).toHaveCount(0);
  await page.goto(rolePath(free.id));
  await expect(page.getByText('ไม่พบบทบาทนี้')).toBeVisible();
});

test('shows the server’s errors at their fields and keeps the typed values', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto(rolePath('new'));
  await page.getByRole('button', { name: 'เพิ่มบทบาท' }).click();
  await expect(page.getByLabel('ชื่อบทบาท')).toBeFocused();
  await expect(page.getByText('กรุณากรอกชื่อบทบาท')).toBeVisible();
  await page.getByLabel('ชื่อบทบาท').fill('ซ้ำ');
  await page.getByLabel('รหัสบทบาท').fill('ADMIN');
  await page.getByRole('button', { name: 'เพิ่มบทบาท' }).click();
  await expect(page.getByLabel('รหัสบทบาท')).toBeFocused();
  await expect(page.getByLabel('รหัสบทบาท')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByLabel('ชื่อบทบาท')).toHaveValue('ซ้ำ');

  for (const [code, more, text] of [
    ['LAST_ADMIN', {}, 'ต้องมีผู้ดูแลอย่างน้อยหนึ่งคน'],
    ['FORBIDDEN', { details: { missing: ['AUDIT.SHOW'] } }, 'ดูบันทึกการใช้งาน'],
  ] as const) {
    await page.route('**/role/create', (route) =>
      route.fulfill({
        status: 409,
        json: {
          success: false,
          error: { code, message: 'ต้องมีผู้ดูแลอย่างน้อยหนึ่งคน', requestId: 'req-77', ...more },
        },
      }),
    );
    await page.getByLabel('รหัสบทบาท').fill(`OTHER_${code}`);
    await page.getByRole('button', { name: 'เพิ่มบทบาท' }).click();
    await expect(saveBar(page).getByRole('alert')).toContainText('รหัสอ้างอิง req-77');
    await expect(saveBar(page)).toContainText(text);
    await page.unroute('**/role/create');
  }
});

test('users cannot grant permissions that they do not have', async ({ page, context, records }) => {
  const own = await records.role([
    'DASHBOARD.SHOW',
    'SIDEBAR.USERS',
    'ROLE.SHOW',
    'ROLE.CREATE',
    'ROLE.UPDATE',
    'ROLE.DELETE',
  ]);
  const small = await records.role(['DASHBOARD.SHOW']);
  await records.signIn(context, own.id);
  await page.goto(rolePath(small.id));
  await expect(box(page, 'AUDIT.SHOW')).toBeDisabled();
  await expect(page.getByText('ท่านไม่มีสิทธิ์นี้ จึงให้ผู้อื่นไม่ได้').first()).toBeVisible();
  // The checkbox of the group selects what may be granted.
  await page.getByRole('checkbox', { name: /^เมนูและหน้าหลัก/ }).click();
  await expect(saveBar(page)).toContainText('เพิ่ม 1 สิทธิ์');
  await page.getByRole('button', { name: 'บันทึกบทบาท' }).click();
  await expect(saveBar(page)).toHaveCount(0);
  expect((await records.readRole(small.id)).permissions).toEqual(['DASHBOARD.SHOW', 'SIDEBAR.USERS']);

  await page.getByRole('link', { name: 'ผู้ดูแลระบบ', exact: true }).click();
  await expect(page.getByText('บทบาทนี้มีสิทธิ์ที่ท่านไม่มี ท่านจึงแก้ไขหรือลบไม่ได้').first()).toBeVisible();
  await expect(box(page, 'DASHBOARD.SHOW')).toBeDisabled();
  await expect(box(page, 'AUDIT.SHOW')).toBeChecked();
  await page.getByRole('link', { name: 'คัดลอกบทบาท' }).click();
  await expect(page.getByText('ไม่ได้คัดลอก 41 สิทธิ์ที่ท่านไม่มี')).toBeVisible();
});

test('without the permission to change it, a role can be read', async ({ page, context, records }) => {
  const own = await records.role(['DASHBOARD.SHOW', 'SIDEBAR.USERS', 'ROLE.SHOW']);
  await records.signIn(context, own.id);
  await page.goto(rolePath(own.id));
  await expect(page.getByText(/ท่านดูบทบาทนี้ได้ แต่แก้ไขไม่ได้/)).toBeVisible();
  await expect(box(page, 'ROLE.SHOW')).toBeChecked();
  await expect(box(page, 'ROLE.SHOW')).toBeDisabled();
  await expect(page.getByLabel('ชื่อบทบาท')).not.toBeEditable();
  for (const name of ['คัดลอกบทบาท', 'เพิ่มบทบาท'])
    await expect(page.getByRole('link', { name })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'ลบบทบาท' })).toHaveCount(0);
});

test('changing the user’s own role warns and applies to this page', async ({ page, context, records }) => {
  const role = await records.role(['DASHBOARD.SHOW', 'SIDEBAR.USERS', 'ROLE.SHOW', 'ROLE.UPDATE']);
  await records.signIn(context, role.id);
  await page.goto(rolePath(role.id));
  await expect(page.getByText('นี่คือบทบาทของท่านเอง เมื่อบันทึกแล้วจะมีผลกับท่านทันที')).toBeVisible();
  await box(page, 'SIDEBAR.USERS').uncheck();
  await expect(saveBar(page)).toContainText('ท่านจะเปิดหน้านี้หรือแก้ไขบทบาทไม่ได้อีก');
  await page.getByRole('button', { name: 'บันทึกบทบาท' }).click();
  await expect(page.getByRole('heading', { name: 'ไม่มีสิทธิ์เข้าถึง', level: 2 })).toBeVisible();
  const menu = page.getByRole('navigation', { name: 'เมนูหลัก' });
  await expect(menu.getByRole('link', { name: 'จัดการผู้ใช้งาน' })).toHaveCount(0);
});

test('asks before leaving unsaved changes', async ({ page, signInAs, records }) => {
  const role = await records.role(['DASHBOARD.SHOW']);
  await signInAs('admin');
  await page.goto(rolePath(role.id));
  await box(page, 'REPORT.SHOW').check();
  const list = page.getByRole('list', { name: 'รายการบทบาท' });
  await list.getByRole('link', { name: 'แพทย์', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'ยังไม่ได้บันทึก' });
  await dialog.getByRole('button', { name: 'อยู่หน้านี้ต่อ' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(box(page, 'REPORT.SHOW')).toBeChecked();
  await page.getByRole('tab', { name: 'ผู้ใช้งาน' }).click();
  await dialog.getByRole('button', { name: 'อยู่หน้านี้ต่อ' }).click();
  await list.getByRole('link', { name: 'แพทย์', exact: true }).click();
  await dialog.getByRole('button', { name: 'ออกโดยไม่บันทึก' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'แพทย์' })).toBeVisible();
  expect((await records.readRole(role.id)).permissions).toEqual(['DASHBOARD.SHOW']);
});

test('works by keyboard alone', async ({ page, signInAs, records }) => {
  const role = await records.role(['DASHBOARD.SHOW']);
  await signInAs('admin');
  await page.goto(rolePath(role.id));
  await page.getByRole('searchbox', { name: 'ค้นหาสิทธิ์' }).focus();
  await page.keyboard.type('รายงาน');
  await expect(page.getByRole('checkbox')).toHaveCount(3);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('checkbox', { name: /^รายงานและการตรวจสอบ/ })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(box(page, 'REPORT.SHOW')).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('End');
  await expect(box(page, 'AUDIT.SHOW')).toBeFocused();
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await expect(saveBar(page)).toContainText('เพิ่ม 2 สิทธิ์');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 2, name: role.label })).toBeFocused();
  expect((await records.readRole(role.id)).permissions).toEqual([
    'DASHBOARD.SHOW',
    'REPORT.SHOW',
    'AUDIT.SHOW',
  ]);
});

test('compares roles side by side', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.goto('/app/user-management?tab=roles');
  await page.getByText('เปรียบเทียบบทบาท').click();
  await expect(page).toHaveURL('/app/user-management?tab=roles&view=compare');
  const table = page.getByRole('table');
  await expect(table.getByRole('columnheader', { name: 'พยาบาล' })).toBeVisible();
  const row = table.getByRole('row', { name: /ดูบันทึกการใช้งาน/ });
  await expect(row.getByRole('cell').first()).toHaveText('มี');
  await expect(row.getByRole('cell').nth(2)).toHaveText('ไม่มี');
  await page.getByRole('region', { name: 'เปรียบเทียบบทบาท' }).evaluate((box_) => box_.scrollTo(0, 9999));
  await expect(table.getByRole('columnheader', { name: 'พยาบาล' })).toBeInViewport();
  await table.getByRole('link', { name: 'พยาบาล', exact: true }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'พยาบาล' })).toBeVisible();
});

test('the number of users links to them', async ({ page, signInAs, records }) => {
  const role = await records.role(['DASHBOARD.SHOW']);
  const user = await records.user(role.id);
  await signInAs('admin');
  await page.goto(rolePath(role.id));
  await page.getByRole('link', { name: `ดูผู้ใช้งาน 1 คนในบทบาท${role.label}` }).click();
  await expect(page).toHaveURL(`/app/user-management?roleId=${role.id}`);
  await expect(page.getByText(user.name).first()).toBeVisible();
});

test('a phone shows the list first, then the role', async ({ page, signInAs }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await signInAs('admin');
  await page.goto('/app/user-management?tab=roles');
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  await page.getByRole('link', { name: 'พยาบาล', exact: true }).click();
  await expect(box(page, 'APPOINTMENT.SHOW')).toBeVisible();
  await expect(page.getByRole('list', { name: 'รายการบทบาท' })).toHaveCount(0);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(360);
  await page.getByRole('link', { name: 'รายการบทบาท' }).click();
  await expect(page.getByRole('list', { name: 'รายการบทบาท' })).toBeVisible();
});

test('shows a failed load and retries it', async ({ page, signInAs }) => {
  await signInAs('admin');
  await page.route('**/api/v1/role/permissions', (route) =>
    route.fulfill({
      status: 403,
      json: { success: false, error: { code: 'NOT_NOW', message: 'ยังโหลดไม่ได้', requestId: 'req-9' } },
    }),
  );
  await page.goto('/app/user-management?tab=roles');
  await expect(page.getByRole('alert')).toContainText('ยังโหลดไม่ได้');
  await expect(page.getByRole('alert')).toContainText('req-9');
  await page.unroute('**/api/v1/role/permissions');
  await page.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'ผู้ดูแลระบบ' })).toBeVisible();
});

test('no axe violations while a role is edited and in a conflict', { tag: '@long' }, async ({
  page,
  signInAs,
  records,
}) => {
  test.slow();
  const role = await records.role(['DASHBOARD.SHOW', 'SLOT.SHOW']);
  await signInAs('admin');
  await page.goto(rolePath(role.id));
  await box(page, 'REPORT.SHOW').check();
  await box(page, 'SLOT.SHOW').uncheck();
  await expect(saveBar(page)).toBeVisible();
  // As high as the page: a target half below the save bar would be too small.
  await page.setViewportSize({ width: 1366, height: 3000 });
  await expectNoViolations(page, 'changed');
  await page.getByLabel('ชื่อบทบาท').fill(`${role.label} ของฉัน`);
  await records.updateRole({ ...role, label: `${role.label} ของเขา` }, ['DASHBOARD.SHOW', 'RESULT.SHOW']);
  await page.getByRole('button', { name: 'บันทึกบทบาท' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectNoViolations(page, 'conflict');
});

test('no axe violations in the comparison', { tag: '@long' }, async ({ page, signInAs }) => {
  test.slow();
  await signInAs('admin');
  await page.goto('/app/user-management?tab=roles&view=compare');
  await expect(page.getByRole('table')).toBeVisible();
  await expectNoViolations(page, 'comparison');
});
