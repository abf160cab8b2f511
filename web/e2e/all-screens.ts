import { type APIRequestContext, expect, type Page } from '@playwright/test';
import { th } from '../src/i18n/th';
import { adminCall } from './accounts';
import type { Role } from './support';

/** A Monday morning during consulting hours. */
export const NOW = '2026-11-16T09:40:00+07:00';
const TODAY = NOW.slice(0, 10);

export interface Screen {
  /** Also the name of its screenshot. */
  name: string;
  path: string;
  /** The role of the user; the administrator by default, signed out for null. */
  role?: Role | null;
  /** What must be visible besides the heading. */
  ready?: (page: Page) => Promise<void>;
  /** One of the five most used screens: also tested in dark mode, right to left and on a phone. */
  main?: true;
}

const days = (page: Page) => expect(page.locator('[data-chart]').last()).toBeVisible();
const charts = (page: Page) => expect(page.locator('.recharts-surface').last()).toBeVisible();

/** All screens; :booked, :done and :patient are replaced by records of the sample hospital. */
export const SCREENS: Screen[] = [
  { name: 'sign-in', path: '/login', role: null },
  { name: 'register', path: '/register', role: null },
  { name: 'forgot-password', path: '/forgot-password', role: null },
  { name: 'reset-password', path: '/reset-password#token=x', role: null },
  { name: 'reset-password-without-link', path: '/reset-password', role: null },
  { name: 'change-password', path: '/app/change-password' },
  { name: 'dashboard', path: '/app/dashboard', ready: days, main: true },
  { name: 'dashboard-executive', path: '/app/dashboard', role: 'executive', ready: days },
  { name: 'dashboard-queue', path: '/app/dashboard', role: 'queue' },
  { name: 'calendar', path: '/app/appointment/calendar', main: true },
  { name: 'calendar-week', path: '/app/appointment/calendar?view=week' },
  { name: 'calendar-day', path: '/app/appointment/calendar?view=day' },
  { name: 'appointments', path: '/app/appointment/list', role: 'nurse', main: true },
  { name: 'appointments-none', path: '/app/appointment/list?q=ไม่มีใครชื่อนี้' },
  { name: 'booking-start', path: '/app/appointment/create', role: 'registrar' },
  {
    name: 'booking',
    path: '/app/appointment/create?patientId=:patient&serviceId=1',
    role: 'registrar',
    main: true,
  },
  { name: 'appointment', path: '/app/appointment/:booked/edit', role: 'nurse' },
  { name: 'appointment-to-mark', path: '/app/appointment/:booked/edit', role: 'queue' },
  { name: 'results', path: '/app/appointment/:done/diagnosisResults', role: 'doctor' },
  { name: 'patients', path: '/app/patient-management', role: 'registrar', main: true },
  { name: 'patients-none', path: '/app/patient-management?q=ไม่มีใครชื่อนี้' },
  { name: 'patient-create', path: '/app/patient-management/create', role: 'registrar' },
  { name: 'patient', path: '/app/patient-management/:patient/edit', role: 'registrar' },
  { name: 'patient-history', path: '/app/patient-management/:patient/edit?tab=timeline', role: 'nurse' },
  { name: 'customers', path: '/app/patient-management?tab=customers' },
  { name: 'schedule', path: '/app/serviceSchedule', role: 'nurse' },
  { name: 'schedule-closures', path: '/app/serviceSchedule?view=closures', role: 'nurse' },
  { name: 'report', path: '/app/report', ready: charts },
  { name: 'report-no-show', path: '/app/report?tab=no-show', ready: charts },
  { name: 'report-waiting', path: '/app/report?tab=waiting-time', ready: charts },
  { name: 'report-workload', path: '/app/report?tab=workload', ready: charts },
  { name: 'profile', path: '/app/profile', role: 'doctor' },
  { name: 'users', path: '/app/user-management' },
  { name: 'user-create', path: '/app/user-management/create' },
  { name: 'user', path: '/app/user-management/3/edit' },
  { name: 'roles', path: '/app/user-management?tab=roles&role=3' },
  { name: 'roles-compared', path: '/app/user-management?tab=roles&view=compare' },
  ...['hospital', 'booking', 'services', 'holidays', 'banners', 'reminders', 'numbering'].map((tab) => ({
    name: `config-${tab}`,
    path: `/app/global-config?tab=${tab}`,
  })),
  // Only the entries that created the sample hospital: reads are logged, too.
  { name: 'config-audit', path: '/app/global-config?tab=audit&entity=customer' },
  { name: 'no-access', path: '/app/global-config', role: 'queue' },
  { name: 'not-found', path: '/app/nothing' },
];

export interface Overlay {
  name: string;
  path: string;
  role?: Role;
  open: (page: Page) => Promise<void>;
}

const press = (name: string | RegExp) => (page: Page) => {
  const named = typeof name === 'string' ? { name, exact: true } : { name };
  const main = page.getByRole('main');
  return main.getByRole('button', named).or(main.getByRole('link', named)).first().click();
};

/** Opens the menu of a button and chooses an entry. */
const choose = (button: RegExp, entry?: string) => async (page: Page) => {
  await press(button)(page);
  await expect(page.getByRole('menu')).toBeVisible();
  if (entry) await page.getByRole('menuitem', { name: entry }).click();
};

/** All dialogs, drawers, menus and popovers that can be opened without changing data. */
export const OVERLAYS: Overlay[] = [
  {
    name: 'account menu',
    path: '/app/nothing',
    open: (page) => page.getByRole('button', { name: /^บัญชีของ/ }).click(),
  },
  {
    name: 'customizer',
    path: '/app/nothing',
    open: (page) => page.getByRole('button', { name: 'ปรับแต่งหน้าจอ' }).click(),
  },
  {
    name: 'search for patients',
    path: '/app/nothing',
    open: (page) => page.getByRole('button', { name: 'ค้นหาผู้ป่วย…' }).click(),
  },
  {
    name: 'date picker',
    path: '/app/appointment/calendar',
    open: press(/จากปฏิทิน$/),
  },
  {
    name: 'card of an appointment',
    path: '/app/appointment/calendar?view=day',
    open: (page) => page.locator('[data-id]').first().click(),
  },
  { name: 'export menu', path: '/app/appointment/list', open: choose(/^ส่งออก/) },
  { name: 'columns menu', path: '/app/appointment/list', open: choose(/^คอลัมน์/) },
  { name: 'print menu', path: '/app/appointment/list', open: choose(/^พิมพ์/) },
  { name: 'menu of an appointment', path: '/app/appointment/list', open: choose(/^จัดการนัดของ/) },
  {
    name: 'history of an appointment',
    path: '/app/appointment/list',
    open: choose(/^จัดการนัดของ/, 'ประวัติ'),
  },
  {
    name: 'reason to cancel',
    path: '/app/appointment/list?status=BOOKED',
    open: choose(/^จัดการนัดของ/, 'ยกเลิกนัด'),
  },
  { name: 'deletion of an appointment', path: '/app/appointment/:booked/edit', open: press('ลบนัด') },
  { name: 'menu of a patient', path: '/app/patient-management/:patient/edit', open: choose(/^จัดการข้อมูลของ/) },
  {
    name: 'deletion of a patient',
    path: '/app/patient-management/:patient/edit',
    open: choose(/^จัดการข้อมูลของ/, 'ลบผู้ป่วย'),
  },
  {
    name: 'reason to see an ID card',
    path: '/app/patient-management/:patient/edit',
    open: press('แสดงเลขบัตร'),
  },
  { name: 'menu of a customer', path: '/app/patient-management?tab=customers', open: choose(/^จัดการ /) },
  {
    name: 'deletion of a customer',
    path: '/app/patient-management?tab=customers',
    open: choose(/^จัดการ /, 'ลบผู้ใช้บริการ'),
  },
  {
    name: 'a slot of the week',
    path: '/app/serviceSchedule',
    open: (page) => page.getByRole('gridcell', { name: /ว่าง/ }).last().click(),
  },
  { name: 'weekly hours', path: '/app/serviceSchedule', open: press('เวลาให้บริการ') },
  { name: 'a closure', path: '/app/serviceSchedule', open: press('งดให้บริการ') },
  {
    name: 'holidays of a year',
    path: '/app/global-config?tab=holidays',
    open: press('เพิ่มวันหยุดราชการของปี'),
  },
  {
    name: 'moving all appointments',
    path: '/app/global-config?tab=holidays',
    open: press(new RegExp(`^${th.schedule.month.move}`)),
  },
  { name: 'a new service', path: '/app/global-config?tab=services', open: press('เพิ่มบริการ') },
  { name: 'menu of a service', path: '/app/global-config?tab=services', open: choose(/^จัดการบริการ/) },
  {
    name: 'screens of a service',
    path: '/app/global-config?tab=services',
    open: choose(/^จัดการบริการ/, 'จอแสดงคิว'),
  },
  {
    name: 'deletion of a service',
    path: '/app/global-config?tab=services',
    open: choose(/^จัดการบริการ/, 'ลบบริการ'),
  },
  { name: 'approval of a user', path: '/app/user-management?q=thida.b', open: press(/^อนุมัติ ธิดา/) },
  { name: 'menu of a user', path: '/app/user-management?q=anong.s', open: choose(/^จัดการ อนงค์/) },
  {
    name: 'sessions of a user',
    path: '/app/user-management?q=anong.s',
    open: choose(/^จัดการ อนงค์/, th.user.endSessions),
  },
  {
    name: 'new password of a user',
    path: '/app/user-management?q=anong.s',
    open: choose(/^จัดการ อนงค์/, 'รหัสผ่านใหม่'),
  },
  {
    name: 'deletion of a user',
    path: '/app/user-management?q=anong.s',
    open: choose(/^จัดการ อนงค์/, 'ลบบัญชี'),
  },
];

interface Listed {
  items: { id: number; patientId: number; status: string; startTime: string }[];
}

/** Replaces placeholders in a path by records of the sample hospital: the first of the day that fits. */
export async function pathOf(request: APIRequestContext, token: string, path: string): Promise<string> {
  if (!path.includes(':')) return path;
  const day = { dateFrom: TODAY, dateTo: TODAY, sort: 'date', page: 1, pageSize: 100 };
  const first = async (status: string) => {
    const body = { ...day, statuses: [status] };
    const { items } = await adminCall<Listed>(request, token, '/admin/api/v1/appointment/list', body);
    const [found] = items;
    if (!found) throw new Error(`nobody is ${status} on ${TODAY}`);
    return found;
  };
  if (path.includes(':done')) return path.replace(':done', String((await first('COMPLETED')).id));
  const booked = await first('BOOKED');
  return path.replace(':booked', String(booked.id)).replace(':patient', String(booked.patientId));
}

/** Expects that nothing visible is loading. A tab that was never opened keeps its hidden placeholder. */
export async function filled(page: Page): Promise<void> {
  await expect(
    page.locator('.mantine-Skeleton-root, [aria-busy="true"]').filter({ visible: true }),
  ).toHaveCount(0);
}

/** Waits until everything is loaded: no placeholder, no pending fetch, fonts and images loaded. */
export async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await filled(page);
  await page.waitForFunction(
    () =>
      document.fonts.status === 'loaded' &&
      [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
  );
}

/** Words that are the same in Thai, or data. */
const LATIN =
  /^(\{\w+\}|HN( \d+)?|Rh|EN|Asia\/Bangkok|Mr\.|Mrs\.|Ms\.|Miss|LINE( ID)?|SMS|PDPA|Ctrl K|IP|ICD-10|QR|PDF|CSV \(\.csv\)|Excel \(\.xlsx\))$/;

/** The English texts of a Thai screen for screen readers: names and hints without a Thai letter. */
export async function foreignNames(page: Page): Promise<string[]> {
  const names = await page.evaluate(() => {
    const attributes = [
      'aria-label',
      'aria-description',
      'aria-roledescription',
      'aria-valuetext',
      'title',
      'alt',
    ];
    const labels = attributes.flatMap((name) =>
      [...document.querySelectorAll(`[${name}]`)]
        .filter(
          (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('[aria-hidden=true]'),
        )
        .map((one) => one.getAttribute(name) ?? ''),
    );
    const written = [
      ...document.querySelectorAll(
        'button, label, legend, th, h1, h2, h3, [role=tab], [role=menuitem], [role=option]',
      ),
    ].map((one) => one.textContent ?? '');
    return [...labels, ...written].map((name) => name.trim());
  });
  return [...new Set(names)].filter(
    (name) => /[A-Za-z]{2}/.test(name) && !/[\u0e00-\u0e7f]/.test(name) && !LATIN.test(name),
  );
}
