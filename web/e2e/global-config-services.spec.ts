import type { Page } from '@playwright/test';
import { adminCall, expectNoSidewaysScroll } from './accounts';
import { uniqueThai } from './patient-support';
import { test as base, unique } from './role-support';
import { addService, readService, removeService, SERVICE_API, type TestService } from './service-support';
import { expect, pressUntil, violations, withSettings } from './support';

const SERVICES = '/app/global-config?tab=services';
const list = (page: Page) => page.getByRole('list', { name: 'รายการบริการ' });
const row = (page: Page, name: string) => list(page).getByRole('listitem').filter({ hasText: name });
const drawer = (page: Page) => page.getByRole('dialog');
const saveBar = (page: Page) => page.getByRole('region', { name: 'สิ่งที่จะบันทึก', exact: true });
const save = (page: Page) => drawer(page).getByRole('button', { name: 'บันทึก', exact: true });

/** Services of one test, deleted at its end. */
const test = base.extend<{ token: string; service: (fields?: object) => Promise<TestService> }>({
  token: async ({ request, tokensOf }, use) => use((await tokensOf(request, 'admin')).accessToken),
  service: async ({ request, token }, use) => {
    const made: number[] = [];
    await use(async (fields) => {
      const service = await addService(request, token, fields);
      made.push(service.id);
      return service;
    });
    for (const id of made) await removeService(request, token, id);
  },
});

test('adds a service, shows its changes before saving, and lists it', async ({
  page,
  signInAs,
  request,
  token,
}) => {
  await signInAs('admin');
  await page.goto(SERVICES);
  await page.getByRole('link', { name: 'เพิ่มบริการ' }).click();
  const name = uniqueThai('คลินิก');
  const code = `N${unique()}`;
  await save(page).click();
  await expect(drawer(page).getByText('กรุณากรอกข้อมูล')).toBeVisible();
  await expect(drawer(page).getByLabel('ชื่อบริการ')).toBeFocused();
  await drawer(page).getByLabel('ชื่อบริการ').fill(name);
  await drawer(page).getByLabel('รหัสบริการ').fill(code.toLowerCase());
  await drawer(page).getByLabel('หน่วยงาน').fill('ศูนย์ทดสอบ');
  await drawer(page).getByRole('button', { name: 'สีของบริการ #7e22ce' }).click();
  await drawer(page).getByLabel('จำนวนที่รับต่อช่วง (คน)').fill('7');
  await drawer(page).getByLabel('จองล่วงหน้าได้ไม่เกิน (วัน): ใช้ค่าของโรงพยาบาล').uncheck();
  await drawer(page).getByLabel('จองล่วงหน้าได้ไม่เกิน (วัน)', { exact: true }).fill('45');
  await drawer(page).getByRole('combobox', { name: 'ผู้ให้บริการ' }).fill('ธนกฤต');
  await page.getByRole('option', { name: /ธนกฤต/ }).first().click();
  await page.keyboard.press('Escape');
  await save(page).click();
  await expect(page.getByText(`เพิ่มบริการ ${name} แล้ว`)).toBeVisible();
  await expect(drawer(page)).toBeHidden();
  await expect(row(page, name)).toContainText(code);
  await expect(row(page, name)).toContainText('ช่วงละ 30 นาที รับ 7 คน');
  await expect(row(page, name)).toContainText('ยังไม่กำหนดเวลาให้บริการ');

  await row(page, name).getByRole('link', { name }).click();
  await expect(saveBar(page)).toContainText('ยังไม่มีการเปลี่ยนแปลง');
  await drawer(page).getByLabel('สถานที่').fill('อาคาร ๙ ชั้น 1');
  await drawer(page).getByLabel('จำนวนที่รับต่อช่วง (คน)').fill('8');
  await expect(saveBar(page).getByRole('deletion')).toContainText('7');
  await expect(saveBar(page).getByRole('insertion').filter({ hasText: 'อาคาร ๙ ชั้น 1' })).toBeVisible();
  await save(page).click();
  await expect(page.getByText(`บันทึกบริการ ${name} แล้ว: สถานที่, จำนวนที่รับต่อช่วง (คน)`)).toBeVisible();
  await expect(saveBar(page)).toContainText('ยังไม่มีการเปลี่ยนแปลง');
  const services = await adminCall<TestService[]>(request, token, `${SERVICE_API}/list?all=true`);
  const saved = services.find((one) => one.code === code);
  expect(saved).toMatchObject({
    name,
    location: 'อาคาร ๙ ชั้น 1',
    color: '#7e22ce',
    defaultCapacity: 8,
    bookingWindowDays: 45,
    leadMinutes: null,
    active: true,
  });
  expect(saved?.staffIds).toHaveLength(1);
  await removeService(request, token, saved?.id ?? 0);
});

test('shows a duplicate code at its field; a copy needs its own code', async ({
  page,
  signInAs,
  request,
  token,
  service,
}) => {
  const hours = [{ weekday: 1, startTime: '09:00', endTime: '12:00', slotMinutes: 20, capacity: 3 }];
  const original = await service({ schedule: hours, instructions: 'งดน้ำงดอาหาร' });
  await signInAs('admin');
  await page.goto(SERVICES);
  await page.getByRole('button', { name: `จัดการบริการ ${original.name}` }).click();
  await page.getByRole('menuitem', { name: 'คัดลอกเป็นบริการใหม่' }).click();
  await expect(drawer(page)).toContainText('คัดลอกเวลาให้บริการมาด้วย: จ. 09:00–12:00');
  const code = drawer(page).getByLabel('รหัสบริการ');
  await expect(code).toHaveValue('');
  await expect(drawer(page).getByLabel('คำแนะนำบนใบนัด')).toHaveValue('งดน้ำงดอาหาร');
  await code.fill(original.code);
  await save(page).click();
  await expect(code).toHaveAttribute('aria-invalid', 'true');
  await expect(code).toBeFocused();
  const own = `C${unique()}`;
  await code.fill(own);
  await drawer(page).getByLabel('ชื่อบริการ').fill(`${original.name} บ่าย`);
  await save(page).click();
  await expect(row(page, `${original.name} บ่าย`)).toContainText('จ. 09:00–12:00');
  const services = await adminCall<TestService[]>(request, token, `${SERVICE_API}/list?all=true`);
  const copy = services.find((one) => one.code === own);
  expect(copy?.schedule).toMatchObject(hours);
  await removeService(request, token, copy?.id ?? 0);
});

test('the order is changed by keyboard and by dragging, and is saved', async ({
  page,
  signInAs,
  request,
  token,
  service,
}) => {
  const sort = 1000 + Math.floor(Math.random() * 8000);
  const first = await service({ sort, name: uniqueThai('ก่อน') });
  const second = await service({ sort, name: uniqueThai('หลัง') });
  const place = async (id: number) => (await readService(request, token, id)).sort;
  const order = () =>
    list(page)
      .getByRole('link')
      .filter({ hasText: new RegExp(`^(${first.name}|${second.name})$`) });
  await signInAs('admin');
  await page.goto(SERVICES);
  await expect(order()).toHaveText([first.name, second.name]);
  const down = page.getByRole('button', { name: `เลื่อน ${first.name} ลง` });
  await down.focus();
  await page.keyboard.press('Enter');
  await expect(order()).toHaveText([second.name, first.name]);
  await expect(down).toBeFocused();
  await expect(page.getByText(new RegExp(`^${first.name} อยู่ลำดับที่ \\d+ จาก \\d+$`))).toBeAttached();
  await expect(page.getByText('บันทึกลำดับบริการแล้ว')).toBeVisible();
  await expect.poll(async () => (await place(second.id)) < (await place(first.id))).toBe(true);
  await page.reload();
  await expect(order()).toHaveText([second.name, first.name]);
  await row(page, first.name).getByTitle('ลากเพื่อเปลี่ยนลำดับ').dragTo(row(page, second.name));
  await expect(order()).toHaveText([first.name, second.name]);
  await expect.poll(async () => (await place(first.id)) < (await place(second.id))).toBe(true);
});

test('deactivating can be undone; a booked service is deactivated instead of deleted', async ({
  page,
  signInAs,
  request,
  token,
  service,
}) => {
  const { id, name } = await service();
  await signInAs('admin');
  await page.goto(SERVICES);
  const menu = page.getByRole('button', { name: `จัดการบริการ ${name}` });
  await menu.click();
  await page.getByRole('menuitem', { name: 'ปิดรับนัด' }).click();
  await page.getByRole('button', { name: 'เลิกทำ' }).click();
  await expect(row(page, name)).toContainText('เปิดรับนัด');
  // The server's response while there are upcoming appointments.
  await page.route('**/service-config/delete', (route) =>
    route.fulfill({
      status: 409,
      json: {
        success: false,
        error: { code: 'IN_USE', message: 'ยังมีนัด 12 รายการ', details: { count: 12 }, requestId: 'req-1' },
      },
    }),
  );
  await menu.click();
  await page.getByRole('menuitem', { name: 'ลบบริการ' }).click();
  const dialog = page.getByRole('dialog', { name: `ลบบริการ ${name}` });
  await dialog.getByRole('button', { name: 'ลบบริการ' }).click();
  await expect(dialog.getByRole('alert')).toContainText('12 รายการ');
  await dialog.getByRole('button', { name: 'ปิดรับนัด' }).click();
  await expect(row(page, name)).toContainText('ปิดรับนัด');
  // "เปิดรับนัด" contains the other label, so the server's state is checked.
  await expect.poll(async () => (await readService(request, token, id)).active).toBe(false);
  await page.unroute('**/service-config/delete');
  await menu.click();
  await page.getByRole('menuitem', { name: 'ลบบริการ' }).click();
  await dialog.getByRole('button', { name: 'ลบบริการ' }).click();
  await expect(page.getByText(`ลบบริการ ${name} แล้ว`)).toBeVisible();
  await expect(row(page, name)).toHaveCount(0);
});

test('two users change one service: asks about common fields, merges the others', async ({
  page,
  signInAs,
  request,
  token,
  service,
}) => {
  const { id, version, name } = await service({ location: 'เดิม' });
  await signInAs('admin');
  await page.goto(`${SERVICES}&service=${id}`);
  await drawer(page).getByLabel('สถานที่').fill('ของฉัน');
  await drawer(page).getByLabel('หน่วยงาน').fill('หน่วยของฉัน');
  await adminCall(request, token, `${SERVICE_API}/update`, {
    id,
    version,
    location: 'ของเขา',
    nameEn: 'Theirs',
  });
  const conflict = page.getByRole('dialog', { name: 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว' });
  await pressUntil(save(page), conflict);
  await expect(conflict.getByRole('radiogroup')).toHaveCount(1);
  await expect(conflict.getByRole('radiogroup', { name: 'สถานที่' })).toContainText('ของเขา');
  await conflict.getByRole('radio', { name: /ของเขา/ }).check();
  await conflict.getByRole('button', { name: 'บันทึกตามที่เลือก' }).click();
  await expect(page.getByText(`บันทึกบริการ ${name} แล้ว: หน่วยงาน`)).toBeVisible();
  expect(await readService(request, token, id)).toMatchObject({
    location: 'ของเขา',
    department: 'หน่วยของฉัน',
    nameEn: 'Theirs',
  });
});

test('asks before leaving unsaved changes', async ({ page, signInAs, service }) => {
  const { id } = await service();
  await signInAs('admin');
  await page.goto(`${SERVICES}&service=${id}`);
  const place = drawer(page).getByLabel('สถานที่');
  await place.fill('ชั้น 3');
  await place.press('Escape');
  const question = page.getByRole('dialog', { name: 'ยังไม่ได้บันทึก' });
  await question.getByRole('button', { name: 'อยู่หน้านี้ต่อ' }).click();
  await expect(place).toHaveValue('ชั้น 3');
  await saveBar(page).getByRole('button', { name: 'ยกเลิกการแก้ไข' }).click();
  await expect(place).toHaveValue('');
  await place.press('Escape');
  await expect(drawer(page)).toHaveCount(0);
});

test('a read-only user has no edit actions', async ({ page, context, records, service }) => {
  const { id, name } = await service({ location: 'ชั้น 2' });
  const role = await records.role(['DASHBOARD.SHOW', 'SIDEBAR.GLOBAL_CONFIG', 'SERVICE_CONFIG.SHOW']);
  await records.signIn(context, role.id);
  await page.goto(SERVICES);
  await expect(row(page, name)).toBeVisible();
  await expect(page.getByRole('button', { name: `เลื่อน ${name} ลง` })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'เพิ่มบริการ' })).toHaveCount(0);
  await page.goto(`${SERVICES}&service=${id}`);
  await expect(drawer(page).getByLabel('สถานที่')).toHaveAttribute('readonly', '');
  await expect(save(page)).toHaveCount(0);
});

for (const [look, settings] of [
  ['light', {}],
  ['dark', { dark: true }],
  ['mirrored', { rtl: true }],
] as const) {
  test(`services: no axe violations, ${look}`, { tag: '@long' }, async ({ page, signInAs, service }) => {
    test.slow();
    const { id, name } = await service({ active: false });
    await withSettings(page, settings);
    await signInAs('admin');
    await page.goto(SERVICES);
    await expect(row(page, name)).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScroll(page);
    await page.goto(`${SERVICES}&service=${id}`);
    await drawer(page).getByLabel('สถานที่').fill('ชั้น 3');
    await drawer(page).getByLabel('จำนวนที่รับต่อช่วง (คน)').fill('0');
    await save(page).click();
    await expect(drawer(page).getByText(/กรอกจำนวนเต็ม/)).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await expectNoSidewaysScroll(page);
  });
}
