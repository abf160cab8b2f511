// Takes the pictures of the README and of the guide: docs/pictures/*.webp.
//
//   make pictures                      (CHROMIUM=…, ONLY=dashboard,calendar)
//
// Runs the built server with its sample hospital in a temporary folder. The patients are the same each time; the dates
// are relative to today, which is in the middle of consulting hours whenever this runs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { post, remember, signIn, withBrowser, withDemo } from './demo.mjs';

const FOLDER = new URL('../../docs/pictures/', import.meta.url);
const DESKTOP = { width: 1366, height: 768 };
const PHONE = { width: 390, height: 780 };
/** A larger image makes the page slow and shows more than can be seen. */
const LIMIT = 90_000;
const chosen = process.env.ONLY?.split(',');

/** The user, the page and the steps of each image. `ready` is visible when it may be taken. */
const PICTURES = {
  'sign-in': { path: '/login', as: null, ready: 'main form', size: { width: 1100, height: 620 } },
  dashboard: { path: '/app/dashboard', as: 'nurse', ready: '[data-chart]' },
  calendar: { path: '/app/appointment/calendar', as: 'nurse', ready: '[data-item][data-date]' },
  'calendar-day': {
    path: '/app/appointment/calendar?view=day',
    as: 'nurse',
    ready: '[data-id]',
  },
  list: { path: '/app/appointment/list', as: 'registrar', ready: 'main tbody tr' },
  booking: {
    path: '/app/appointment/create',
    as: 'registrar',
    ready: 'main form',
    size: { width: 1366, height: 900 },
    act: async (page) => {
      await page.getByLabel('ค้นหาผู้ป่วย').first().pressSequentially('สม');
      await page.locator('[role="option"]:visible').nth(1).click();
      await page.locator('input[name="service"]').first().check({ force: true });
      await page.locator('input[name="slot"]').first().waitFor({ state: 'attached' });
    },
  },
  search: {
    path: '/app/dashboard',
    as: 'registrar',
    ready: 'main section',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('searchbox').fill('สมช');
      await page.locator('[data-hit]').nth(2).waitFor();
    },
  },
  patients: { path: '/app/patient-management', as: 'registrar', ready: 'main tbody tr' },
  register: {
    path: '/app/patient-management/create',
    as: 'registrar',
    ready: 'main form',
    act: async (page) => {
      await field(page, 'เลขประจำตัวประชาชน').fill('1111111111119');
      await field(page, 'คำนำหน้า').fill('นางสาว');
      await field(page, 'ชื่อ').fill('ปาริชาต');
      await field(page, 'นามสกุล').fill('วงศ์สวัสดิ์');
    },
  },
  patient: {
    path: (day) => `/app/patient-management/${day.patientId}/edit?tab=timeline`,
    as: 'nurse',
    ready: 'main [role="tabpanel"] li:visible',
  },
  schedule: { path: '/app/serviceSchedule', as: 'admin', ready: '[role="grid"] td[data-load]' },
  status: {
    path: (day) => `/app/appointment/${day.waiting}/edit`,
    as: 'queue',
    ready: 'main section',
  },
  result: {
    path: (day) => `/app/appointment/${day.inService}/diagnosisResults`,
    as: 'doctor',
    ready: 'main form',
    act: async (page) => {
      await field(page, 'คำวินิจฉัย').last().fill('เบาหวานชนิดที่ 2 คุมระดับน้ำตาลได้ดี');
      await field(page, 'คำแนะนำแก่ผู้ป่วย').fill('รับประทานยาต่อเนื่อง งดของหวาน มาตรวจเลือดก่อนพบแพทย์');
    },
  },
  report: { path: '/app/report?period=last12Months', as: 'executive', ready: '.recharts-surface' },
  users: { path: '/app/user-management', as: 'admin', ready: 'main tbody tr' },
  roles: { path: '/app/user-management?tab=roles', as: 'admin', ready: 'main input[type="checkbox"]' },
  audit: { path: '/app/global-config?tab=audit', as: 'admin', ready: 'main tbody tr' },
  display: {
    path: (day) => day.display,
    as: null,
    ready: 'main li, main [role="listitem"]',
    size: { width: 1280, height: 720 },
  },
  dark: { path: '/app/appointment/calendar', as: 'nurse', ready: '[data-item][data-date]', dark: true },
  phone: { path: '/app/appointment/list', as: 'nurse', ready: 'main li', size: PHONE },
};

mkdirSync(FOLDER, { recursive: true });
await withDemo(async (base) => {
  const roles = new Set(Object.values(PICTURES).map(({ as }) => as ?? 'admin'));
  const tokens = {};
  for (const role of roles) tokens[role] = await signIn(base, role);
  const day = await today(base, tokens.admin.accessToken);
  await withBrowser(async (browser) => {
    for (const [name, picture] of Object.entries(PICTURES)) {
      if (chosen && !chosen.includes(name)) continue;
      const bytes = await take(browser, base, picture, tokens, day).catch((error) => {
        console.error(`${name}: ${error.message}`);
        process.exitCode = 1;
      });
      if (!bytes) continue;
      writeFileSync(new URL(`${name}.webp`, FOLDER), bytes);
      console.log(`${name}.webp ${Math.round(bytes.length / 1000)} kB`);
      if (bytes.length > LIMIT) process.exitCode = 1;
    }
  });
});

/** An input by its label, required or not. */
function field(page, name) {
  return page
    .getByRole('main')
    .getByLabel(new RegExp(`^${name}( \\*)?$`))
    .and(page.locator('input, textarea'));
}

async function take(browser, base, picture, tokens, day) {
  const { path, as, ready, act, size = DESKTOP, dark } = picture;
  const context = await browser.newContext({
    viewport: size,
    deviceScaleFactor: size === PHONE ? 1.5 : 1,
    locale: 'th-TH',
    timezoneId: 'Asia/Bangkok',
    reducedMotion: 'reduce',
  });
  if (as) await remember(context, base, tokens[as]);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  if (dark) await page.addInitScript(() => localStorage.setItem('nadmor.settings', '{"dark":true}'));
  const address = typeof path === 'function' ? path(day) : path;
  await page.goto(address.startsWith('http') ? address : base + address);
  await page.locator(ready).first().waitFor();
  await act?.(page);
  await page.waitForLoadState('load');
  await page.evaluate(async () => {
    await document.fonts.ready;
    await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
    document.activeElement?.blur?.();
  });
  // Renders the last data; hides toasts and the pointer.
  await page.mouse.move(0, 0);
  await page.waitForTimeout(700);
  const client = await context.newCDPSession(page);
  const { data } = await client.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  await context.close();
  return Buffer.from(data, 'base64');
}

/** Finds patients in the middle of today's visits, and adds a screen for the busiest service. */
async function today(base, token) {
  const ask = (path, body) => post(base, path, body, token);
  const date = new Date(Date.now() + 7 * 3_600_000).toISOString().slice(0, 10);
  const having = async (status) => {
    const filter = { dateFrom: date, dateTo: date, statuses: [status], page: 1, pageSize: 100 };
    const { items } = await ask('v1/appointment/list', filter);
    if (items.length === 0) throw new Error(`nobody is ${status} today`);
    return items;
  };
  const waiting = await having('CHECKED_IN');
  const [inService] = await having('IN_SERVICE');
  const [completed] = await having('COMPLETED');
  const crowd = ({ serviceId }) => waiting.filter((one) => one.serviceId === serviceId).length;
  const [{ service }] = [...waiting].sort((a, b) => crowd(b) - crowd(a));
  const screen = { serviceId: service.id, label: 'หน้าห้องตรวจ 3' };
  const { token: key } = await ask('v1/service-config/displays/create', screen);
  return {
    patientId: completed.patientId,
    waiting: waiting[0].id,
    inService: inService.id,
    display: `/display/${encodeURIComponent(service.code)}#${key}`,
  };
}
