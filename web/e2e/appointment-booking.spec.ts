import { dayFromNow, test, thaiDay } from './appointment-support';
import { fullName, uniqueThai } from './patient-support';
import { dropNextResponse, expect, expectNoViolations, requestsTo } from './support';

const CREATE = '/app/appointment/create';

test('books the next free seat for a known patient by keyboard within fifteen seconds', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService({ from: '00:00', to: '24:00', minutes: 30 });
  const patient = await registration.register();
  await signInAs('registrar');
  await page.goto(`${CREATE}?serviceId=${service.id}`);
  await expect(page.getByRole('radio', { name: new RegExp(service.name) })).toBeChecked();
  const started = Date.now();
  let keys = 0;
  const press = async (key: string) => {
    keys += 1;
    await page.keyboard.press(key);
  };
  // The first input has the focus.
  await expect(page.getByRole('textbox', { name: 'ค้นหาผู้ป่วย' })).toBeFocused();
  await page.keyboard.type(patient.phone);
  keys += patient.phone.length;
  await press('Enter');
  await expect(page.getByRole('radio', { name: new RegExp(service.name) })).toBeFocused();
  await expect(page.getByTestId('chosen')).toContainText('น.');
  await press('Enter');
  const booked = page.getByRole('region', { name: 'จองนัดแล้ว' });
  await expect(booked).toBeVisible();
  expect(Date.now() - started).toBeLessThan(15_000);
  expect(keys).toBeLessThanOrEqual(12);
  await expect(booked).toContainText(fullName(patient));
  await expect(booked).toContainText('อาคาร 2 ชั้น 3');
  await expect(booked).toContainText(String(Number(dayFromNow(0).slice(0, 4)) + 543));
  await expect(page.getByRole('button', { name: 'พิมพ์ใบนัด' })).toBeFocused();
  // Books the next appointment, also by keyboard.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'จองต่อ' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'ค้นหาผู้ป่วย' })).toBeFocused();
});

test('books and prints a slip without the mouse', async ({ page, registration, clinic, signInAs }) => {
  const service = await clinic.addService({ from: '00:00', to: '24:00', minutes: 30 });
  const patient = await registration.register();
  await signInAs('registrar');
  await page.goto(CREATE);
  const choice = page.getByRole('radio', { name: new RegExp(service.name) });
  await expect(choice).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'ค้นหาผู้ป่วย' })).toBeFocused();
  await page.keyboard.type(patient.phone);
  await page.keyboard.press('Enter');
  // The services are one radio group: arrow keys move through them and wrap around.
  await expect(page.getByRole('radiogroup', { name: 'บริการ' }).locator('input:focus')).toBeVisible();
  // The number is not checked: other tests add services.
  await expect(async () => {
    if (!(await choice.isChecked())) await page.keyboard.press('ArrowDown');
    expect(await choice.isChecked()).toBe(true);
  }).toPass({ intervals: [10], timeout: 30_000 });
  await expect(page.getByTestId('chosen')).toContainText('น.');
  await expect(page.getByTestId('chosen').locator('..')).toContainText(service.name);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'พิมพ์ใบนัด' })).toBeFocused();
  const slip = page.waitForResponse(/appointment\/slip\/\d+\?size=a5/);
  const paper = page.waitForEvent('popup');
  // An Enter right after the one that booked would be ignored; other keys show that it is intended.
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect((await slip).headers()['content-type']).toBe('application/pdf');
  await paper;
  // And on the receipt printer.
  const small = page.waitForResponse(/appointment\/slip\/\d+\?size=80mm/);
  await expect(page.getByRole('button', { name: 'พิมพ์ใบนัด' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'ใบนัด 80 มม.' })).toBeFocused();
  await page.keyboard.press('Enter');
  expect((await small).status()).toBe(200);
});

test('arrow keys choose the service, the day and the time', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService();
  const patient = await registration.register();
  await signInAs('registrar');
  await page.goto(`${CREATE}?patientId=${patient.id}`);
  await page.getByRole('radio', { name: new RegExp(service.name) }).focus();
  await page.keyboard.press('Space');
  const date = dayFromNow(3);
  const day = page.getByRole('radiogroup', { name: 'วันที่' });
  await expect(day.getByRole('radio', { checked: true })).toBeVisible();
  await day.locator(`input[value="${date}"]`).focus();
  await page.keyboard.press('Space');
  const slots = page.getByRole('radiogroup', { name: /^เวลาของ/ });
  await expect(slots.getByRole('radio', { name: /08:00.*ว่าง 2/ })).toBeChecked();
  await slots.getByRole('radio', { name: /08:00/ }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByTestId('chosen')).toContainText(`${thaiDay(date)} 09:00 น.`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'จองนัดแล้ว' })).toContainText('09:00–10:00 น.');
});

test('registers a new patient within the booking', async ({ page, clinic, signInAs }) => {
  const service = await clinic.addService();
  await signInAs('registrar');
  await page.goto(`${CREATE}?serviceId=${service.id}`);
  const name = uniqueThai('ใหม่');
  await page.getByRole('textbox', { name: 'ค้นหาผู้ป่วย' }).fill(`นาง${name} ${name}`);
  await page.getByRole('option', { name: /เป็นผู้ป่วยใหม่/ }).click();
  const dialog = page.getByRole('dialog', { name: 'ผู้ป่วยใหม่' });
  await expect(
    dialog
      .getByLabel('ชื่อ', { exact: true })
      .or(dialog.getByLabel(/^ชื่อ \*?$/))
      .first(),
  ).toHaveValue(name);
  await dialog.getByRole('radio', { name: 'หญิง' }).check();
  await dialog
    .getByLabel(/^วันเกิด/)
    .first()
    .fill('9/2/2531');
  await dialog.getByRole('button', { name: 'ลงทะเบียน' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('region', { name: '1. ผู้ป่วย' })).toContainText(name);
  await expect(page.getByRole('region', { name: '1. ผู้ป่วย' })).toContainText('ยังไม่ได้บันทึกประวัติแพ้');
  await page.getByRole('button', { name: 'จองนัด' }).click();
  await expect(page.getByRole('region', { name: 'จองนัดแล้ว' })).toContainText(name);
});

test('shows allergies and other appointments, and warns about overlaps before and after saving', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const [service, other] = [await clinic.addService(), await clinic.addService()];
  const patient = await registration.register({
    allergies: [{ substance: 'เพนิซิลลิน', severity: 'SEVERE', reaction: '' }],
  });
  const date = dayFromNow(2);
  const first = await clinic.book(patient, other, date, '09:00');
  await signInAs('registrar');
  await page.goto(`${CREATE}?patientId=${patient.id}&serviceId=${service.id}&date=${date}&time=09:00`);
  const who = page.getByRole('region', { name: '1. ผู้ป่วย' });
  await expect(who).toContainText('แพ้ เพนิซิลลิน');
  await expect(who.getByRole('list', { name: 'นัดที่จะถึง' })).toContainText(other.name);
  await expect(page.getByText(/ผู้ป่วยมีนัดที่ซ้อนกับเวลานี้อยู่แล้ว/)).toBeVisible();
  await page.getByLabel('อาการหรือเหตุผลที่นัด').fill('ปวดท้อง');
  await page.getByRole('button', { name: 'จองนัด' }).click();
  await expect(page.getByRole('alert').filter({ hasText: first.number })).toBeVisible();
  await expect(page.getByRole('link', { name: `เปิดนัดเดิม ${first.number}` })).toHaveAttribute(
    'href',
    `/app/appointment/${first.id}/edit`,
  );
  // The typed values remain, and another time can be booked.
  await expect(page.getByLabel('อาการหรือเหตุผลที่นัด')).toHaveValue('ปวดท้อง');
  await page.getByRole('radio', { name: /^10:00/ }).check();
  await page.getByRole('button', { name: 'จองนัด' }).click();
  await expect(page.getByRole('region', { name: 'จองนัดแล้ว' })).toContainText('10:00–11:00 น.');
});

test('a seat taken by another user: keeps the form, offers the next free seats and the waiting list', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService({ capacity: 1 });
  const [mine, theirs] = [await registration.register(), await registration.register()];
  const date = dayFromNow(2);
  // The event is delayed: otherwise the form would show the change before the click.
  await page.route('**/admin/api/v1/events*', (route) => route.abort());
  await signInAs('registrar');
  await page.goto(`${CREATE}?patientId=${mine.id}&serviceId=${service.id}&date=${date}&time=08:00`);
  await expect(page.getByTestId('chosen')).toContainText('08:00 น.');
  await page.getByLabel('หมายเหตุภายใน').fill('โทรแจ้งแล้ว');
  await clinic.book(theirs, service, date, '08:00');
  await page.getByRole('button', { name: 'จองนัด' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'ช่วงเวลานี้เต็มแล้ว' })).toBeVisible();
  await expect(page.getByLabel('หมายเหตุภายใน')).toHaveValue('โทรแจ้งแล้ว');
  // A registrar may not overbook, but may put the patient on the waiting list, with a different button.
  await expect(page.getByRole('button', { name: 'จองนัด', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'เปลี่ยนเป็น ลงชื่อรอคิวว่าง' }).click();
  const full = page.getByRole('radiogroup', { name: 'เวลานี้เต็มแล้ว' });
  await expect(full.getByRole('radio', { name: 'รอคิวว่าง' })).toBeChecked();
  await expect(full.getByRole('radio', { name: 'จองเกินจำนวน' })).toHaveCount(0);
  const next = page.getByRole('button', { name: /09:00 น\. \(ว่าง 1\)/ }).first();
  await next.click();
  await expect(page.getByTestId('chosen')).toContainText(`${thaiDay(date)} 09:00 น.`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'จองนัดแล้ว' })).toContainText('09:00–10:00 น.');
});

test('a full slot: joins the waiting list, or overbooks with a reason', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const service = await clinic.addService({ capacity: 1, overbookLimit: 1 });
  const [first, second, third] = [
    await registration.register(),
    await registration.register(),
    await registration.register(),
  ];
  const date = dayFromNow(2);
  await clinic.book(first, service, date, '08:00');
  await signInAs('nurse');
  await page.goto(`${CREATE}?patientId=${second.id}&serviceId=${service.id}&date=${date}`);
  await page.getByRole('radio', { name: /^08:00 เต็ม/ }).check();
  await page.getByRole('button', { name: 'ลงชื่อรอคิวว่าง' }).click();
  await expect(page.getByRole('region', { name: 'ลงชื่อรอคิวว่างแล้ว' })).toContainText(fullName(second));

  await page.goto(`${CREATE}?patientId=${third.id}&serviceId=${service.id}&date=${date}`);
  await page.getByRole('radio', { name: /^08:00 เต็ม · รอ 1/ }).check();
  await page.getByRole('radio', { name: 'จองเกินจำนวน' }).check();
  await page.getByRole('button', { name: 'จองเกินจำนวน' }).click();
  await expect(page.getByText('กรุณาระบุเหตุผลที่จองเกินจำนวน').first()).toBeVisible();
  await expect(page.getByLabel('เหตุผลที่จองเกินจำนวน')).toBeFocused();
  await page.keyboard.type('แพทย์สั่ง');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'จองนัดแล้ว' })).toContainText(fullName(third));
});

test('closed days are labelled and disabled', async ({ page, clinic, signInAs }) => {
  const service = await clinic.addService();
  const date = dayFromNow(4);
  const reason = uniqueThai('ปิดปรับปรุง');
  await clinic.close(service, date, reason);
  await signInAs('registrar');
  await page.goto(`${CREATE}?serviceId=${service.id}`);
  const closed = page.getByRole('radiogroup', { name: 'วันที่' }).locator(`input[value="${date}"]`);
  await expect(closed).toBeDisabled();
  await expect(page.getByText(`งด: ${reason}`)).toBeVisible();
});

test('a day outside the booking window is disabled with a reason; a walk-in has no lead time', async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  const hours = { from: '00:00', to: '24:00', minutes: 60, bookingWindowDays: 4, leadMinutes: 2 * 24 * 60 };
  const service = await clinic.addService(hours);
  const patient = await registration.register();
  await signInAs('registrar');
  await page.goto(`${CREATE}?patientId=${patient.id}&serviceId=${service.id}`);
  const day = (days: number) => page.locator(`label:has(input[value="${dayFromNow(days)}"])`);
  await expect(day(1)).toContainText('ต้องจองล่วงหน้า');
  await expect(day(1).getByRole('radio')).toBeDisabled();
  await expect(day(3)).toContainText('ว่าง 48');
  await expect(day(5)).toContainText('เกินช่วงที่เปิดจอง');
  await expect(day(5).getByRole('radio')).toBeDisabled();

  await page.getByLabel('ประเภทนัด').selectOption('WALK_IN');
  await expect(day(1)).toContainText('ว่าง 48');
  await expect(day(5)).toContainText('เกินช่วงที่เปิดจอง');
  await expect(page.getByTestId('chosen')).toContainText('วันนี้');
  await page.getByRole('button', { name: 'จองนัด' }).click();
  await expect(page.getByRole('region', { name: 'จองนัดแล้ว' })).toBeVisible();
});

test('a follow-up series shows its days before booking', async ({ page, registration, clinic, signInAs }) => {
  const service = await clinic.addService({ capacity: 1 });
  const [patient, other] = [await registration.register(), await registration.register()];
  const date = dayFromNow(1);
  // The time of the second visit is taken, the day of the third is closed.
  await clinic.book(other, service, dayFromNow(8), '08:00');
  const closed = dayFromNow(15);
  const reason = uniqueThai('หยุด');
  await clinic.close(service, closed, reason);
  await signInAs('registrar');
  await page.goto(`${CREATE}?patientId=${patient.id}&serviceId=${service.id}&date=${date}&time=08:00`);
  await page.getByRole('switch', { name: 'นัดต่อเนื่องเป็นชุด' }).check();
  await page.getByLabel('ทุก', { exact: true }).fill('1');
  await page.getByLabel('จำนวนครั้ง').fill('4');
  // Two quick clicks show the days and book nothing.
  await page.getByRole('button', { name: 'ดูวันนัดทั้งชุด' }).dblclick({ delay: 80 });
  const preview = page.getByRole('list', { name: 'ดูวันนัดทั้งชุด' });
  await expect(preview.getByRole('listitem')).toHaveCount(4);
  await expect(preview.getByRole('listitem').nth(1)).toContainText(/09:00 น\. เลื่อนจาก 08:00 น\./);
  await expect(preview.getByRole('listitem').nth(2)).toContainText(`ข้าม: ${reason}`);
  // Changed content must be reviewed again.
  await page.getByLabel('จำนวนครั้ง').fill('2');
  await expect(preview).toBeHidden();
  await page.getByRole('button', { name: 'ดูวันนัดทั้งชุด' }).click();
  await page.getByRole('button', { name: 'จองทั้งชุด 2 ครั้ง' }).click();
  await expect(page.getByRole('region', { name: 'จองนัดทั้งชุดแล้ว 2 ครั้ง' })).toContainText(fullName(patient));
});

test('retries after a lost response and books once', async ({ page, registration, clinic, signInAs }) => {
  const service = await clinic.addService();
  const patient = await registration.register();
  await signInAs('registrar');
  const sent = requestsTo(page, '/appointment/create');
  await dropNextResponse(page, '**/appointment/create');
  await page.goto(`${CREATE}?patientId=${patient.id}&serviceId=${service.id}&date=${dayFromNow(2)}`);
  await expect(page.getByTestId('chosen')).toContainText('น.');
  await page.getByRole('button', { name: 'จองนัด' }).click();
  await expect(page.getByText('ติดต่อระบบไม่ได้')).toBeVisible();
  await page.getByRole('button', { name: 'จองนัด' }).click();
  await expect(page.getByRole('region', { name: 'จองนัดแล้ว' })).toBeVisible();
  expect(sent[0]?.key).toMatch(/^[0-9a-f]{32}$/);
  expect(sent[1]?.key).toBe(sent[0]?.key);
  expect((await clinic.list({ patientId: patient.id })).total).toBe(1);
});

test('explains that the user may not book', async ({ page, signInAs }) => {
  await signInAs('queue');
  await page.goto(CREATE);
  await expect(page.getByText('ไม่มีสิทธิ์เข้าถึง').first()).toBeVisible();
});

test('no axe violations on the booking page', { tag: '@long' }, async ({
  page,
  registration,
  clinic,
  signInAs,
}) => {
  test.slow();
  const service = await clinic.addService({ capacity: 1, overbookLimit: 1 });
  const patient = await registration.register({
    allergies: [{ substance: 'เพนิซิลลิน', severity: 'SEVERE', reaction: '' }],
  });
  const date = dayFromNow(2);
  await clinic.book(patient, service, date, '08:00');
  await signInAs('admin');
  await page.goto(CREATE);
  await expect(page.getByRole('textbox', { name: 'ค้นหาผู้ป่วย' })).toBeVisible();
  await expectNoViolations(page, 'empty');
  await page.goto(`${CREATE}?patientId=${patient.id}&serviceId=${service.id}&date=${date}&time=08:00`);
  await expect(page.getByRole('radiogroup', { name: 'เวลานี้เต็มแล้ว' })).toBeVisible();
  await page.getByRole('switch', { name: 'นัดต่อเนื่องเป็นชุด' }).check();
  await expectNoViolations(page, 'full');
  await page.getByRole('radio', { name: /^10:00/ }).check();
  await page.getByRole('button', { name: 'ดูวันนัดทั้งชุด' }).click();
  await page.getByRole('button', { name: /^จองทั้งชุด/ }).click();
  await expect(page.getByRole('region', { name: /^จองนัดทั้งชุดแล้ว/ })).toBeVisible();
  await expectNoViolations(page, 'booked');
});
