import type { APIRequestContext, Locator, Page, Request } from '@playwright/test';
import { th } from '../src/i18n/th';
import { adminCall, registered } from './accounts';
import { Clinic, dayFromNow, type TestAppointment, type TestService } from './appointment-support';
import { test } from './own-server';
import { Desk, fullName, type TestPatient, uniquePhone, uniqueThai } from './patient-support';
import { box, type Records, rolePath } from './role-support';
import { Planner, quietDay, type TestClosure } from './schedule-support';
import { save, tabPath } from './setting-support';
import { expect, logIn, PASSWORD } from './support';

test.use({ whose: 'double-click' });
test.describe.configure({ mode: 'default' });

/** Between the two clicks of a double-click, in ms. */
const GAPS = [0, 20, 60, 120, 250];
const LIST = '/app/appointment/list';
const MON = quietDay(1);
/** Soon enough for every service to take bookings. */
const SOON = dayFromNow(2);
const words = th.appointment;

interface Booked extends TestAppointment {
  patient: TestPatient;
}

/** Everything that a case needs to make its records, as the administrator. */
interface Kit {
  page: Page;
  request: APIRequestContext;
  token: string;
  clinic: Clinic;
  desk: Desk;
  planner: Planner;
  records: Records;
  /** A service that is open all day, and people who are booked there today or on another day. */
  booked: (count: number, date?: string) => Promise<{ service: TestService; rows: Booked[] }>;
}

interface Aimed {
  press: Locator;
  /** What the audit log must tell afterwards, and nothing else: actions with the id of the record, or * where it is new. */
  changes: string[];
}

const menuOf = (page: Page, { patient, number }: Booked) =>
  page.getByRole('button', { name: words.list.actionsOf(fullName(patient), number) });
const dialog = (page: Page) => page.getByRole('dialog');
const listOf = (service: TestService, date: string, status = 'BOOKED') =>
  `${LIST}?status=${status}&from=${date}&to=${date}&service=${service.id}`;
const cell = (page: Page, day: number, row: number) =>
  page
    .getByRole('grid')
    .getByRole('row')
    .nth(row + 1)
    .locator('td')
    .nth(day);

/** First of a list; the tests make what they ask for. */
function one<Item>(items: Item[], index = 0): Item {
  const item = items[index];
  if (!item) throw new Error('there is none');
  return item;
}

const marked = ({ id }: { id: number }) => `appointment.status ${id}`;

/** Every action of every screen: how it is reached, and what one press of it changes. */
const ACTIONS: Record<string, (kit: Kit) => Promise<Aimed>> = {
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
    await dialog(page).getByLabel(th.patient.reason).fill('ผู้ป่วยขอยกเลิก');
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
  'waiting list: give the seat': async ({ page, clinic, desk }) => {
    const service = await clinic.addService({ capacity: 2 });
    const seats = await Promise.all([0, 1].map(() => desk.register()));
    const first = await clinic.book(one(seats), service, SOON, '08:00');
    await clinic.book(one(seats, 1), service, SOON, '08:00');
    const waiting: Booked[] = [];
    for (const patient of await Promise.all([0, 1, 2].map(() => desk.register())))
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
  'calendar: move by dragging': async ({ page, clinic, desk }) => {
    const service = await clinic.addService();
    const appointment = await clinic.book(await desk.register(), service, SOON, '08:00');
    await page.goto(`/app/appointment/calendar?view=day&date=${SOON}&service=${service.id}`);
    await page.locator(`[data-id="${appointment.id}"]`).dragTo(page.locator('[data-slot*="10:00"]'));
    const press = dialog(page).getByRole('button', { name: 'เลื่อนนัด' });
    return { press, changes: [`appointment.reschedule ${appointment.id}`] };
  },
  'booking: confirm': async ({ page, clinic, desk }) => {
    const [service, patient] = [await clinic.addService(), await desk.register()];
    await page.goto(`/app/appointment/create?patientId=${patient.id}&serviceId=${service.id}&date=${SOON}`);
    await expect(page.getByTestId('chosen')).toContainText('น.');
    return { press: page.getByRole('button', { name: 'จองนัด' }), changes: ['appointment.create *'] };
  },
  'booking: confirm a series': async ({ page, clinic, desk }) => {
    const [service, patient] = [await clinic.addService(), await desk.register()];
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
  'schedule: move everybody': async ({ page, planner }) => {
    const service = await planner.addService();
    await planner.bookSomebody(service, MON, '09:00');
    const closure = await planner.close(service, MON, MON);
    await page.goto(`/app/serviceSchedule?service=${service.id}&date=${MON}&move=${closure.id}`);
    const press = page.getByRole('button', { name: 'เลื่อนนัด 1 คน' });
    return { press, changes: ['appointment.reschedule *'] };
  },
  'patient: delete': async ({ page, desk }) => {
    const patient = await desk.register();
    await page.goto(`/app/patient-management/${patient.id}/edit`);
    await page.getByRole('button', { name: /^จัดการข้อมูลของ/ }).click();
    await page.getByRole('menuitem', { name: th.patient.delete }).click();
    await dialog(page).getByLabel(th.patient.reason).fill('ลงทะเบียนผิดคน');
    const press = dialog(page).getByRole('button', { name: th.patient.delete });
    return { press, changes: [`patient.delete ${patient.id}`] };
  },
  'customer: add': async ({ page }) => {
    await page.goto('/app/patient-management?tab=customers&customer=new');
    await dialog(page).getByLabel('ชื่อ-นามสกุล').fill(uniqueThai('มานี'));
    await dialog(page).getByLabel('โทรศัพท์').fill(uniquePhone());
    return { press: dialog(page).getByRole('button', { name: 'บันทึก' }), changes: ['customer.create *'] };
  },
  'customer: delete': async ({ page, desk }) => {
    const family = uniqueThai('วงศ์');
    const people = [
      await desk.addCustomer({ name: `ก ${family}` }),
      await desk.addCustomer({ name: `ข ${family}` }),
    ];
    await page.goto(`/app/patient-management?tab=customers&q=${family}`);
    await page.getByRole('button', { name: `จัดการ ${one(people).name}` }).click();
    await page.getByRole('menuitem', { name: th.customer.delete }).click();
    const press = dialog(page).getByRole('button', { name: th.customer.delete });
    return { press, changes: [`customer.delete ${one(people).id}`] };
  },
  'users: approve': async ({ page, request, token }) => {
    const family = uniqueThai('รอ');
    const people = [
      await registered(request, token, `ก ${family}`),
      await registered(request, token, `ข ${family}`),
    ];
    await page.goto(`/app/user-management?status=PENDING&q=${family}`);
    await page.getByRole('button', { name: th.user.approveNamed(one(people).name) }).click();
    await dialog(page).getByRole('combobox', { name: 'บทบาท' }).selectOption('พยาบาล');
    const press = dialog(page).getByRole('button', { name: th.user.approve, exact: true });
    return { press, changes: [`user.update ${one(people).id}`] };
  },
  'users: suspend': async ({ page, records }) => {
    const role = await records.role(['DASHBOARD.SHOW']);
    const [user] = [await records.user(role.id), await records.user(role.id)];
    await page.goto(`/app/user-management?status=ACTIVE&roleId=${role.id}`);
    await page.getByRole('button', { name: `จัดการ ${user.name}` }).click();
    return { press: page.getByRole('menuitem', { name: 'ระงับบัญชี' }), changes: [`user.update ${user.id}`] };
  },
  'users: end sessions': async ({ page, records, request }) => {
    const user = await records.user((await records.role(['DASHBOARD.SHOW'])).id);
    await logIn(request, user.username, 'first password of all');
    await page.goto(`/app/user-management?q=${user.username}`);
    await page.getByRole('button', { name: `จัดการ ${user.name}` }).click();
    await page.getByRole('menuitem', { name: th.user.endSessions }).click();
    const press = dialog(page).getByRole('button', { name: th.user.endAllSessions });
    return { press, changes: ['session.end *'] };
  },
  'roles: save': async ({ page, records }) => {
    const role = await records.role(['DASHBOARD.SHOW']);
    await page.goto(rolePath(role.id));
    await box(page, 'APPOINTMENT.SHOW').check();
    return { press: page.getByRole('button', { name: 'บันทึกบทบาท' }), changes: [`role.update ${role.id}`] };
  },
  'services: delete': async ({ page, clinic }) => {
    const service = await clinic.addService({ sort: 1 });
    await page.goto(tabPath('services'));
    await page.getByRole('button', { name: new RegExp(`^จัดการบริการ.*${service.name}`) }).click();
    await page.getByRole('menuitem', { name: th.service.delete }).click();
    const press = dialog(page).getByRole('button', { name: th.service.delete });
    return { press, changes: [`service.delete ${service.id}`] };
  },
  'settings: save': async ({ page }) => {
    await page.goto(tabPath('hospital'));
    await page.getByLabel('โทรศัพท์').first().fill(uniquePhone());
    return { press: save(page), changes: ['setting.update *'] };
  },
  'sign in': async ({ page }) => {
    await page.context().clearCookies();
    await page.goto('/login');
    await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill('nurse');
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill(PASSWORD);
    return { press: page.getByRole('button', { name: 'เข้าสู่ระบบ' }), changes: ['auth.login *'] };
  },
};

const kitOf = async (
  page: Page,
  request: APIRequestContext,
  token: string,
  smq: string,
  records: Records,
) => {
  const clinic = new Clinic(request, token);
  const desk = new Desk(request, token, smq);
  const booked = async (count: number, date = dayFromNow(0)) => {
    const service = await clinic.addService({ from: '00:00', to: '24:00', minutes: 30, capacity: 9 });
    const clock = new Date(Date.now() + 7 * 3_600_000).toISOString().slice(11, 16);
    const start = `${clock.slice(0, 3)}${clock.slice(3) < '30' ? '00' : '30'}`;
    const rows: Booked[] = [];
    for (let index = 0; index < count; index++) {
      const patient = await desk.register();
      // Only somebody who stands at the desk takes the slot that runs.
      const fields = date === dayFromNow(0) ? { kind: 'WALK_IN' } : {};
      rows.push({ ...(await clinic.book(patient, service, date, start, fields)), patient });
    }
    return { service, rows };
  };
  return { page, request, token, clinic, desk, planner: new Planner(clinic, desk), records, booked } as Kit;
};

const kitTest = test.extend<{ kit: Kit }>({
  kit: async ({ page, request, token, tokensOf, records, signInAs }, use) => {
    const { smqAccessToken } = await tokensOf(request, 'admin');
    await signInAs('admin');
    await use(await kitOf(page, request, token, smqAccessToken, records));
  },
});

interface Entry {
  action: string;
  entityId: string;
}

/** What was changed since then, as the audit log has it; looking at something is no change. */
async function changesSince({ request, token }: Kit, from: string): Promise<string[]> {
  const filter = { from, page: 1, pageSize: 100 };
  const { items } = await adminCall<{ items: Entry[] }>(request, token, '/admin/api/v1/audit/list', filter);
  return items
    .filter(({ action }) => !/\.(read|list|show|export|download|slip)$/.test(action))
    .map(({ action, entityId }) => `${action} ${entityId}`);
}

const READS = /\/(list|details|calendar-list|check-time-slots|waitlist|search|history|summary|read|events)$/;

/** Collects the calls of the page that may change something, until they are answered. */
function watchCalls(page: Page) {
  const calls: Request[] = [];
  const note = (request: Request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== 'GET' && pathname.startsWith('/admin/') && !READS.test(pathname))
      calls.push(request);
  };
  page.on('request', note);
  return async () => {
    // What the last event began has been sent once the page answers.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    await Promise.all(calls.map((call) => call.response()));
    page.off('request', note);
  };
}

/** Two real clicks in the same place; the page waits between them, so that the gap is what it is said to be. */
async function doubleClick(page: Page, target: Locator, gap: number): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  await page.mouse.move(0, 0);
  await target.hover();
  for (const wait of [gap, 0]) {
    await page.mouse.down();
    await page.mouse.up();
    if (wait > 0) await page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), wait);
  }
}

/** The log's lines with the ids that do not matter left out. */
function comparable(changes: string[], expected: string[]): string[] {
  const anyOf = new Set(expected.filter((line) => line.endsWith(' *')).map((line) => line.slice(0, -2)));
  return changes.map((line) => {
    const [action = ''] = line.split(' ');
    return anyOf.has(action) ? `${action} *` : line;
  });
}

for (const [name, arrange] of Object.entries(ACTIONS)) {
  kitTest(`a double-click acts once: ${name}`, async ({ kit }) => {
    test.slow();
    const { page } = kit;
    for (const gap of GAPS) {
      const { press, changes } = await arrange(kit);
      await expect(press).toBeVisible();
      const from = new Date().toISOString();
      const settled = watchCalls(page);
      await doubleClick(page, press, gap);
      await settled();
      await expect
        .poll(async () => comparable(await changesSince(kit, from), changes).sort(), { message: `${gap} ms` })
        .toEqual(changes.toSorted());
    }
  });
}

kitTest('what others change does not slide rows below a pointer that rests on an action', async ({ kit }) => {
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
  // Once the pointer has left, the list is what it is.
  await page.mouse.move(0, 0);
  await expect(page.getByRole('row')).toHaveCount(2);
});

kitTest('a press on what has just slid below a resting pointer does nothing', async ({ kit }) => {
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
  // Going there is a choice, and is never held up.
  await page.mouse.move(0, 0);
  await names.first().click();
  await expect(page).toHaveURL(/\/edit$/);
});

kitTest('different rows are worked through without a pause, by mouse and by keyboard', async ({ kit }) => {
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
  for (const row of rows.slice(2)) {
    await expect(button(row)).toBeEnabled();
    await button(row).press('Enter');
  }
  await expect.poll(async () => (await changesSince(kit, from)).sort()).toEqual(rows.map(marked).sort());
});

kitTest('two Enters mark once', async ({ kit }) => {
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
