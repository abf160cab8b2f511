import { randomInt } from 'node:crypto';
import type { APIRequestContext, Locator, Page } from '@playwright/test';
import { adminCall } from './accounts';
import { test as base, fullName, type TestPatient, uniqueThai } from './patient-support';
import { expect } from './support';

export interface TestService {
  id: number;
  version: number;
  name: string;
}

export interface TestAppointment {
  id: number;
  number: string;
  version: number;
  status: string;
  date: string;
  startTime: string;
  note: string;
  overbooked: boolean;
  queueNo: number | null;
}

interface ServiceShape extends Record<string, unknown> {
  capacity?: number;
  from?: string;
  to?: string;
  minutes?: number;
}

/** Creates services and appointments for one test, with all permissions. */
export class Clinic {
  readonly #request: APIRequestContext;
  readonly #token: string;
  readonly #made: TestService[] = [];

  constructor(request: APIRequestContext, token: string) {
    this.#request = request;
    this.#token = token;
  }

  call<Data>(path: string, data: object): Promise<Data> {
    return adminCall(this.#request, this.#token, `/admin/api/v1/${path}`, data);
  }

  /** A service that is open every day from `from` to `to`. */
  async addService(shape: ServiceShape = {}): Promise<TestService> {
    const { capacity = 2, from = '08:00', to = '12:00', minutes = 60, ...fields } = shape;
    const schedule = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({
      weekday,
      startTime: from,
      endTime: to,
      slotMinutes: minutes,
      capacity,
    }));
    const service = await this.call<TestService>('service-config/create', {
      // After the sample services in the order.
      sort: 1000 + randomInt(8000),
      code: `T${randomInt(1e9).toString(36).toUpperCase()}`,
      name: uniqueThai('คลินิก'),
      location: 'อาคาร 2 ชั้น 3',
      schedule,
      ...fields,
    });
    this.#made.push(service);
    return service;
  }

  /** Deletes the services of the test: other tests count the bookable ones. */
  async closeDown(): Promise<void> {
    for (const service of this.#made) await this.deactivate(service);
  }

  /** Stops bookings; existing appointments remain. */
  async deactivate({ id }: TestService): Promise<void> {
    const { version } = await this.read<TestService>(id);
    await this.#request.post('/admin/api/v1/service-config/update', {
      headers: { Authorization: `Bearer ${this.#token}` },
      data: { id, version, active: false },
    });
  }

  /** The current state of a service. */
  read<Data>(id: number): Promise<Data> {
    return adminCall(this.#request, this.#token, `/admin/api/v1/service-config/${id}`);
  }

  close(service: TestService, date: string, reason: string): Promise<unknown> {
    const closure = { dateFrom: date, dateTo: date, serviceIds: [service.id], reason, kind: 'CLOSED' };
    return this.call('service-config/closures/create', closure);
  }

  book(patient: { id: number }, service: TestService, date: string, startTime: string, fields: object = {}) {
    const body = { patientId: patient.id, serviceId: service.id, date, startTime, ...fields };
    return this.call<TestAppointment>('appointment/create', body);
  }

  mark(id: number, status: string, reason = '') {
    return this.call<TestAppointment>('appointment/mark-status', { id, status, reason });
  }

  details(id: number) {
    return this.call<TestAppointment>('appointment/details', { id });
  }

  list(filter: object) {
    return this.call<{ total: number; items: TestAppointment[] }>('appointment/list', filter);
  }
}

interface Booking {
  service: TestService;
  patient: TestPatient;
  /** The patient's full name. */
  name: string;
  date: string;
  appointment: TestAppointment;
}

interface Fixtures {
  clinic: Clinic;
  /** A new patient with an appointment in two days at 08:00, in a new service with one seat per slot. */
  booking: Booking;
}

export const test = base.extend<Fixtures>({
  clinic: async ({ request, tokensOf }, use) => {
    const clinic = new Clinic(request, (await tokensOf(request, 'admin')).accessToken);
    await use(clinic);
    await clinic.closeDown();
  },
  booking: async ({ clinic, registration }, use) => {
    const service = await clinic.addService({ capacity: 1 });
    const patient = await registration.register();
    const date = dayFromNow(2);
    const appointment = await clinic.book(patient, service, date, '08:00');
    await use({ service, patient, name: fullName(patient), date, appointment });
  },
});

/** The address of the list with a service's appointments on a date. */
export const listOf = ({ id }: TestService, date: string) =>
  `/app/appointment/list?from=${date}&to=${date}&service=${id}`;

/** The address of the calendar with a service's slots on a date. */
export const calendarOf = ({ id }: TestService, date: string) =>
  `/app/appointment/calendar?view=day&date=${date}&service=${id}`;

export const slotAt = (page: Page, time: string) => page.locator(`[data-slot$=" ${time}"]`);
/** A patient's appointment in the calendar. */
export const person = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^${name} `) });
/** The undo button of the latest notification. */
export const lastUndo = (page: Page) => page.getByRole('button', { name: 'เลิกทำ' }).last();

/** Drags a patient's appointment to another slot of the calendar and returns the confirmation dialog. */
export async function dragToSlot(page: Page, name: string, time: string): Promise<Locator> {
  await person(page, name).dragTo(slotAt(page, time));
  const dialog = page.getByRole('dialog', { name: `เลื่อนนัดของ ${name}` });
  await expect(dialog).toBeVisible();
  return dialog;
}

/** The start of the current slot of a service that is open all day, in slots of one hour or half an hour. */
export function runningSlot(minutes: 30 | 60): string {
  const [hour, minute = ''] = new Date(Date.now() + 7 * 3_600_000).toISOString().slice(11, 16).split(':');
  return `${hour}:${minutes === 30 && minute >= '30' ? '30' : '00'}`;
}

/** The hospital's date, this many days from now. */
export function dayFromNow(days: number): string {
  const bangkok = new Date(Date.now() + 7 * 3_600_000 + days * 86_400_000);
  return bangkok.toISOString().slice(0, 10);
}

const MONTHS = 'ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.'.split(' ');

/** '2026-11-15' → '15 พ.ย. 2569' */
export function thaiDay(iso: string): string {
  const [year = '', month = '', day = ''] = iso.split('-');
  return `${Number(day)} ${MONTHS[Number(month) - 1]} ${Number(year) + 543}`;
}
