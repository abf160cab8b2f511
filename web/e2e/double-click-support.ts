import type { APIRequestContext, Locator, Page, Request } from '@playwright/test';
import { adminCall } from './accounts';
import { Clinic, dayFromNow, type TestAppointment, type TestService } from './appointment-support';
import { test as base } from './own-server';
import { Registration, type TestPatient } from './patient-support';
import type { Records } from './role-support';
import { Planner } from './schedule-support';
import { expect } from './support';

/** The time between the two clicks of a double-click, in ms. */
const GAPS = [0, 20, 60, 120, 250];

/** Soon enough for every service to take bookings. */
export const SOON = dayFromNow(2);

export interface Booked extends TestAppointment {
  patient: TestPatient;
}

/** What a case needs to create its records, as the administrator, who is also signed in on the page. */
export interface Kit {
  page: Page;
  request: APIRequestContext;
  token: string;
  clinic: Clinic;
  registration: Registration;
  planner: Planner;
  records: Records;
  /** Books patients into a new service that is open all day, today unless another date is given. */
  booked: (count: number, date?: string) => Promise<{ service: TestService; rows: Booked[] }>;
  /** Signs the page in as a new user with OWN_PASSWORD, and returns the username. */
  asNewUser: () => Promise<string>;
}

export interface Action {
  press: Locator;
  /** The expected audit entries of one press, as "action id"; * for any id. */
  changes: string[];
}

export const dialog = (page: Page) => page.getByRole('dialog');

/** The first record of a list, or another one that the test created. */
export function one<Item>(items: Item[], index = 0): Item {
  const item = items[index];
  if (!item) throw new Error(`there is no item ${index}`);
  return item;
}

export const marked = ({ id }: { id: number }) => `appointment.status ${id}`;

async function bookInto(
  { clinic, registration }: Pick<Kit, 'clinic' | 'registration'>,
  count: number,
  date: string,
) {
  const service = await clinic.addService({ from: '00:00', to: '24:00', minutes: 30, capacity: 9 });
  const clock = new Date(Date.now() + 7 * 3_600_000).toISOString().slice(11, 16);
  const start = `${clock.slice(0, 3)}${clock.slice(3) < '30' ? '00' : '30'}`;
  // The current slot takes walk-ins only.
  const fields = date === dayFromNow(0) ? { kind: 'WALK_IN' } : {};
  const rows: Booked[] = [];
  for (let index = 0; index < count; index++) {
    const patient = await registration.register();
    rows.push({ ...(await clinic.book(patient, service, date, start, fields)), patient });
  }
  return { service, rows };
}

/** Tests with their own hospital, whose audit log contains only their actions. */
export const test = base.extend<{ kit: Kit }>({
  kit: async ({ page, context, request, token, tokensOf, records, signInAs }, use) => {
    const { smqAccessToken } = await tokensOf(request, 'admin');
    await signInAs('admin');
    const clinic = new Clinic(request, token);
    const registration = new Registration(request, token, smqAccessToken);
    await use({
      page,
      request,
      token,
      clinic,
      registration,
      records,
      planner: new Planner(clinic, registration),
      booked: (count, date = dayFromNow(0)) => bookInto({ clinic, registration }, count, date),
      asNewUser: async () => {
        const role = await records.role(['DASHBOARD.SHOW']);
        return (await records.signIn(context, role.id)).username;
      },
    });
  },
});

interface Entry {
  action: string;
  entityId: string;
}

/** The changes since then in the audit log, without reads. */
export async function changesSince({ request, token }: Kit, from: string): Promise<string[]> {
  const filter = { from, page: 1, pageSize: 100 };
  const { items } = await adminCall<{ items: Entry[] }>(request, token, '/admin/api/v1/audit/list', filter);
  return items
    .filter(({ action }) => !/\.(read|list|show|search-id-card|export|download|slip)$/.test(action))
    .map(({ action, entityId }) => `${action} ${entityId}`);
}

const READS = /\/(list|details|calendar-list|check-time-slots|waitlist|search|history|summary|read|events)$/;

/** Collects the page's writes. The returned function waits for their responses. */
export function watchCalls(page: Page) {
  const calls: Request[] = [];
  const note = (request: Request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== 'GET' && pathname.startsWith('/admin/') && !READS.test(pathname))
      calls.push(request);
  };
  page.on('request', note);
  return async () => {
    // When the page responds, it has sent the requests of the last event.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    await Promise.all(calls.map((call) => call.response()));
    page.off('request', note);
  };
}

/** Clicks twice in the same place. The page itself waits in between, so that the gap is exact. */
export async function doubleClick(page: Page, target: Locator, gap: number): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  await page.mouse.move(0, 0);
  await target.hover();
  for (const wait of [gap, 0]) {
    await page.mouse.down();
    await page.mouse.up();
    if (wait > 0) await page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), wait);
  }
}

/** Replaces ids that do not matter by *. */
function comparable(changes: string[], expected: string[]): string[] {
  const anyOf = new Set(expected.filter((line) => line.endsWith(' *')).map((line) => line.slice(0, -2)));
  return changes.map((line) => {
    const [action = ''] = line.split(' ');
    return anyOf.has(action) ? `${action} *` : line;
  });
}

/** Creates a test for each action: a double-click, at every gap, changes the same as one click. */
export function testDoubleClicks(actions: Record<string, (kit: Kit) => Promise<Action>>): void {
  for (const [name, arrange] of Object.entries(actions)) {
    test(`a double-click acts once: ${name}`, { tag: '@long' }, async ({ kit }) => {
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
          .poll(async () => comparable(await changesSince(kit, from), changes).sort(), {
            message: `${gap} ms`,
          })
          .toEqual(changes.toSorted());
      }
    });
  }
}
