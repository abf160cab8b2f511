import {
  calendarOf,
  dayFromNow,
  dragToSlot,
  lastUndo,
  person,
  runningSlot,
  slotAt,
  test,
  thaiDay,
} from './appointment-support';
import { fullName } from './patient-support';
import { expect, expectNoViolations } from './support';

const CALENDAR = '/app/appointment/calendar';

/** A future day followed by another of the same month. */
function dayWithNext(): [string, string] {
  let ahead = 2;
  while (dayFromNow(ahead).slice(0, 7) !== dayFromNow(ahead + 1).slice(0, 7)) ahead += 1;
  return [dayFromNow(ahead), dayFromNow(ahead + 1)];
}

const MONTHS = 'มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม'.split(
  ' ',
);
/** '2026-11-15' → 'พฤศจิกายน 2569' */
const thaiMonth = (iso: string) => `${MONTHS[Number(iso.slice(5, 7)) - 1]} ${Number(iso.slice(0, 4)) + 543}`;

test('a month shows its load, by service on demand; a day opens, and Back returns', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService({ capacity: 1 });
  const [day, next] = dayWithNext();
  for (const time of ['08:00', '09:00']) await clinic.book(await registration.register(), service, day, time);
  await clinic.close(service, next, 'แพทย์ลาประชุม');
  await signInAs('registrar');
  let people = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/calendar-list') && request.postData()?.includes('includeAppointments'))
      people += 1;
  });
  await page.goto(`${CALENDAR}?service=${service.id}&date=${day}`);
  await expect(page.getByRole('heading', { name: thaiMonth(day) })).toBeVisible();
  const load = page.getByRole('link', { name: /จอง 2 จาก 4 ที่ ปานกลาง/ });
  await expect(load).toBeVisible();
  expect(people, 'a month asks for counts alone').toBe(0);
  // The breakdown opens on focus and on hover, and closes on Escape.
  await page.getByLabel('สถานะ', { exact: true }).focus();
  await page.keyboard.press('Tab');
  if (
    await page.getByRole('button', { name: 'ล้างตัวกรอง' }).evaluate((one) => one === document.activeElement)
  ) {
    await page.keyboard.press('Tab');
  }
  await expect(load).toBeFocused();
  const breakdown = page.getByRole('tooltip');
  await expect(breakdown).toContainText(service.name);
  await expect(breakdown).toContainText('2/4');
  await page.keyboard.press('ArrowRight');
  const closed = page.getByRole('link', { name: /งด: แพทย์ลาประชุม/ });
  await expect(closed).toBeFocused();
  await expect(closed).toContainText('แพทย์ลาประชุม');
  await page.keyboard.press('ArrowLeft');
  await expect(load).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(breakdown).toHaveCount(0);
  await load.hover();
  await expect(breakdown).toContainText(service.name);
  await load.press('Enter');
  await expect(page).toHaveURL(new RegExp(`date=${day}&view=day`));
  await expect(slotAt(page, '10:00')).toContainText('ว่าง 1');
  await page.goBack();
  await expect(load).toBeVisible();
  // The arrow keys change the month at its edge; so do the buttons and a typed date.
  await load.focus();
  await page.keyboard.press('PageDown');
  await expect(page.getByRole('heading', { name: thaiMonth(day) })).toHaveCount(0);
  await expect(page.locator(':focus')).toHaveAttribute('data-date', /-\d\d$/);
  await page.getByRole('button', { name: 'วันนี้', exact: true }).click();
  await expect(page.getByRole('heading', { name: thaiMonth(dayFromNow(0)) })).toBeVisible();
  await page.getByLabel('ไปที่วันที่', { exact: true }).fill('9/2/2570');
  await expect(page.getByRole('heading', { name: 'กุมภาพันธ์ 2570' })).toBeVisible();
});

test('a day shows patients; filters are in the address, an empty slot books, and the card has the details', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService();
  const [day] = dayWithNext();
  const [one, other] = [await registration.register(), await registration.register()];
  await clinic.book(one, service, day, '08:00', { reason: 'ปวดศีรษะ' });
  const confirmed = await clinic.book(other, service, day, '09:00');
  await clinic.mark(confirmed.id, 'CONFIRMED');
  await signInAs('registrar');
  await page.goto(calendarOf(service, day));
  await expect(slotAt(page, '08:00')).toContainText(fullName(one));
  await expect(slotAt(page, '09:00')).toContainText(fullName(other));
  await page.getByLabel('สถานะ', { exact: true }).selectOption('ผู้ป่วยยืนยันแล้ว');
  await expect(person(page, fullName(one))).toHaveCount(0);
  await expect(page).toHaveURL(/status=CONFIRMED/);
  await page.reload();
  await expect(person(page, fullName(other))).toBeVisible();
  await expect(person(page, fullName(one))).toHaveCount(0);
  await page.goBack();
  await expect(person(page, fullName(one))).toBeVisible();
  await page.getByText('สัปดาห์', { exact: true }).click();
  await expect(page.getByRole('grid', { name: /^นัดหมายสัปดาห์/ })).toContainText(fullName(other));
  await page.goBack();
  await expect(page.getByRole('grid', { name: /^นัดหมายวัน/ })).toBeVisible();
  // By keyboard: down from the slot to a patient in it, Enter, and back.
  await slotAt(page, '08:00')
    .getByRole('button', { name: /^จองเวลา 08:00/ })
    .focus();
  await page.keyboard.press('ArrowDown');
  await expect(person(page, fullName(one))).toBeFocused();
  await page.keyboard.press('Enter');
  const card = page.getByRole('dialog', { name: /^นัด / });
  for (const text of [
    fullName(one),
    `HN ${one.hn}`,
    service.name,
    thaiDay(day).slice(-4),
    'ปวดศีรษะ',
    'นัดแล้ว',
  ]) {
    await expect(card).toContainText(text);
  }
  await expect(card.getByRole('link', { name: 'แก้ไขนัด' })).toBeVisible();
  await expect(card.getByRole('button', { name: 'พิมพ์ใบนัด' })).toBeVisible();
  await card.getByRole('button', { name: 'ยืนยันนัด' }).click();
  await expect(card).toContainText('ผู้ป่วยยืนยันแล้ว');
  await page.keyboard.press('Escape');
  await expect(person(page, fullName(one))).toBeFocused();
  // A click anywhere in an empty slot books it.
  await slotAt(page, '11:00').click();
  await expect(page).toHaveURL(new RegExp(`create\\?.*serviceId=${service.id}.*date=${day}.*time=11`));
  await expect(page.getByRole('radio', { name: /^11:00/ })).toBeChecked();
});

test('moves by dragging and by keyboard, undoes it, and shows a rejected move', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  test.slow();
  const service = await clinic.addService({ capacity: 1 });
  const [day, next] = dayWithNext();
  const patient = await registration.register();
  const name = fullName(patient);
  const booked = await clinic.book(patient, service, day, '08:00');
  await clinic.book(await registration.register(), service, day, '11:00');
  await signInAs('registrar');
  await page.goto(calendarOf(service, day));
  const dialog = await dragToSlot(page, name, '10:00');
  await expect(dialog).toContainText('08:00 น.');
  await expect(dialog).toContainText('10:00 น.');
  await dialog.getByRole('button', { name: 'เลื่อนนัด' }).click();
  await expect(slotAt(page, '10:00')).toContainText(name);
  await lastUndo(page).click();
  await expect(slotAt(page, '08:00')).toContainText(name);
  expect(await clinic.details(booked.id)).toMatchObject({ startTime: '08:00', number: booked.number });
  // The server rejects the move: nothing moves, and the dialog shows the reason and free seats.
  await dragToSlot(page, name, '11:00');
  await dialog.getByRole('button', { name: 'เลื่อนนัด' }).click();
  await expect(dialog.getByRole('alert')).toContainText('เต็ม');
  await expect(dialog).toContainText('นัดยังอยู่ที่เวลาเดิม');
  await expect(slotAt(page, '08:00')).toContainText(name);
  await dialog.getByRole('button', { name: new RegExp(`${thaiDay(next)} 08:00 น`) }).click();
  await dialog.getByRole('button', { name: 'เลื่อนนัด' }).click();
  await expect(person(page, name)).toHaveCount(0);
  expect(await clinic.details(booked.id)).toMatchObject({ date: next, startTime: '08:00' });
  await lastUndo(page).click();
  await expect(slotAt(page, '08:00')).toContainText(name);
  // Another user was faster: the new state is shown before the user confirms again.
  await dragToSlot(page, name, '10:00');
  const { version } = await clinic.details(booked.id);
  await clinic.call('appointment/update', { id: booked.id, version, startTime: '09:00' });
  await dialog.getByRole('button', { name: 'เลื่อนนัด' }).click();
  await expect(dialog).toContainText('ข้อมูลล่าสุดแสดงอยู่ด้านบนแล้ว');
  await expect(dialog).toContainText('09:00 น.');
  await dialog.getByRole('button', { name: 'กลับ' }).click();
  await expect(slotAt(page, '09:00')).toContainText(name);
  // Without a mouse: from the card to the free times.
  await person(page, name).press('Enter');
  const card = page.getByRole('dialog', { name: `นัด ${booked.number}` });
  await card.getByRole('button', { name: 'เลื่อนนัด' }).press('Enter');
  await card.getByRole('radio', { name: /^10:00/ }).press('Space');
  await card.getByRole('button', { name: /^เลื่อนนัด: .*10:00/ }).press('Enter');
  await dialog.getByRole('button', { name: 'เลื่อนนัด' }).press('Enter');
  await expect(slotAt(page, '10:00')).toContainText(name);
  await expect(card).toBeHidden();
  expect(await clinic.details(booked.id)).toMatchObject({ startTime: '10:00' });
});

test('checks in from the card; a user who may only set statuses neither books nor drags', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService({ from: '00:00', to: '24:00' });
  const patient = await registration.register();
  await clinic.book(patient, service, dayFromNow(0), runningSlot(60), { kind: 'WALK_IN' });
  await signInAs('queue');
  await page.goto(`${CALENDAR}?view=day&service=${service.id}`);
  const name = fullName(patient);
  await expect(person(page, name)).not.toHaveAttribute('draggable', 'true');
  await expect(page.getByRole('button', { name: /^จองเวลา/ })).toHaveCount(0);
  await person(page, name).click();
  const card = page.getByRole('dialog', { name: /^นัด / });
  await card.getByRole('button', { name: 'มาถึงแล้ว' }).click();
  await expect(card).toContainText('คิว 1');
  await expect(card.getByRole('button', { name: 'เลื่อนนัด' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(person(page, name)).toHaveAccessibleName(/มาถึงแล้ว$/);
  await lastUndo(page).click();
  await expect(person(page, name)).toHaveAccessibleName(/นัดแล้ว$/);
});

test('month, week, day and card have no axe violations and fit a phone', {
  tag: '@long',
}, async ({ page, signInAs }) => {
  test.slow();
  await signInAs('admin');
  await page.goto(CALENDAR);
  await page.locator('[data-item][data-date]').nth(16).focus();
  await expect(page.getByRole('tooltip')).toBeVisible();
  await expectNoViolations(page, 'the month');
  await page.goto(`${CALENDAR}?view=week`);
  await expect(page.getByRole('grid')).toBeVisible();
  await expectNoViolations(page, 'the week');
  await page.goto(`${CALENDAR}?view=day&service=1`);
  await page.locator('[data-id]').first().click();
  await expect(page.getByRole('dialog').getByRole('region', { name: 'สถานะ' })).toBeVisible();
  await expectNoViolations(page, 'the day with a card');
  await page.setViewportSize({ width: 360, height: 740 });
  for (const view of ['month', 'week', 'day']) {
    await page.goto(`${CALENDAR}?view=${view}`);
    await expect(page.locator('[data-item]').first()).toBeVisible();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide, `${view} is as wide as the phone`).toBeLessThanOrEqual(0);
  }
});

test('prints all patients of a full slot', async ({ page, registration, clinic, signInAs }) => {
  const service = await clinic.addService({ capacity: 7 });
  const day = dayFromNow(2);
  for (let count = 0; count < 7; count += 1)
    await clinic.book(await registration.register(), service, day, '08:00');
  await signInAs('registrar');
  await page.goto(`${CALENDAR}?view=week&service=${service.id}&date=${day}`);
  const people = page.getByRole('grid').locator('[data-id]');
  const more = page.getByRole('button', { name: 'อีก 3 คน' });
  await expect(more).toBeVisible();
  await expect(people).toHaveCount(4);
  // Emulates what the browser does for printing.
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await expect(people).toHaveCount(7);
  await expect(more).toHaveCount(0);
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  await expect(more).toBeVisible();
  await more.click();
  const fewer = page.getByRole('button', { name: 'แสดงน้อยลง' });
  await expect(fewer).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(fewer).toBeHidden();
});
