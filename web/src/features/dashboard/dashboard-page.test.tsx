import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Permission } from '@/api/client';
import { matching, searchParams } from '@/lib/search-params';
import { renderPage } from '@/test/app';
import { anAppointment } from '@/test/appointments';
import type { Dashboard } from './api';
import { DashboardPage } from './dashboard-page';

const TODAY = '2026-11-16';
const SEE: Permission[] = ['DASHBOARD.SHOW', 'APPOINTMENT.SHOW', 'APPOINTMENT.MARK_STATUS'];
const SERVICE = { id: 3, code: 'MED', name: 'อายุรกรรม', color: '#0f766e' };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(`${TODAY}T03:00:00Z`) });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function aDashboard(fields: Partial<Dashboard> = {}): Dashboard {
  return {
    date: TODAY,
    today: TODAY,
    total: 10,
    byStatus: {
      WAITLISTED: 0,
      PENDING: 0,
      BOOKED: 3,
      CONFIRMED: 1,
      CHECKED_IN: 1,
      IN_SERVICE: 1,
      COMPLETED: 2,
      NO_SHOW: 0,
      CANCELLED: 2,
    },
    services: [
      {
        service: SERVICE,
        booked: 8,
        capacity: 10,
        available: 2,
        state: 'BUSY',
        reason: '',
        checkedIn: 1,
        nextFree: { date: '2026-11-17', startTime: '09:30', endTime: '10:00', available: 1 },
      },
    ],
    arrivals: { next: [anAppointment({ startTime: '10:30' })], late: [], lateTotal: 0 },
    trend: [{ date: '2026-11-13', booked: 12, completed: 9, noShow: 2, cancelled: 1 }],
    ahead: [
      { date: '2026-11-17', booked: 5, capacity: 20, closed: false, reason: '' },
      { date: '2026-11-18', booked: 2, capacity: 0, closed: true, reason: 'วันหยุดชดเชย' },
    ],
    noShow: { dateFrom: '2026-10-17', dateTo: '2026-11-15', expected: 200, noShow: 17 },
    noShowBefore: { dateFrom: '2026-09-17', dateTo: '2026-10-16', expected: 100, noShow: 10 },
    alerts: { pending: 0, closures: [], full: [], waitlist: [] },
    ...fields,
  };
}

function open(dashboard: Dashboard, permissions = SEE, at = '/app/dashboard', more = {}) {
  return renderPage({
    at,
    path: '/app/dashboard',
    search: searchParams({ date: matching(Boolean) }),
    component: DashboardPage,
    permissions,
    answers: { '/dashboard/summary': () => dashboard, ...more },
  });
}

/** The target of a figure's link, as parsed by the list. */
const leadsTo = (element: HTMLElement) => {
  const { pathname, searchParams } = new URL(element.getAttribute('href') ?? '', 'http://x');
  return [pathname, Object.fromEntries(searchParams)];
};

test('each figure links to the list it counts', async () => {
  open(aDashboard());
  expect(leadsTo(await screen.findByRole('link', { name: 'นัดแล้ว 3' }))).toEqual([
    '/app/appointment/list',
    { status: 'BOOKED' },
  ]);
  expect(leadsTo(screen.getByRole('link', { name: 'นัดทั้งหมด 10' }))).toEqual(['/app/appointment/list', {}]);
  expect(leadsTo(screen.getByRole('link', { name: 'อายุรกรรม จองแล้ว 8 จาก 10 ที่' }))[1]).toEqual({
    service: '3',
    status: 'SEATED',
  });
  const week = within(await screen.findByRole('table', { name: '7 วันที่ผ่านมา' }));
  expect(leadsTo(week.getByRole('link', { name: '2' }))[1]).toEqual({
    from: '2026-11-13',
    to: '2026-11-13',
    status: 'NO_SHOW',
  });
  expect(screen.getByText(/ตรวจเสร็จ 2 จาก 8 คน \(25%\)/)).toBeInTheDocument();
  expect(screen.getByText('80% · ใกล้เต็ม · ว่าง 2')).toBeInTheDocument();
  expect(screen.getByText('ว่างถัดไป พรุ่งนี้ 09:30 น.')).toBeInTheDocument();
  expect(screen.getByText('งด: วันหยุดชดเชย')).toBeInTheDocument();
  expect(screen.getByText('8.5%')).toBeInTheDocument();
  expect(screen.getByText(/ลดลง 1.5 จุด/)).toBeInTheDocument();
  expect(screen.getByText('ไม่มีเรื่องค้าง')).toBeInTheDocument();
});

test('a user who may see numbers only gets neither names nor links', async () => {
  open(aDashboard({ arrivals: null }), ['DASHBOARD.SHOW']);
  expect(await screen.findByText('นัดทั้งหมด')).toBeInTheDocument();
  expect(await screen.findByRole('table', { name: '7 วันที่ผ่านมา' })).toBeInTheDocument();
  expect(screen.queryByRole('link')).not.toBeInTheDocument();
  expect(screen.queryByRole('region', { name: 'ผู้ป่วยที่กำลังจะมา' })).not.toBeInTheDocument();
});

test('without the permission it shows a message and sends no requests', async () => {
  const asked = vi.fn();
  open(aDashboard(), ['APPOINTMENT.SHOW'], '/app/dashboard', { '/dashboard/summary': asked });
  expect(await screen.findByRole('heading', { name: 'ยินดีต้อนรับ' })).toBeInTheDocument();
  expect(asked).not.toHaveBeenCalled();
});

test('one click checks in, on the day itself only', async () => {
  const marked: unknown[] = [];
  open(aDashboard(), SEE, '/app/dashboard', {
    '/mark-status': (body: unknown) => {
      marked.push(body);
      return anAppointment({ status: 'CHECKED_IN', queueNo: 4, version: 2 });
    },
  });
  await userEvent.click(await screen.findByRole('button', { name: 'นางสมศรี ใจดี มาถึงแล้ว' }));
  expect(marked).toEqual([{ id: 7, version: 1, status: 'CHECKED_IN' }]);
});

test('another day has no check-in button, and its figures link to that day', async () => {
  const tomorrow = anAppointment({ date: '2026-11-18', allowedStatuses: ['CONFIRMED', 'CANCELLED'] });
  const arrivals = { next: [tomorrow], late: [], lateTotal: 0 };
  open(aDashboard({ date: '2026-11-18', arrivals }), SEE, '/app/dashboard?date=2026-11-18');
  expect(leadsTo(await screen.findByRole('link', { name: 'นัดแล้ว 3' }))[1]).toEqual({
    from: '2026-11-18',
    to: '2026-11-18',
    status: 'BOOKED',
  });
  expect(screen.getByText('วันพุธที่ 18 พฤศจิกายน 2569')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: /มาถึงแล้ว/ })).not.toBeInTheDocument();
});

test('alerts link to the pages that deal with them', async () => {
  const alerts: Dashboard['alerts'] = {
    pending: 4,
    closures: [
      {
        id: 9,
        dateFrom: '2026-11-20',
        dateTo: '2026-11-20',
        startTime: '13:00',
        endTime: '16:00',
        reason: 'แพทย์ลา',
        affected: 3,
      },
    ],
    full: [
      { service: SERVICE, date: TODAY },
      { service: SERVICE, date: '2026-11-17' },
    ],
    waitlist: [{ service: SERVICE, date: '2026-11-17', waiting: 2, free: 1 }],
  };
  open(aDashboard({ alerts }), [
    ...SEE,
    'SERVICE_SCHEDULE.SHOW',
    'SERVICE_SCHEDULE.UPDATE',
    'APPOINTMENT.UPDATE',
  ]);
  expect(leadsTo(await screen.findByRole('link', { name: 'รออนุมัติ 4 นัด' }))[1]).toEqual({
    range: 'coming',
    status: 'PENDING',
  });
  const closure = screen.getByRole('link', {
    name: 'แพทย์ลา 20 พ.ย. 2569 13:00–16:00 น. ยังมีผู้นัดไว้ 3 คน',
  });
  expect(leadsTo(closure)).toEqual([
    '/app/serviceSchedule',
    { view: 'closures', date: '2026-11-20', move: '9' },
  ]);
  expect(screen.getByText('วันนี้เต็ม: อายุรกรรม')).toBeInTheDocument();
  expect(screen.getByText('พรุ่งนี้เต็ม: อายุรกรรม')).toBeInTheDocument();
  const waiting = screen.getByRole('link', {
    name: 'อายุรกรรม พรุ่งนี้ มีผู้รอคิว 2 คน ลงนัดให้ได้ 1 คน',
  });
  expect(leadsTo(waiting)[1]).toMatchObject({ service: '3', status: 'WAITLISTED', from: '2026-11-17' });
});

test('links to the closure only if the user may not move appointments', async () => {
  const closure = {
    id: 9,
    dateFrom: '2026-11-20',
    dateTo: '2026-11-20',
    startTime: null,
    endTime: null,
    reason: 'แพทย์ลา',
    affected: 3,
  };
  open(aDashboard({ alerts: { pending: 0, closures: [closure], full: [], waitlist: [] } }), [
    ...SEE,
    'SERVICE_SCHEDULE.SHOW',
    'SERVICE_SCHEDULE.UPDATE',
  ]);
  expect(leadsTo(await screen.findByRole('link', { name: /แพทย์ลา/ }))[1]).toEqual({
    view: 'closures',
    date: '2026-11-20',
  });
});

test('an empty day suggests what to do next', async () => {
  open(aDashboard({ total: 0, services: [], arrivals: { next: [], late: [], lateTotal: 0 } }), [
    ...SEE,
    'APPOINTMENT.CREATE',
  ]);
  expect(await screen.findByText('วันนี้ยังไม่มีนัด')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'เพิ่มนัดหมาย' })).toHaveAttribute(
    'href',
    expect.stringContaining('/app/appointment/create'),
  );
  expect(screen.getByText('ยังไม่มีบริการที่เปิดรับนัด')).toBeInTheDocument();
});
