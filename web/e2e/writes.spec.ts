import type { Locator, Page } from '@playwright/test';
import { calendarOf, dragToSlot, lastUndo, listOf, slotAt } from './appointment-support';
import { doubleClick } from './double-click-support';
import { field, NEW, open, typePerson, uniqueIdCard, uniqueThai } from './patient-support';
import { openSchedule, quietDay, scheduleCell, test } from './schedule-support';
import { dropNextResponse, expect, fillLogIn, logInOnPage, requestsTo, toastsLoaded } from './support';

const MON = quietDay(1);
const OFFLINE = 'ไม่มีการเชื่อมต่อเครือข่าย';
/** Milliseconds between the two clicks of a double-click. */
const GAPS = [60, 90, 120];
const tagOf = (gap: number) => ({ tag: gap === 90 ? [] : '@long' });

const offlineAlert = (page: Page) => page.getByRole('alert').filter({ hasText: OFFLINE });
const confirmButton = (page: Page, name: string) => page.getByRole('button', { name: `ยืนยันนัด: ${name}` });

/** Clicks while offline, waits for the error, and returns the requests that are sent to `path` after that. */
async function clickOffline(page: Page, button: Locator, error: Locator, path: string) {
  await toastsLoaded(page);
  await page.context().setOffline(true);
  await button.click();
  await expect(error).toBeVisible();
  return requestsTo(page, path);
}

test('a registration fails at once when offline, keeps the form, and is not sent later', async ({
  page,
  signInAs,
}) => {
  await open(page, signInAs, 'registrar', NEW);
  const name = uniqueThai('ออฟไลน์');
  await typePerson(page, uniqueIdCard(), name);
  const button = page.getByRole('button', { name: 'ลงทะเบียน', exact: true });
  const sent = await clickOffline(page, button, offlineAlert(page), '/patients/create');
  await expect(field(page, 'ชื่อ')).toHaveValue(name);
  await page.getByRole('link', { name: 'แดชบอร์ด' }).first().click();
  await page.getByRole('button', { name: 'ออกโดยไม่บันทึก' }).click();
  await expect(page).toHaveURL('/app/dashboard');
  await page.context().setOffline(false);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'แดชบอร์ด' })).toBeVisible();
  await expect(page).toHaveURL('/app/dashboard');
  expect(sent).toEqual([]);
});

test('a form is not lost when a part of the shell fails to load', async ({ page, signInAs }) => {
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('account-menu'));
  await page.route('**/assets/account-menu*', (route) => route.abort());
  await open(page, signInAs, 'registrar', NEW);
  await field(page, 'ชื่อ').fill('สมชาย');
  await failed;
  await page.unroute('**/assets/account-menu*');
  // The network is back, and so is the menu.
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await page.getByRole('button', { name: /^บัญชีของ/ }).click();
  await expect(page.getByRole('menuitem', { name: 'ข้อมูลของฉันและความปลอดภัย' })).toBeVisible();
  await expect(field(page, 'ชื่อ')).toHaveValue('สมชาย');
});

test('a registration whose response is lost is retried with the same key', async ({ page, signInAs }) => {
  await open(page, signInAs, 'registrar', NEW);
  const name = uniqueThai('อีกครั้ง');
  await typePerson(page, uniqueIdCard(), name);
  const sent = requestsTo(page, '/patients/create');
  await dropNextResponse(page, '**/patients/create');
  await page.getByRole('button', { name: 'ลงทะเบียน', exact: true }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'ติดต่อระบบไม่ได้' });
  await expect(alert).toBeVisible();
  await alert.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
  await expect(page.getByRole('heading', { level: 2, name: `นาย${name} ใจดี` })).toBeVisible();
  expect(sent.map(({ key }) => key)).toEqual([sent[0]?.key, sent[0]?.key]);
  expect(sent[0]?.key).toMatch(/^[0-9a-f]{32}$/);
});

test('signing in fails at once when offline, and can be retried', async ({ page }) => {
  await page.goto('/login');
  await fillLogIn(page, 'nurse');
  const button = page.getByRole('button', { name: 'เข้าสู่ระบบ' });
  const sent = await clickOffline(page, button, offlineAlert(page), '/auth/login');
  await page.context().setOffline(false);
  await expect(page).toHaveURL('/login');
  expect(sent).toEqual([]);
  await offlineAlert(page).getByRole('button', { name: 'ลองอีกครั้ง' }).click();
  await expect(page).toHaveURL('/app/dashboard');
});

test('the next user is not offered to retry or undo', async ({ page, booking }) => {
  const { service, date, name } = booking;
  // With its own session: signing out ends it, and other tests share theirs.
  await page.goto('/login');
  await logInOnPage(page, 'registrar');
  await expect(page).toHaveURL('/app/dashboard');
  await page.goto(listOf(service, date));
  await expect(confirmButton(page, name)).toBeVisible();
  await clickOffline(page, confirmButton(page, name), page.getByText(OFFLINE), '/mark-status');
  await page.context().setOffline(false);
  // The toast covers the button.
  await page.getByRole('button', { name: 'ออกจากระบบ' }).press('Enter');
  await logInOnPage(page, 'nurse');
  await expect(page).toHaveURL('/app/dashboard');
  await expect(page.getByText(OFFLINE)).toHaveCount(0);
});

test('a status change fails at once when offline, and is not sent later', async ({
  page,
  booking,
  clinic,
  signInAs,
}) => {
  const { service, date, name, appointment } = booking;
  await signInAs('registrar');
  await page.goto(listOf(service, date));
  await expect(confirmButton(page, name)).toBeVisible();
  const sent = await clickOffline(page, confirmButton(page, name), page.getByText(OFFLINE), '/mark-status');
  await page.context().setOffline(false);
  await page.reload();
  await expect(confirmButton(page, name)).toBeVisible();
  expect(sent).toEqual([]);
  expect(await clinic.details(appointment.id)).toMatchObject({ status: 'BOOKED' });
});

for (const gap of GAPS) {
  test(`two clicks ${gap} ms apart create one closure`, tagOf(gap), async ({ page, signInAs, planner }) => {
    const service = await planner.addService();
    await signInAs('nurse');
    await openSchedule(page, service);
    await page.getByRole('grid').getByRole('columnheader').nth(1).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'งดช่วงเวลาที่เลือก' }).click();
    const reason = uniqueThai('ประชุม');
    await dialog.getByLabel('เหตุผล').fill(reason);
    await doubleClick(page, dialog.getByRole('button', { name: 'งดให้บริการ' }), gap);
    const made = async () =>
      (await planner.closuresOf(Number(MON.slice(0, 4)))).filter((closure) => closure.reason === reason);
    await expect.poll(async () => (await made()).length).toBe(1);
    await page.reload();
    expect(await made()).toHaveLength(1);
    await planner.openAgain(await made());
  });

  test(
    `two clicks ${gap} ms apart change a capacity once, and it can be undone`,
    tagOf(gap),
    async ({ page, signInAs, planner }) => {
      const service = await planner.addService();
      await planner.setCapacity(service, MON, '10:00', 6);
      await signInAs('nurse');
      await openSchedule(page, service);
      const cell = scheduleCell(page, 1, 1);
      await cell.click();
      const sent = requestsTo(page, '/update-capacity');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/จำนวนที่รับ/).fill('7');
      await doubleClick(page, dialog.getByRole('button', { name: 'บันทึกจำนวน' }), gap);
      await expect(cell).toHaveText('0 / 7ว่าง 7');
      expect(sent).toHaveLength(1);
      await page.getByRole('button', { name: 'เลิกทำ' }).click();
      await expect(cell).toHaveText('0 / 6ว่าง 6');
      expect(await planner.capacitiesOn(service, MON)).toBe('4 6 4');
    },
  );

  test(
    `two clicks ${gap} ms apart move an appointment once, and it can be undone`,
    tagOf(gap),
    async ({ page, booking, clinic, signInAs }) => {
      const { service, date, name, appointment } = booking;
      await signInAs('registrar');
      await page.goto(calendarOf(service, date));
      const dialog = await dragToSlot(page, name, '10:00');
      await doubleClick(page, dialog.getByRole('button', { name: 'เลื่อนนัด' }), gap);
      await expect(slotAt(page, '10:00')).toContainText(name);
      await lastUndo(page).click();
      await expect(slotAt(page, '08:00')).toContainText(name);
      expect(await clinic.details(appointment.id)).toMatchObject({ startTime: '08:00', version: 3 });
    },
  );

  test(
    `two clicks ${gap} ms apart cancel an appointment once`,
    tagOf(gap),
    async ({ page, booking, clinic, signInAs }) => {
      const { name, appointment } = booking;
      await signInAs('registrar');
      await page.goto(`/app/appointment/${appointment.id}/edit`);
      await page.getByRole('button', { name: 'ยกเลิกนัด' }).first().click();
      const dialog = page.getByRole('dialog', { name: `ยกเลิกนัดของ ${name}` });
      await dialog.getByLabel('เหตุผล').fill('ไม่สะดวก');
      await doubleClick(page, dialog.getByRole('button', { name: 'ยกเลิกนัด', exact: true }), gap);
      await expect(dialog).toBeHidden();
      await expect(page.getByText('มีผู้อื่นแก้ไข')).toHaveCount(0);
      expect(await clinic.details(appointment.id)).toMatchObject({ status: 'CANCELLED', version: 2 });
    },
  );

  test(
    `two clicks ${gap} ms apart change a status once, without a false conflict`,
    tagOf(gap),
    async ({ page, booking, clinic, signInAs }) => {
      const { service, date, name, appointment } = booking;
      await signInAs('registrar');
      await page.goto(listOf(service, date));
      await doubleClick(page, confirmButton(page, name), gap);
      await expect(page.getByRole('button', { name: 'เลิกทำ' })).toBeVisible();
      await expect(page.getByText('มีผู้อื่นแก้ไข')).toHaveCount(0);
      expect(await clinic.details(appointment.id)).toMatchObject({ status: 'CONFIRMED', version: 2 });
    },
  );
}
