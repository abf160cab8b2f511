import { randomInt } from 'node:crypto';
import type { APIRequestContext } from '@playwright/test';
import { adminCall } from './accounts';
import { uniqueThai } from './patient-list-support';

const SERVICES = '/admin/api/v1/service-config';
const APPOINTMENTS = '/admin/api/v1/appointment';

export interface TestService {
  id: number;
  name: string;
}

export interface TestAppointment {
  id: number;
  number: string;
  version: number;
  status: string;
  date: string;
  startTime: string;
}

/** A service that is open every day from `from` to `to`; the tests share one hospital, so each makes its own. */
export function addService(
  request: APIRequestContext,
  adminToken: string,
  {
    capacity = 2,
    from = '08:00',
    to = '12:00',
    minutes = 60,
    ...fields
  }: { capacity?: number; from?: string; to?: string; minutes?: number } & Record<string, unknown> = {},
): Promise<TestService> {
  const schedule = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({
    weekday,
    startTime: from,
    endTime: to,
    slotMinutes: minutes,
    capacity,
  }));
  return adminCall(request, adminToken, `${SERVICES}/create`, {
    code: `T${randomInt(1e9).toString(36).toUpperCase()}`,
    name: uniqueThai('คลินิก'),
    location: 'อาคาร 2 ชั้น 3',
    schedule,
    ...fields,
  });
}

export function bookFor(
  request: APIRequestContext,
  token: string,
  fields: Record<string, unknown>,
): Promise<TestAppointment> {
  return adminCall(request, token, `${APPOINTMENTS}/create`, fields as object);
}

export function mark(
  request: APIRequestContext,
  token: string,
  id: number,
  status: string,
  reason = '',
): Promise<TestAppointment> {
  return adminCall(request, token, `${APPOINTMENTS}/mark-status`, { id, status, reason });
}

export function details(
  request: APIRequestContext,
  token: string,
  id: number,
): Promise<TestAppointment & { patientId: number; serviceId: number; overbooked: boolean; note: string }> {
  return adminCall(request, token, `${APPOINTMENTS}/details`, { id });
}

/** The hospital's day, so many days from now. */
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
