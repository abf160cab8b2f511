import type { Locator, Page } from '@playwright/test';
import { dayFromNow } from './appointment-support';
import { field, fullName, NEW, open, typePerson, uniqueCitizenId, uniqueThai } from './patient-support';
import { quietDay, test } from './schedule-support';
import { expect, PASSWORD } from './support';

const MON = quietDay(1);
const OFFLINE = 'ไม่มีการเชื่อมต่อเครือข่าย';
/** How far apart the presses of a hurried hand are, in milliseconds. */
const GAPS = [60, 90, 120];

/** What was sent to an operation: its body and the key of its attempt. */
function sentTo(page: Page, path: string) {
  const sent: { body: string; key: string }[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith(path))
      sent.push({ body: request.postData() ?? '', key: request.headers()['idempotency-key'] ?? '' });
  });
  return sent;
}

/** Two presses of the mouse at one place, whatever is there by the second. */
async function pressTwice(page: Page, target: Locator, gap: number) {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!box) throw new Error('nothing to press');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await page.waitForTimeout(gap);
  await page.mouse.click(x, y);
}

test('a registration without a network fails at once, keeps the form, and is not sent later', async ({
  page,
  signInAs,
}) => {
  await open(page, signInAs, 'registrar', NEW);
  const name = uniqueThai('ออฟไลน์');
  await typePerson(page, uniqueCitizenId(), name);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'ลงทะเบียน', exact: true }).click();
  await expect(page.getByRole('alert').filter({ hasText: OFFLINE })).toBeVisible();
  await expect(field(page, 'ชื่อ')).toHaveValue(name);
  const sent = sentTo(page, '/patients/create');
  await page.getByRole('link', { name: 'แดชบอร์ด' }).first().click();
  await page.getByRole('button', { name: 'ออกโดยไม่บันทึก' }).click();
  await expect(page).toHaveURL('/app/dashboard');
  await page.context().setOffline(false);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'แดชบอร์ด' })).toBeVisible();
  await expect(page).toHaveURL('/app/dashboard');
  expect(sent).toEqual([]);
});

test('a registration is tried again with what was typed, and done once', async ({ page, signInAs }) => {
  await open(page, signInAs, 'registrar', NEW);
  const name = uniqueThai('อีกครั้ง');
  await typePerson(page, uniqueCitizenId(), name);
  const sent = sentTo(page, '/patients/create');
  // The server has done it, and its answer is lost on the way.
  await page.route('**/patients/create', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await page.getByRole('button', { name: 'ลงทะเบียน', exact: true }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'ติดต่อระบบไม่ได้' });
  await expect(alert).toBeVisible();
  await page.unroute('**/patients/create');
  await alert.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
  await expect(page.getByRole('heading', { level: 2, name: `นาย${name} ใจดี` })).toBeVisible();
  expect(sent.map(({ key }) => key)).toEqual([sent[0]?.key, sent[0]?.key]);
  expect(sent[0]?.key).toMatch(/^[0-9a-f]{32}$/);
});

test('signing in without a network fails at once, and can be tried again', async ({ page }) => {
  await page.goto('/login');
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill('nurse');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(PASSWORD);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'เข้าสู่ระบบ' }).click();
  const alert = page.getByRole('alert').filter({ hasText: OFFLINE });
  await expect(alert).toBeVisible();
  const sent = sentTo(page, '/auth/login');
  await page.context().setOffline(false);
  await expect(page).toHaveURL('/login');
  expect(sent).toEqual([]);
  await alert.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
  await expect(page).toHaveURL('/app/dashboard');
});

test('a status without a network fails at once, and is not marked later', async ({
  page,
  desk,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService();
  const patient = await desk.register();
  const booked = await clinic.book(patient, service, dayFromNow(2), '09:00');
  await signInAs('registrar');
  await page.goto(`/app/appointment/list?from=${dayFromNow(2)}&to=${dayFromNow(2)}&service=${service.id}`);
  const button = page.getByRole('button', { name: `ยืนยันนัด: ${fullName(patient)}` });
  await expect(button).toBeVisible();
  await page.context().setOffline(true);
  await button.click();
  await expect(page.getByText(OFFLINE)).toBeVisible();
  const sent = sentTo(page, '/mark-status');
  await page.context().setOffline(false);
  await page.reload();
  await expect(button).toBeVisible();
  expect(sent).toEqual([]);
  expect(await clinic.details(booked.id)).toMatchObject({ status: 'BOOKED' });
});

for (const gap of GAPS) {
  test(`days closed by two presses ${gap} ms apart are closed once`, async ({ page, signInAs, planner }) => {
    const service = await planner.addService();
    await signInAs('nurse');
    await page.goto(`/app/serviceSchedule?service=${service.id}&date=${MON}`);
    await page.getByRole('grid').getByRole('columnheader').nth(1).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'งดช่วงเวลาที่เลือก' }).click();
    const reason = uniqueThai('ประชุม');
    await dialog.getByLabel('เหตุผล').fill(reason);
    await pressTwice(page, dialog.getByRole('button', { name: 'งดให้บริการ' }), gap);
    const made = async () =>
      (await planner.closuresOf(Number(MON.slice(0, 4)))).filter((closure) => closure.reason === reason);
    await expect.poll(async () => (await made()).length).toBe(1);
    await page.reload();
    expect(await made()).toHaveLength(1);
    await planner.openAgain(await made());
  });

  test(`a capacity saved by two presses ${gap} ms apart is changed once, and undone`, async ({
    page,
    signInAs,
    planner,
  }) => {
    const service = await planner.addService();
    await planner.setCapacity(service, MON, '10:00', 6);
    await signInAs('nurse');
    await page.goto(`/app/serviceSchedule?service=${service.id}&date=${MON}`);
    const cell = page.getByRole('grid').getByRole('row').nth(2).locator('td').nth(1);
    await cell.click();
    const sent = sentTo(page, '/update-capacity');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/จำนวนที่รับ/).fill('7');
    await pressTwice(page, dialog.getByRole('button', { name: 'บันทึกจำนวน' }), gap);
    await expect(cell).toHaveText('0 / 7ว่าง 7');
    expect(sent).toHaveLength(1);
    await page.getByRole('button', { name: 'เลิกทำ' }).click();
    await expect(cell).toHaveText('0 / 6ว่าง 6');
    expect(await planner.capacitiesOn(service, MON)).toBe('4 6 4');
  });

  test(`a move confirmed by two presses ${gap} ms apart happens once, and its undo moves it back`, async ({
    page,
    desk,
    clinic,
    signInAs,
  }) => {
    const service = await clinic.addService({ capacity: 1 });
    const day = dayFromNow(2);
    const patient = await desk.register();
    const booked = await clinic.book(patient, service, day, '08:00');
    await signInAs('registrar');
    await page.goto(`/app/appointment/calendar?view=day&date=${day}&service=${service.id}`);
    const at = (time: string) => page.locator(`[data-slot$=" ${time}"]`);
    await page.getByRole('button', { name: new RegExp(`^${fullName(patient)} `) }).dragTo(at('10:00'));
    const dialog = page.getByRole('dialog', { name: `เลื่อนนัดของ ${fullName(patient)}` });
    await pressTwice(page, dialog.getByRole('button', { name: 'เลื่อนนัด' }), gap);
    await expect(at('10:00')).toContainText(fullName(patient));
    await page.getByRole('button', { name: 'เลิกทำ' }).last().click();
    await expect(at('08:00')).toContainText(fullName(patient));
    expect(await clinic.details(booked.id)).toMatchObject({ startTime: '08:00', version: 3 });
  });

  test(`an appointment cancelled by two presses ${gap} ms apart is cancelled once`, async ({
    page,
    desk,
    clinic,
    signInAs,
  }) => {
    const service = await clinic.addService();
    const patient = await desk.register();
    const booked = await clinic.book(patient, service, dayFromNow(2), '09:00');
    await signInAs('registrar');
    await page.goto(`/app/appointment/${booked.id}/edit`);
    await page.getByRole('button', { name: 'ยกเลิกนัด' }).first().click();
    const why = page.getByRole('dialog', { name: `ยกเลิกนัดของ ${fullName(patient)}` });
    await why.getByLabel('เหตุผล').fill('ไม่สะดวก');
    await pressTwice(page, why.getByRole('button', { name: 'ยกเลิกนัด', exact: true }), gap);
    await expect(why).toBeHidden();
    await expect(page.getByText('มีผู้อื่นแก้ไข')).toHaveCount(0);
    expect(await clinic.details(booked.id)).toMatchObject({ status: 'CANCELLED', version: 2 });
  });

  test(`a status marked by two presses ${gap} ms apart is marked once, without a false conflict`, async ({
    page,
    desk,
    clinic,
    signInAs,
  }) => {
    const service = await clinic.addService();
    const patient = await desk.register();
    const booked = await clinic.book(patient, service, dayFromNow(2), '09:00');
    await signInAs('registrar');
    await page.goto(`/app/appointment/list?from=${dayFromNow(2)}&to=${dayFromNow(2)}&service=${service.id}`);
    const button = page.getByRole('button', { name: `ยืนยันนัด: ${fullName(patient)}` });
    await pressTwice(page, button, gap);
    await expect(page.getByRole('button', { name: 'เลิกทำ' })).toBeVisible();
    await expect(page.getByText('มีผู้อื่นแก้ไข')).toHaveCount(0);
    expect(await clinic.details(booked.id)).toMatchObject({ status: 'CONFIRMED', version: 2 });
  });
}
