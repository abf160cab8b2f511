import type { Page } from '@playwright/test';
import { th } from '../src/i18n/th';
import { dayFromNow, type TestService } from './appointment-support';
import { type Booked, dialog, marked, one, SOON, test, testDoubleClicks } from './double-click-support';
import { fullName, uniqueThai } from './patient-support';
import { quietDay, type TestClosure } from './schedule-support';
import { expect } from './support';

test.use({ whose: 'double-click visits' });
test.describe.configure({ mode: 'default' });

const LIST = '/app/appointment/list';
const MON = quietDay(1);
const words = th.appointment;

const menuOf = (page: Page, { patient, number }: Booked) =>
  page.getByRole('button', { name: words.list.actionsOf(fullName(patient), number) });
const listOf = (service: TestService, date: string, status = 'BOOKED') =>
  `${LIST}?status=${status}&from=${date}&to=${date}&service=${service.id}`;
const cell = (page: Page, day: number, row: number) =>
  page
    .getByRole('grid')
    .getByRole('row')
    .nth(row + 1)
    .locator('td')
    .nth(day);

testDoubleClicks({
  'dashboard: check in': async ({ page, booked }) => {
    const { rows } = await booked(3);
    await page.goto('/app/dashboard');
    const name = th.dashboard.checkInNamed(fullName(one(rows).patient));
    return { press: page.getByRole('button', { name }), changes: [marked(one(rows))] };
  },
  'list by status: next status': async ({ page, booked }) => {
    const { service, rows } = await booked(3);
    await page.goto(listOf(service, dayFromNow(0)));
    const row = page.getByRole('row').filter({ hasText: fullName(one(rows).patient) });
    return { press: row.getByRole('button').first(), changes: [marked(one(rows))] };
  },
  'list by status: a status of the menu': async ({ page, booked }) => {
    const { service, rows } = await booked(3, SOON);
    await page.goto(listOf(service, SOON));
    await menuOf(page, one(rows)).click();
    return { press: page.getByRole('menuitem', { name: 'ยืนยันนัด' }), changes: [marked(one(rows))] };
  },
  'list: cancel with a reason': async ({ page, booked }) => {
    const { service, rows } = await booked(3, SOON);
    await page.goto(listOf(service, SOON));
    await menuOf(page, one(rows)).click();
    await page.getByRole('menuitem', { name: 'ยกเลิกนัด' }).click();
    await dialog(page).getByLabel(th.action.reason).fill('ผู้ป่วยขอยกเลิก');
    const press = dialog(page).getByRole('button', { name: words.cancel.confirm, exact: true });
    return { press, changes: [marked(one(rows))] };
  },
  'list: several at once': async ({ page, booked }) => {
    const { service, rows } = await booked(3, SOON);
    await page.goto(listOf(service, SOON));
    for (const { patient, number } of rows.slice(0, 2))
      await page.getByRole('checkbox', { name: words.list.select(fullName(patient), number) }).check();
    await page.getByRole('button', { name: words.list.markAll }).click();
    await page.getByRole('menuitem', { name: words.statuses.CONFIRMED }).click();
    const press = dialog(page).getByRole('button', { name: words.list.bulkConfirm });
    return { press, changes: rows.slice(0, 2).map(marked) };
  },
  'list: undo in the notice': async ({ page, booked }) => {
    const { service, rows } = await booked(2, SOON);
    await page.goto(listOf(service, SOON));
    const row = page.getByRole('row').filter({ hasText: fullName(one(rows).patient) });
    await row.getByRole('button').first().click();
    return {
      press: page.getByRole('button', { name: th.action.undo }),
      changes: [`appointment.undo ${one(rows).id}`],
    };
  },
  'waiting list: give the seat': async ({ page, clinic, registration }) => {
    const service = await clinic.addService({ capacity: 2 });
    const seats = await Promise.all([0, 1].map(() => registration.register()));
    const first = await clinic.book(one(seats), service, SOON, '08:00');
    await clinic.book(one(seats, 1), service, SOON, '08:00');
    const waiting: Booked[] = [];
    for (const patient of await Promise.all([0, 1, 2].map(() => registration.register())))
      waiting.push({ ...(await clinic.book(patient, service, SOON, '08:00', { waitlist: true })), patient });
    await clinic.mark(first.id, 'CANCELLED', 'ขอยกเลิก');
    await page.goto(listOf(service, SOON, 'WAITLISTED'));
    await menuOf(page, one(waiting)).click();
    await page.getByRole('menuitem', { name: words.waitlist.show }).click();
    const name = words.waitlist.promoteNamed(fullName(one(waiting).patient));
    return { press: dialog(page).getByRole('button', { name }), changes: [marked(one(waiting))] };
  },
  'appointment: next status': async ({ page, booked }) => {
    const { rows } = await booked(1);
    await page.goto(`/app/appointment/${one(rows).id}/edit`);
    const status = page.getByRole('region', { name: words.edit.status });
    return { press: status.getByRole('button').first(), changes: [marked(one(rows))] };
  },
  'calendar: next status on the card': async ({ page, booked }) => {
    const { service, rows } = await booked(2);
    await page.goto(`/app/appointment/calendar?view=day&date=${dayFromNow(0)}&service=${service.id}`);
    await page.locator(`[data-id="${one(rows).id}"]`).click();
    const status = dialog(page).getByRole('region', { name: words.edit.status });
    return { press: status.getByRole('button').first(), changes: [marked(one(rows))] };
  },
  'calendar: move by dragging': async ({ page, clinic, registration }) => {
    const service = await clinic.addService();
    const appointment = await clinic.book(await registration.register(), service, SOON, '08:00');
    await page.goto(`/app/appointment/calendar?view=day&date=${SOON}&service=${service.id}`);
    await page.locator(`[data-id="${appointment.id}"]`).dragTo(page.locator('[data-slot*="10:00"]'));
    const press = dialog(page).getByRole('button', { name: 'เลื่อนนัด' });
    return { press, changes: [`appointment.reschedule ${appointment.id}`] };
  },
  'booking: confirm': async ({ page, clinic, registration }) => {
    const [service, patient] = [await clinic.addService(), await registration.register()];
    await page.goto(`/app/appointment/create?patientId=${patient.id}&serviceId=${service.id}&date=${SOON}`);
    await expect(page.getByTestId('chosen')).toContainText('น.');
    return { press: page.getByRole('button', { name: 'จองนัด' }), changes: ['appointment.create *'] };
  },
  'booking: confirm a series': async ({ page, clinic, registration }) => {
    const [service, patient] = [await clinic.addService(), await registration.register()];
    await page.goto(`/app/appointment/create?patientId=${patient.id}&serviceId=${service.id}&date=${SOON}`);
    await page.getByRole('switch', { name: words.repeat }).check();
    await page.getByLabel(words.every, { exact: true }).fill('1');
    await page.getByLabel(words.count).fill('2');
    await page.getByRole('button', { name: words.preview }).click();
    const press = page.getByRole('button', { name: 'จองทั้งชุด 2 ครั้ง' });
    return { press, changes: ['appointment.create *', 'appointment.create *'] };
  },
  'schedule: capacity of a slot': async ({ page, planner }) => {
    const service = await planner.addService();
    await page.goto(`/app/serviceSchedule?service=${service.id}&date=${MON}`);
    await cell(page, 1, 1).click();
    await dialog(page)
      .getByLabel(/จำนวนที่รับ/)
      .fill('7');
    return { press: dialog(page).getByRole('button', { name: 'บันทึกจำนวน' }), changes: ['slot.capacity *'] };
  },
  'schedule: close a day': async ({ page, planner }) => {
    const service = await planner.addService();
    await page.goto(`/app/serviceSchedule?service=${service.id}&date=${MON}`);
    await page.getByRole('grid').getByRole('columnheader').nth(1).click();
    await dialog(page).getByRole('button', { name: 'งดช่วงเวลาที่เลือก' }).click();
    await dialog(page).getByLabel('เหตุผล').fill('แพทย์ประชุม');
    return {
      press: dialog(page).getByRole('button', { name: 'งดให้บริการ' }),
      changes: ['closure.create *'],
    };
  },
  'schedule: open a closed day again': async ({ page, planner, clinic }) => {
    const service = await planner.addService();
    const reason = uniqueThai('ประชุม');
    const closure = (await clinic.close(service, MON, reason)) as TestClosure;
    await clinic.close(service, quietDay(2), uniqueThai('อบรม'));
    await page.goto(`/app/serviceSchedule?view=closures&service=${service.id}&date=${MON}`);
    await page.getByRole('button', { name: new RegExp(`^เปิดให้บริการตามเดิม ${reason}`) }).click();
    const press = dialog(page).getByRole('button', { name: 'เปิดให้บริการตามเดิม' });
    return { press, changes: [`closure.delete ${closure.id}`] };
  },
  'schedule: move all appointments': async ({ page, planner }) => {
    const service = await planner.addService();
    await planner.bookNewPatient(service, MON, '09:00');
    const closure = await planner.close(service, MON, MON);
    await page.goto(`/app/serviceSchedule?service=${service.id}&date=${MON}&move=${closure.id}`);
    const press = page.getByRole('button', { name: 'เลื่อนนัด 1 คน' });
    return { press, changes: ['appointment.reschedule *'] };
  },
  'appointment: change of the details': async ({ page, booked }) => {
    const { rows } = await booked(1, SOON);
    await page.goto(`/app/appointment/${one(rows).id}/edit`);
    await page.getByLabel('หมายเหตุภายใน').fill(uniqueThai('งดอาหาร'));
    return {
      press: page.getByRole('button', { name: 'บันทึก', exact: true }),
      changes: [`appointment.update ${one(rows).id}`],
    };
  },
  'appointment: delete': async ({ page, booked }) => {
    const { rows } = await booked(1, SOON);
    await page.goto(`/app/appointment/${one(rows).id}/edit`);
    await page.getByRole('button', { name: words.edit.delete }).click();
    const press = dialog(page).getByRole('button', { name: words.edit.delete });
    return { press, changes: [`appointment.delete ${one(rows).id}`] };
  },
  'result: save': async ({ page, booked }) => {
    const { rows } = await booked(1);
    await page.goto(`/app/appointment/${one(rows).id}/diagnosisResults`);
    await page.getByRole('textbox', { name: 'คำวินิจฉัย' }).fill('ความดันโลหิตสูง');
    const press = page.getByRole('button', { name: 'บันทึกผล', exact: true });
    return { press, changes: ['result.create *'] };
  },
  'result: book the follow-up': async ({ page, booked }) => {
    const { rows } = await booked(1);
    await page.goto(`/app/appointment/${one(rows).id}/diagnosisResults`);
    await page.getByRole('button', { name: 'นัดติดตามอีก 4 สัปดาห์' }).click();
    const press = dialog(page).getByRole('button', { name: 'จองนัดติดตาม' });
    return { press, changes: ['appointment.create *'] };
  },
  'result: delete': async ({ page, booked, clinic }) => {
    const { rows } = await booked(1);
    const results = ['เบาหวาน', 'ความดันโลหิตสูง'].map((diagnosis) =>
      clinic.call<{ id: number }>('appointment-results/create', { appointmentId: one(rows).id, diagnosis }),
    );
    await Promise.all(results);
    await page.goto(`/app/appointment/${one(rows).id}/diagnosisResults`);
    const items = page.getByRole('list', { name: 'ผลที่บันทึกในนัดนี้' }).getByRole('listitem');
    await items.first().getByRole('button', { name: /^ลบ/ }).click();
    await dialog(page).getByRole('textbox').fill('บันทึกผิดคน');
    return {
      press: dialog(page).getByRole('button', { name: 'ลบ', exact: true }),
      changes: ['result.delete *'],
    };
  },
  'schedule: weekly hours': async ({ page, planner }) => {
    const service = await planner.addService();
    await page.goto(`/app/serviceSchedule?service=${service.id}&date=${MON}&panel=hours`);
    await dialog(page).getByRole('group', { name: 'จันทร์ ช่วงที่ 1' }).getByLabel('คน/ช่วง').fill('5');
    const press = dialog(page).getByRole('button', { name: 'บันทึกเวลาให้บริการ' });
    return { press, changes: [`service.update ${service.id}`] };
  },
  'schedule: the public holidays of a year': async ({ page, planner }) => {
    await planner.openAgain(await planner.closuresOf(2031));
    await page.goto('/app/serviceSchedule?view=closures&date=2031-12-01');
    await page.getByRole('button', { name: 'เพิ่มวันหยุดราชการของปี' }).click();
    // Three are enough: each is an entry of the log.
    const boxes = dialog(page).getByRole('table').getByRole('checkbox');
    await expect(boxes.first()).toBeVisible();
    for (const box of (await boxes.all()).slice(3)) await box.uncheck();
    const press = dialog(page).getByRole('button', { name: 'เพิ่ม 3 วัน' });
    return { press, changes: ['closure.create *', 'closure.create *', 'closure.create *'] };
  },
});
