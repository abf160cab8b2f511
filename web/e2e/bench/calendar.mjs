// How fast the calendar responds on a slow machine: a month with 5,000 appointments, 500 of them on one day.
//
//   make build && node web/e2e/bench/calendar.mjs          (CHROMIUM=…, SLOWER=4)
//
// Runs the built server with sample data in a temporary folder, books through the API, and drives Chromium with a
// slowed down processor. For each interaction it prints the time to the next paint (the browser's event timing), the longest
// time the page was blocked, and when the requested content was visible.
import { get, post as postTo, remember, signIn, withBrowser, withDemo } from '../demo.mjs';

const SLOWER = Number(process.env.SLOWER ?? 4);
const LIMIT_MS = 200;
const [DAYS, PER_DAY, SERVICES] = [10, 500, 10];

await withDemo(async (base) => {
  const tokens = await signIn(base, 'admin');
  const { month, day } = await fill(base, tokens.accessToken);
  const slow = await withBrowser((browser) => measure(browser, base, tokens, month, day));
  process.exitCode = slow ? 1 : 0;
});

/** Ten services, and ten days of next month with five hundred patients each. */
async function fill(base, token) {
  const post = (path, body) => postTo(base, path, body, token);
  const first = new Date(Date.now() + 7 * 3_600_000);
  first.setUTCMonth(first.getUTCMonth() + 1, 1);
  const dates = Array.from({ length: DAYS }, (_, index) =>
    new Date(first.getTime() + (index + 11) * 86_400_000).toISOString().slice(0, 10),
  );
  const schedule = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({
    weekday,
    startTime: '08:00',
    endTime: '16:00',
    slotMinutes: 30,
    capacity: 10,
  }));
  const services = [];
  for (let index = 0; index < SERVICES; index += 1) {
    const fields = { code: `BENCH${index}`, name: `คลินิกทดสอบ ${index + 1}`, bookingWindowDays: 90, schedule };
    services.push(await post('v1/service-config/create', fields));
  }
  const setting = await get(base, 'v1/global-setting/read', token);
  await post('v1/global-setting/update', { version: setting.version, maxActivePerPatient: 100 });
  const patients = await inParallel(PER_DAY, (index) =>
    post('v1/patients/create', {
      prename: 'นาย',
      firstName: `ผู้ป่วยทดสอบ${index}`,
      lastName: 'ศรีสุขเกษมสันต์',
      sex: 'M',
      birthDate: '1980-05-05',
      confirmDuplicate: true,
    }),
  );
  const slots = 16;
  await inParallel(DAYS * PER_DAY, async (index) => {
    const [date, person] = [dates[Math.floor(index / PER_DAY)], index % PER_DAY];
    const minutes = 480 + (Math.floor(person / SERVICES) % slots) * 30;
    const startTime = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${minutes % 60 ? '30' : '00'}`;
    const body = {
      patientId: patients[person].id,
      serviceId: services[person % SERVICES].id,
      date,
      startTime,
    };
    // Skip public holidays, which take no bookings.
    await post('v1/appointment/create', body).catch((error) => {
      if (!String(error).includes('SLOT_CLOSED')) throw error;
    });
  });
  const { days } = await post('v1/appointment/calendar-list', { dateFrom: dates[0], dateTo: dates.at(-1) });
  const busiest = days.reduce((best, one) => (one.booked > best.booked ? one : best));
  console.log(
    `${days.reduce((sum, one) => sum + one.booked, 0)} appointments, ${busiest.booked} on ${busiest.date}`,
  );
  return { month: dates[0], day: busiest.date };
}

async function measure(browser, base, tokens, month, day) {
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, locale: 'th-TH' });
  await remember(context, base, tokens);
  const page = await context.newPage();
  await page.addInitScript(() => {
    globalThis.events = [];
    new PerformanceObserver((list) => {
      for (const { name, duration, interactionId } of list.getEntries()) {
        if (interactionId) globalThis.events.push({ name, duration });
      }
    }).observe({ type: 'event', durationThreshold: 16, buffered: true });
    globalThis.blocked = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.blocked.push(duration);
    }).observe({ type: 'longtask', buffered: true });
  });
  const client = await context.newCDPSession(page);
  await page.goto(`${base}/app/appointment/calendar?date=${month}`);
  await page.locator('[data-item][data-date]').first().waitFor();
  await loaded(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  const people = page.locator('[data-id]');
  const card = page.getByRole('dialog');
  const view = (name) => page.locator('label').filter({ hasText: new RegExp(`^${name}$`) });
  const rows = [];
  const time = async (what, act, done) => {
    await page.waitForTimeout(800);
    await page.evaluate(() => {
      globalThis.events.length = 0;
      globalThis.blocked.length = 0;
    });
    const start = performance.now();
    await act();
    await done();
    await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
    const there = performance.now() - start;
    await page.waitForTimeout(500);
    const { events, blocked } = await page.evaluate(() => ({
      events: globalThis.events,
      blocked: globalThis.blocked,
    }));
    rows.push({
      what,
      'to paint (ms)': Math.max(0, ...events.map(({ duration }) => duration)),
      'longest task (ms)': Math.round(Math.max(0, ...blocked)),
      'there after (ms)': Math.round(there),
    });
  };
  const next = page.getByRole('button', { name: /ถัดไป$/ });
  const previous = page.getByRole('button', { name: /ก่อนหน้า$/ });
  const title = page.getByRole('heading', { level: 2 });
  const turned = async (button) => {
    const before = await title.textContent();
    await button.click();
    await page.waitForFunction((old) => document.querySelector('h2')?.textContent !== old, before);
  };
  await time(
    'month: next',
    () => turned(next),
    () => loaded(page),
  );
  await time(
    'month: back',
    () => turned(previous),
    () => loaded(page),
  );
  await time(
    'month: breakdown of a day',
    () => page.locator(`[data-item][data-date="${day}"]`).focus(),
    () => page.getByRole('tooltip').waitFor(),
  );
  await time(
    'month → day of 500',
    () => page.locator(`[data-item][data-date="${day}"]`).click(),
    () => people.first().waitFor(),
  );
  await time(
    'day: open a card',
    () => people.nth(3).click(),
    () => card.getByRole('region').first().waitFor(),
  );
  await time(
    'day: close the card',
    () => page.keyboard.press('Escape'),
    () => card.waitFor({ state: 'hidden' }),
  );
  const service = page.getByLabel('บริการ', { exact: true });
  await service.focus();
  await time(
    'day: filter by service',
    () => page.keyboard.press('End'),
    () => page.waitForURL(/service=/),
  );
  await time(
    'day: clear the filter',
    () => page.getByRole('button', { name: 'ล้างตัวกรอง' }).click(),
    () => page.waitForURL((url) => !url.search.includes('service=')),
  );
  await people.first().focus();
  await time(
    'day: arrow key',
    () => page.keyboard.press('ArrowDown'),
    () => people.first().waitFor(),
  );
  await time(
    'day → week',
    () => view('สัปดาห์').click(),
    () => page.getByRole('grid', { name: /สัปดาห์/ }).waitFor(),
  );
  await time(
    'week → day',
    () => view('วัน').click(),
    () => page.getByRole('grid', { name: /^นัดหมายวัน/ }).waitFor(),
  );
  await time(
    'day → month',
    () => view('เดือน').click(),
    () => page.locator('[data-item][data-date]').first().waitFor(),
  );
  console.table(rows);
  const slow = rows.filter((row) => row['to paint (ms)'] > LIMIT_MS);
  if (slow.length > 0)
    console.error(`slower than ${LIMIT_MS} ms at ${SLOWER}×: ${slow.map(({ what }) => what).join(', ')}`);
  return slow.length > 0;
}

/** Everything requested is shown and nothing is loading. */
function loaded(page) {
  return page.locator('[aria-busy="false"] [data-item]').first().waitFor();
}

/** Runs eight at a time. */
async function inParallel(count, work) {
  const results = new Array(count);
  let index = 0;
  const worker = async () => {
    while (index < count) {
      const mine = index;
      index += 1;
      results[mine] = await work(mine);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return results;
}
