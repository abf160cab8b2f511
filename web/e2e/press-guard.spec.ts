import type { Locator, Page } from '@playwright/test';
import { th } from '../src/i18n/th';
import { dayFromNow, type TestService } from './appointment-support';
import {
  type Booked,
  changesSince,
  doubleClick,
  marked,
  one,
  SOON,
  test,
  watchCalls,
} from './double-click-support';
import { fullName } from './patient-support';
import { expect } from './support';

test.use({ whose: 'press guard' });
test.describe.configure({ mode: 'default' });

const LIST = '/app/appointment/list';
const words = th.appointment;
const listOf = (service: TestService, date: string) =>
  `${LIST}?status=BOOKED&from=${date}&to=${date}&service=${service.id}`;

/** Moves the focus with the Tab key, as a user does; to the guard, a script would look like the app. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(async () => {
    await page.keyboard.press('Tab');
    await expect(target).toBeFocused({ timeout: 100 });
  }).toPass({ intervals: [0] });
}

test('other users’ changes do not move rows under a pointer that rests on an action', async ({ kit }) => {
  const { page, clinic, booked } = kit;
  const { service, rows } = await booked(3, SOON);
  await page.goto(listOf(service, SOON));
  const aimed = one(rows, 1);
  const row = page.getByRole('row').filter({ hasText: fullName(aimed.patient) });
  await row.getByRole('button').first().hover();
  const from = new Date().toISOString();
  const fetched = page.waitForResponse('**/appointment/list');
  await clinic.mark(one(rows).id, 'CANCELLED', 'ขอยกเลิก');
  await fetched;
  await page.mouse.down();
  await page.mouse.up();
  await expect
    .poll(async () => (await changesSince(kit, from)).sort())
    .toEqual([marked(one(rows)), marked(aimed)].sort());
  await expect(row).toContainText(words.statuses.CONFIRMED);
  // After the pointer has left, the list is updated.
  await page.mouse.move(0, 0);
  await expect(page.getByRole('row')).toHaveCount(2);
});

test('ignores a press on a row that has just moved under a resting pointer', async ({ kit }) => {
  const { page, clinic, booked } = kit;
  const { service, rows } = await booked(3, SOON);
  await page.goto(listOf(service, SOON));
  const names = page.locator('[data-row-link]');
  await expect(names).toHaveCount(3);
  const first = one(rows);
  await names.filter({ hasText: first.patient.firstName }).hover();
  const slid = page.waitForFunction(() => document.querySelectorAll('[data-row-link]').length === 2);
  await clinic.mark(first.id, 'CANCELLED', 'ขอยกเลิก');
  await slid;
  await page.mouse.down();
  await page.mouse.up();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  expect(new URL(page.url()).pathname).toBe(LIST);
  // Moving the pointer onto a control is a choice, so the press counts at once.
  await page.mouse.move(0, 0);
  await names.first().click();
  await expect(page).toHaveURL(/\/edit$/);
});

test('presses on different rows count without a pause, by mouse and by keyboard', async ({ kit }) => {
  const { page, booked } = kit;
  const { service, rows } = await booked(4, SOON);
  await page.goto(listOf(service, SOON));
  const button = ({ patient }: Booked) =>
    page
      .getByRole('row')
      .filter({ hasText: fullName(patient) })
      .getByRole('button')
      .first();
  const from = new Date().toISOString();
  for (const row of rows.slice(0, 2)) await button(row).click();
  await button(one(rows, 2)).focus();
  await page.keyboard.press('Enter');
  await tabTo(page, button(one(rows, 3)));
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await changesSince(kit, from)).sort()).toEqual(rows.map(marked).sort());
});

test('two Enters mark once', async ({ kit }) => {
  const { page, booked } = kit;
  const { service, rows } = await booked(3);
  await page.goto(listOf(service, dayFromNow(0)));
  const row = page.getByRole('row').filter({ hasText: fullName(one(rows).patient) });
  await row.getByRole('button').first().focus();
  const from = new Date().toISOString();
  const settled = watchCalls(page);
  await page.keyboard.press('Enter');
  await expect(row).toContainText(words.statuses.CHECKED_IN);
  await page.keyboard.press('Enter');
  await settled();
  await expect.poll(() => changesSince(kit, from)).toEqual([marked(one(rows))]);
});

for (const gap of [60, 120, 250]) {
  test(`clicks ${gap} ms apart step through days and weeks`, async ({ kit: { page } }) => {
    await page.goto(`/app/appointment/calendar?view=day&date=${SOON}`);
    await doubleClick(page, page.getByRole('button', { name: th.calendar.next.day }), gap);
    await expect(page).toHaveURL(new RegExp(`date=${dayFromNow(4)}`));
    await page.goto(`/app/serviceSchedule?date=${dayFromNow(7)}`);
    await doubleClick(page, page.getByRole('button', { name: th.schedule.nextWeek }), gap);
    await expect(page).toHaveURL(new RegExp(`date=${dayFromNow(21)}`));
  });
}

// A click on the pager scrolls to the top of the next page, away from the pager; the focus stays on it.
test('repeated Enter steps through pages', async ({ kit: { page } }) => {
  await page.goto('/app/patient-management');
  await page.getByRole('button', { name: th.table.next }).focus();
  for (const number of [2, 3, 4]) {
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`page=${number}`));
  }
});
