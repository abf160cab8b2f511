import type { Page } from '@playwright/test';
import { test as base, type Clinic, type TestService } from './appointment-support';
import type { Registration, TestPatient } from './patient-support';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The first Sunday after today followed by two weeks without a public holiday in these months. */
function quietSunday(): number {
  const today = new Date(Date.now() + 7 * HOUR_MS);
  let sunday = Date.parse(today.toISOString().slice(0, 10)) + (7 - today.getUTCDay()) * DAY_MS;
  const quiet = (day: number) => ['09', '11'].includes(new Date(day).toISOString().slice(5, 7));
  while (!quiet(sunday) || !quiet(sunday + 13 * DAY_MS)) sunday += 7 * DAY_MS;
  return sunday;
}

const SUNDAY = quietSunday();

/** The day this many days after that Sunday: its Monday is 1. It is neither past nor closed. */
export const quietDay = (day: number) => new Date(SUNDAY + day * DAY_MS).toISOString().slice(0, 10);

const SHORT_MONTHS = 'ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.'.split(' ');

/** 2026-11-16 → 16 พ.ย. 2569 */
export const shortDate = (iso: string) =>
  `${Number(iso.slice(8))} ${SHORT_MONTHS[Number(iso.slice(5, 7)) - 1]} ${Number(iso.slice(0, 4)) + 543}`;

interface TestSlot {
  startTime: string;
  capacity: number;
  booked: number;
  overridden: boolean;
}

export interface TestClosure {
  id: number;
  reason: string;
  dateFrom: string;
}

/** Creates services with hours, bookings and closures for one test. */
export class Planner {
  readonly #clinic: Clinic;
  readonly #registration: Registration;

  constructor(clinic: Clinic, registration: Registration) {
    this.#clinic = clinic;
    this.#registration = registration;
  }

  /** Open every day 09:00–12:00 in slots of one hour with four seats. */
  addService(fields: object = {}): Promise<TestService> {
    const usual = { from: '09:00', to: '12:00', capacity: 4, slotMinutes: 60, defaultCapacity: 4 };
    return this.#clinic.addService({ ...usual, bookingWindowDays: 365, leadMinutes: 0, ...fields });
  }

  /** A new patient with a booking. */
  async bookNewPatient(service: TestService, date: string, startTime: string): Promise<TestPatient> {
    const patient = await this.#registration.register();
    await this.#clinic.book(patient, service, date, startTime);
    return patient;
  }

  async slotsOn(service: TestService, date: string): Promise<TestSlot[]> {
    const { days } = await this.#clinic.call<{ days: { slots: TestSlot[] }[] }>(
      'appointment-time-slots/check-time-slots',
      { serviceId: service.id, date },
    );
    return days[0]?.slots ?? [];
  }

  /** '4 6 4': the capacity of each slot of a day. */
  async capacitiesOn(service: TestService, date: string): Promise<string> {
    return (await this.slotsOn(service, date)).map(({ capacity }) => capacity).join(' ');
  }

  setCapacity(service: TestService, date: string, startTime: string, capacity: number): Promise<unknown> {
    const change = { serviceId: service.id, date, startTime, capacity, force: true };
    return this.#clinic.call('appointment-time-slots/update-capacity', change);
  }

  setHours({ id, version }: TestService, schedule: object[]): Promise<unknown> {
    return this.#clinic.call('service-config/update', { id, version, schedule });
  }

  async hoursOf(service: TestService): Promise<{ capacity: number }[]> {
    return (await this.#clinic.read<{ schedule: { capacity: number }[] }>(service.id)).schedule;
  }

  close(service: TestService, dateFrom: string, dateTo: string, times: object = {}): Promise<TestClosure> {
    const closure = { dateFrom, dateTo, ...times, reason: 'ประชุม', serviceIds: [service.id] };
    return this.#clinic.call('service-config/closures/create', closure);
  }

  closuresOf(year: number): Promise<TestClosure[]> {
    const period = { dateFrom: `${year}-01-01`, dateTo: `${year}-12-31` };
    return this.#clinic.call('service-config/closures/list', period);
  }

  async openAgain(closures: TestClosure[]): Promise<void> {
    for (const { id } of closures) await this.#clinic.call('service-config/closures/delete', { id });
  }
}

export const test = base.extend<{ planner: Planner }>({
  planner: async ({ clinic, registration }, use) => use(new Planner(clinic, registration)),
});

/** Opens the week of the first such Monday. */
export const openSchedule = (page: Page, { id }: TestService, more = '') =>
  page.goto(`/app/serviceSchedule?service=${id}&date=${quietDay(1)}${more}`);

/** The cell of a day (0 is Sunday) and a row. */
export const scheduleCell = (page: Page, day: number, row: number) =>
  page
    .getByRole('grid')
    .getByRole('row')
    .nth(row + 1)
    .locator('td')
    .nth(day);
