import { readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import { dayFromNow, listOf, runningSlot, test, thaiDay } from './appointment-support';
import { fullName } from './patient-support';
import { expect, expectNoViolations, movePointerAway } from './support';

const LIST = '/app/appointment/list';

/** The texts of all files in a zip archive, joined. */
function unzipped(zip: Buffer): string {
  expect(zip.subarray(0, 4)).toEqual(Buffer.from('PK\x03\x04'));
  const texts: string[] = [];
  // The central directory has the position and length of each file; streamed entries do not.
  for (let at = zip.indexOf('PK\x01\x02'); at >= 0; at = zip.indexOf('PK\x01\x02', at + 4)) {
    const [size, start] = [zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)];
    const from = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28);
    const part = zip.subarray(from, from + size);
    texts.push((zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(part) : part).toString());
  }
  return texts.join('\n');
}

test('a whole visit: registered, booked, checked in, in service, completed; and undone', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  test.slow();
  const service = await clinic.addService({ from: '00:00', to: '24:00', minutes: 30 });
  const patient = await registration.register();
  const name = fullName(patient);
  await signInAs('nurse');
  await page.goto(`/app/appointment/create?patientId=${patient.id}&serviceId=${service.id}`);
  // A walk-in patient gets the current slot.
  await page.getByLabel('ประเภทนัด').selectOption('WALK_IN');
  await expect(page.getByTestId('chosen')).toContainText('วันนี้');
  await page.getByRole('button', { name: 'จองนัด' }).click();
  await page.getByRole('link', { name: 'ไปรายการนัดหมาย' }).click();
  await page.getByLabel('บริการ', { exact: true }).selectOption(service.name);
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('นัดแล้ว');
  const next = async (button: string, status: string) => {
    await movePointerAway(page);
    await row.getByRole('button', { name: `${button}: ${name}` }).click();
    await expect(row).toContainText(status);
  };
  await next('มาถึงแล้ว', 'คิว 1');
  await next('เริ่มตรวจ', 'กำลังตรวจ');
  await next('เสร็จสิ้น', 'เสร็จสิ้น');
  await expect(row.getByRole('button', { name: `เสร็จสิ้น: ${name}` })).toHaveCount(0);
  // Only the last change can be undone, from its toast.
  await expect(page.getByRole('button', { name: 'เลิกทำ' })).toHaveCount(1);
  await page.getByRole('button', { name: 'เลิกทำ' }).click();
  await expect(row).toContainText('กำลังตรวจ');
  // The history shows who did what.
  await row.getByRole('button', { name: /^จัดการนัดของ/ }).click();
  await page.getByRole('menuitem', { name: 'ประวัติ' }).click();
  const history = page.getByRole('dialog', { name: /^ประวัติของนัด/ });
  await expect(history.getByRole('listitem').first()).toContainText('ย้อนสถานะ');
  await expect(history.getByRole('listitem').last()).toContainText('จองนัด');
});

test('confirms, cancels with a reason, shows the waiting list, and assigns the seat', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  test.slow();
  const service = await clinic.addService({ capacity: 1 });
  const [first, second] = [await registration.register(), await registration.register()];
  const date = dayFromNow(2);
  const booked = await clinic.book(first, service, date, '08:00');
  const waiting = await clinic.book(second, service, date, '08:00', { waitlist: true });
  await signInAs('registrar');
  await page.goto(listOf(service, date));
  const row = page.getByRole('row').filter({ hasText: fullName(first) });
  await row.getByRole('button', { name: `ยืนยันนัด: ${fullName(first)}` }).click();
  await expect(row).toContainText('ผู้ป่วยยืนยันแล้ว');
  await row.getByRole('button', { name: /^จัดการนัดของ/ }).click();
  await page.getByRole('menuitem', { name: 'ยกเลิกนัด' }).click();
  const why = page.getByRole('dialog', { name: `ยกเลิกนัดของ ${fullName(first)}` });
  await why.getByRole('button', { name: 'ยกเลิกนัด', exact: true }).click();
  await expect(why.getByText('กรุณากรอกข้อมูล')).toBeVisible();
  await why.getByLabel('เหตุผล').fill('ผู้ป่วยขอยกเลิก');
  await why.getByRole('button', { name: 'ยกเลิกนัด', exact: true }).click();
  const offer = page.getByRole('dialog', { name: 'มีที่ว่าง และมีผู้รอคิว' });
  await expect(offer).toContainText(fullName(second));
  await offer.getByRole('button', { name: `ลงนัดให้ ${fullName(second)}` }).click();
  await expect(offer).toBeHidden();
  await expect(page.getByRole('row').filter({ hasText: fullName(second) })).toContainText('นัดแล้ว');
  expect((await clinic.details(booked.id)).status).toBe('CANCELLED');
  expect((await clinic.details(waiting.id)).status).toBe('BOOKED');
});

test('bulk change: lists an appointment that cannot change with the reason', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService();
  const [coming, over] = [await registration.register(), await registration.register()];
  const date = dayFromNow(3);
  const one = await clinic.book(coming, service, date, '08:00');
  const other = await clinic.book(over, service, date, '09:00');
  await signInAs('registrar');
  await page.goto(listOf(service, date));
  await page.getByRole('checkbox', { name: 'เลือกทั้งหน้า' }).check();
  await expect(page.getByText('เลือก 2 รายการ')).toBeVisible();
  await page.getByRole('button', { name: 'เปลี่ยนสถานะเป็น' }).click();
  // Before the day of the appointment a patient can neither be checked in nor be a no-show.
  await expect(page.getByRole('menuitem')).toHaveText(['ผู้ป่วยยืนยันแล้ว', 'ยกเลิก']);
  await page.getByRole('menuitem', { name: 'ผู้ป่วยยืนยันแล้ว' }).click();
  await clinic.mark(other.id, 'CANCELLED', 'ไม่สะดวก');
  await page.getByRole('dialog').getByRole('button', { name: 'เปลี่ยนสถานะ' }).click();
  await expect(page.getByRole('alert').filter({ hasText: other.number })).toContainText(fullName(over));
  await page.getByRole('dialog').getByRole('button', { name: 'ปิด' }).last().click();
  await expect(page.getByRole('row').filter({ hasText: fullName(coming) })).toContainText('ผู้ป่วยยืนยันแล้ว');
  expect((await clinic.details(one.id)).status).toBe('CONFIRMED');
});

test('books a no-show again on a later date', async ({ page, registration, clinic, signInAs }) => {
  const service = await clinic.addService({ from: '00:00', to: '24:00' });
  const patient = await registration.register();
  const missed = await clinic.book(patient, service, dayFromNow(0), runningSlot(60), { kind: 'WALK_IN' });
  await clinic.mark(missed.id, 'NO_SHOW');
  await signInAs('registrar');
  await page.goto(`${LIST}?service=${service.id}`);
  await page.getByRole('button', { name: new RegExp(missed.number) }).click();
  await page.getByRole('menuitem', { name: 'นัดใหม่' }).click();
  const time = page.getByRole('region', { name: 'นัดใหม่' });
  await expect(time.locator(`input[name="slot"]:enabled`)).toHaveCount(1); // its own slot
  await time.locator(`input[name="day"][value="${dayFromNow(1)}"]`).check({ force: true });
  await page.getByRole('button', { name: 'บันทึกและเลื่อนนัด' }).click();
  await expect(page.getByText('สถานะเป็น “นัดแล้ว”')).toBeVisible();
  const again = await clinic.details(missed.id);
  expect(again).toMatchObject({ status: 'BOOKED', number: missed.number });
  expect(again.date > missed.date).toBe(true);
});

test('cancelling several shows the waiting list of each seat', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService({ capacity: 1 });
  const date = dayFromNow(3);
  const waiting = [await registration.register(), await registration.register()];
  for (const [index, startTime] of ['08:00', '09:00', '10:00'].entries()) {
    await clinic.book(await registration.register(), service, date, startTime);
    const patient = waiting[index];
    if (patient) await clinic.book(patient, service, date, startTime, { waitlist: true });
  }
  await signInAs('registrar');
  await page.goto(`${listOf(service, date)}&status=BOOKED`);
  await page.getByRole('checkbox', { name: 'เลือกทั้งหน้า' }).check();
  await page.getByRole('button', { name: 'เปลี่ยนสถานะเป็น' }).click();
  await page.getByRole('menuitem', { name: 'ยกเลิก' }).click();
  await page.getByLabel('เหตุผล').fill('แพทย์ลา');
  await page.getByRole('dialog').getByRole('button', { name: 'เปลี่ยนสถานะ' }).click();
  const offer = page.getByRole('dialog', { name: 'มีที่ว่าง และมีผู้รอคิว' });
  for (const patient of waiting) {
    await offer.getByRole('button', { name: `ลงนัดให้ ${fullName(patient)}` }).click();
  }
  await expect(offer.getByText('ไม่มีผู้รอแล้ว')).toHaveCount(2);
  await offer.getByRole('button', { name: 'ปิด', exact: true }).last().click();
  for (const patient of waiting) {
    await expect(page.getByRole('row').filter({ hasText: fullName(patient) })).toContainText('นัดแล้ว');
  }
  expect((await clinic.list({ serviceIds: [service.id], statuses: ['BOOKED'] })).total).toBe(2);
});

test('filters, search and columns are stored in the address and the browser', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService();
  const [mine, other] = [await registration.register(), await registration.register()];
  const date = dayFromNow(4);
  const booked = await clinic.book(mine, service, date, '08:00', { channel: 'PHONE' });
  await clinic.book(other, service, date, '08:00');
  await signInAs('registrar');
  await page.goto(LIST);
  await page.getByRole('button', { name: 'ตั้งแต่วันนี้' }).click();
  await page.getByLabel('บริการ', { exact: true }).selectOption(service.name);
  await expect(page.getByRole('row').filter({ hasText: fullName(other) })).toBeVisible();
  await page.getByLabel('ช่องทาง', { exact: true }).selectOption('โทรศัพท์');
  await expect(page.getByRole('row').filter({ hasText: fullName(other) })).toHaveCount(0);
  await expect(page).toHaveURL(new RegExp(`range=coming.*service=${service.id}.*channel=PHONE`));
  await page.reload();
  const row = page.getByRole('row').filter({ hasText: fullName(mine) });
  await expect(row).toContainText(thaiDay(date));
  await page.getByLabel('ค้นหาเลขที่นัด ชื่อ HN โทรศัพท์').fill(booked.number);
  await expect(row).toBeVisible();
  await page.getByRole('button', { name: 'คอลัมน์' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'HN' }).click();
  await expect(page.getByRole('columnheader', { name: 'HN' })).toHaveCount(0);
  // Not all of them fit, but each one can be opened.
  await page.getByRole('menuitemcheckbox', { name: 'เลขที่นัด' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'โทรศัพท์' }).click();
  await page.keyboard.press('Escape');
  await page.reload();
  await expect(row).toContainText(booked.number);
  await expect(page.getByRole('columnheader', { name: 'โทรศัพท์' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'HN' })).toHaveCount(0);
  await page.getByRole('button', { name: 'คอลัมน์' }).click();
  await page.getByRole('menuitem', { name: 'แสดงทุกคอลัมน์' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('columnheader', { name: 'จองเมื่อ' })).toBeAttached();
  // The actions of a row stay visible while the table scrolls in its container.
  await expect(row.getByRole('button', { name: /^ยืนยันนัด/ })).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1366);
});

test('exports the filtered list', async ({ page, booking, signInAs }) => {
  const { service, date, patient, appointment } = booking;
  const { number } = appointment;
  await signInAs('registrar');
  await page.goto(listOf(service, date));
  const save = async (format: string) => {
    await page.getByRole('button', { name: 'ส่งออก' }).click();
    const saving = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: format }).click();
    const file = await saving;
    return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
  };
  const csv = await save('CSV (.csv)');
  expect(csv.name).toMatch(/\.csv$/);
  expect(csv.content.toString()).toContain(number);
  const xlsx = await save('Excel (.xlsx)');
  expect(xlsx.name).toMatch(/\.xlsx$/);
  const sheet = unzipped(xlsx.content);
  expect(sheet).toContain(number);
  expect(sheet).toContain(patient.firstName);
});

test('moves an appointment: shows from and to first, keeps the number', async ({
  page,
  booking,
  clinic,
  signInAs,
}) => {
  const { date, appointment: booked } = booking;
  await signInAs('registrar');
  await page.goto(`/app/appointment/${booked.id}/edit`);
  await expect(page.getByRole('radio', { name: /^08:00 เวลานัดเดิม/ })).toBeChecked();
  await page.getByRole('radio', { name: /^10:00/ }).check();
  const save = page.getByRole('region', { name: 'บันทึก' });
  await expect(save).toContainText('08:00 น.');
  await expect(save).toContainText('10:00 น.');
  await save.getByRole('button', { name: 'บันทึกและเลื่อนนัด' }).click();
  await expect(page.getByText(new RegExp(`^เลื่อนนัด ${booked.number} เป็น`))).toBeVisible();
  await expect(
    page.getByRole('list', { name: 'ประวัติการเปลี่ยนแปลง' }).getByRole('listitem').first(),
  ).toContainText('เลื่อนนัด');
  const now = await clinic.details(booked.id);
  expect(now).toMatchObject({ number: booked.number, date, startTime: '10:00' });
});

test('two users change one appointment: shows the other change and lets the user choose', async ({
  page,
  booking,
  clinic,
  signInAs,
}) => {
  const { appointment: booked } = booking;
  await signInAs('registrar');
  await page.goto(`/app/appointment/${booked.id}/edit`);
  await page.getByLabel('หมายเหตุภายใน').fill('ของฉัน');
  await clinic.call('appointment/update', {
    id: booked.id,
    version: booked.version,
    note: 'ของเขา',
    startTime: '09:00',
  });
  await page.getByRole('button', { name: 'บันทึก', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว' });
  await expect(dialog).toContainText('สิ่งที่ผู้อื่นแก้ไข');
  await expect(dialog).toContainText('09:00 น.');
  await expect(dialog.getByRole('radiogroup', { name: 'หมายเหตุภายใน' })).toContainText('ของเขา');
  await expect(dialog.getByRole('radiogroup')).toHaveCount(1);
  await dialog.getByRole('button', { name: 'บันทึกตามที่เลือก' }).click();
  await expect(page.getByText(/^(บันทึกนัด|เลื่อนนัด) .* แล้ว$/)).toBeVisible();
  expect(await clinic.details(booked.id)).toMatchObject({ note: 'ของฉัน', startTime: '09:00' });
});

test('asks before deleting and returns to the list', async ({ page, booking, clinic, signInAs }) => {
  const { service, appointment: booked } = booking;
  await signInAs('registrar');
  await page.goto(`/app/appointment/${booked.id}/edit`);
  await page.getByRole('button', { name: 'ลบนัด' }).click();
  await page
    .getByRole('dialog', { name: `ลบนัด ${booked.number}` })
    .getByRole('button', { name: 'ลบนัด' })
    .click();
  await expect(page).toHaveURL(LIST);
  expect((await clinic.list({ serviceIds: [service.id] })).total).toBe(0);
});

test('the queue desk sets statuses only; the executive sees nothing', async ({ page, booking, signInAs }) => {
  const { appointment: booked } = booking;
  await signInAs('queue');
  await page.goto(`/app/appointment/${booked.id}/edit`);
  await expect(page.getByText('ท่านดูนัดนี้ได้ แต่ไม่มีสิทธิ์แก้ไข')).toBeVisible();
  await expect(page.getByRole('button', { name: 'บันทึก', exact: true })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'ลบนัด' })).toHaveCount(0);
  const status = page.getByRole('region', { name: 'สถานะ' });
  // The usual next status comes first, cancelling last.
  await expect(status.getByRole('button').first()).toHaveText('ยืนยันนัด');
  await expect(status.getByRole('button').last()).toHaveText('ยกเลิกนัด');
  await status.getByRole('button', { name: 'ยืนยันนัด' }).click();
  await expect(status).toContainText('ผู้ป่วยยืนยันแล้ว');
  await signInAs('executive');
  await page.goto(LIST);
  await expect(page.getByText('APPOINTMENT.SHOW').first()).toBeVisible();
});

test('no axe violations on the list and on an appointment', { tag: '@long' }, async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  test.slow();
  const service = await clinic.addService();
  const date = dayFromNow(2);
  const booked = await clinic.book(await registration.register(), service, date, '08:00', {
    priority: 'URGENT',
  });
  await clinic.book(await registration.register(), service, date, '09:00');
  await signInAs('admin');
  await page.goto(listOf(service, date));
  const next = page.getByRole('button', { name: /^ยืนยันนัด/ }).first();
  // The most frequent actions are visible without scrolling sideways.
  await expect(next).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 768, height: 1024 });
  await expect(next).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 1366, height: 768 });
  await expectNoViolations(page, 'list');
  await page.goto(`/app/appointment/${booked.id}/edit`);
  await expect(page.getByRole('radio', { name: /^08:00/ })).toBeChecked();
  await expectNoViolations(page, 'appointment');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(listOf(service, date));
  await expect(page.getByRole('list', { name: 'รายการนัดหมาย' })).toBeVisible();
  await expectNoViolations(page, 'cards');
});

test('prints the list of a day; finds an appointment by number from any page', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService({ from: '00:00', to: '24:00', minutes: 30 });
  const patient = await registration.register();
  const { number } = await clinic.book(patient, service, dayFromNow(1), '10:00');
  await signInAs('registrar');
  await page.goto(`${LIST}?range=tomorrow&service=${service.id}`);
  await expect(page.getByRole('row').filter({ hasText: fullName(patient) })).toBeVisible();
  // Printed: the day, the patients and column headings; no menu, no buttons.
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('heading', { name: /^รายการนัดหมาย/, level: 2 })).toContainText(
    thaiDay(dayFromNow(1)),
  );
  await expect(page.getByText(fullName(patient))).toBeVisible();
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await expect(page.getByRole('columnheader', { name: 'ผู้ป่วย' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'จัดการ' })).toHaveCount(0);
  await expect(page.getByRole('main').locator('button:visible:not(th *)')).toHaveCount(0);
  await page.emulateMedia({ media: null });
  const paper = page.waitForResponse(new RegExp(`day-list\\?date=${dayFromNow(1)}&serviceId=${service.id}$`));
  await page.getByRole('button', { name: 'พิมพ์', exact: true }).click();
  await page.getByRole('menuitem', { name: 'ใบรายชื่อประจำวัน (PDF)' }).click();
  expect((await paper).headers()['content-type']).toBe('application/pdf');
  // By appointment number, from any page.
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').locator('input')).toBeFocused();
  await page.keyboard.type(number);
  await expect(page.getByRole('dialog')).toContainText(number);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/app\/appointment\/\d+\/edit/);
});
