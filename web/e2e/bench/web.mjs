// How fast the app is in a browser: Core Web Vitals of the first load, and the time from a menu click to the next
// screen with a warm cache.
//
//   make bench-web                     (CHROMIUM=…, ROUNDS=7)
//
// Runs the built server with its sample hospital in a temporary folder and drives Chromium, once as it is and once with
// a quarter of the processor and a slow mobile connection. Prints the results, writes them to docs/benchmarks/web.json
// and docs/performance.md, and fails if a limit is exceeded.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { PASSWORD, remember, signIn, withBrowser, withDemo } from '../demo.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 7);
const ROOT = new URL('../../../', import.meta.url);

/** The limits without a slow connection: Google's "good" for the vitals, our own for the rest. */
const LIMITS = { lcp: 2500, cls: 0.1, inp: 200, navigation: 100 };

/** "Slow 4G" as defined by WebPageTest and Lighthouse. */
const SLOW = { cpu: 4, latency: 150, down: 1600, up: 750 };

/** The selector of content that proves a screen is shown with its own data, besides that nothing is loading. */
const SCREENS = {
  แดชบอร์ด: { path: '/app/dashboard', shows: 'main section a' }, // the day; the part below is rendered one frame later
  ตารางให้บริการ: { path: '/app/serviceSchedule', shows: 'main [role="grid"] td[data-load]' },
  ปฏิทินนัดหมาย: { path: '/app/appointment/calendar', shows: 'main [data-item][data-date]' },
  รายการนัดหมาย: { path: '/app/appointment/list', shows: 'main [aria-label="รายการนัดหมาย"] tbody tr' },
  จัดการผู้ป่วย: { path: '/app/patient-management', shows: 'main [aria-label="รายชื่อผู้ป่วย"] tbody tr' },
  รายงาน: { path: '/app/report', shows: 'main:has([aria-label="ภาพรวม"]) section table' },
  จัดการผู้ใช้งาน: { path: '/app/user-management', shows: 'main [aria-label="รายชื่อผู้ใช้งาน"] tbody tr' },
  ตั้งค่าระบบ: { path: '/app/global-config', shows: 'main form input' },
};

/** The load of the machine before and after: figures are worse when it is busy. */
const [before] = loadavg();
const result = await withDemo((base) =>
  withBrowser(async (browser) => {
    const tokens = await signIn(base, 'admin');
    const profiles = {};
    for (const [name, slow] of Object.entries({ office: null, slow: SLOW })) {
      const open = (session) => openPage(browser, base, session, slow);
      console.log(`measuring: ${name}`);
      profiles[name] = {
        signIn: await loads(open, null, `${base}/login`, 'main form button[type="submit"]'),
        dashboard: await loads(open, tokens, `${base}/app/dashboard`, SCREENS.แดชบอร์ด.shows),
        entering: await entering(open, base),
        interaction: await interactions(open, tokens, base),
        navigation: await navigations(open, tokens, base),
      };
    }
    const version = browser.version();
    return {
      date: new Date().toISOString().slice(0, 10),
      browser: `Chromium ${version}`,
      machine: machine(),
      load: { before: round(before), after: round(loadavg()[0]) },
      profiles,
    };
  }),
);

const table = report(result);
console.log(table);
const json = new URL('docs/benchmarks/web.json', ROOT);
writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
const figures = new URL('docs/performance.md', ROOT);
const [above, , below] = readFileSync(figures, 'utf8').split(
  /(<!-- web-vitals -->[\s\S]*<!-- \/web-vitals -->)/,
);
if (below !== undefined) {
  writeFileSync(figures, `${above}<!-- web-vitals -->\n${table}\n<!-- /web-vitals -->${below}`);
}
const broken = tooSlow(result.profiles.office);
for (const line of broken) console.error(line);
process.exitCode = broken.length > 0 ? 1 : 0;

async function openPage(browser, base, session, slow) {
  const context = await browser.newContext({
    viewport: { width: 1366, height: 768 },
    locale: 'th-TH',
    timezoneId: 'Asia/Bangkok',
  });
  if (session) await remember(context, base, session);
  const page = await context.newPage();
  await page.addInitScript(observe);
  if (slow) {
    const client = await context.newCDPSession(page);
    await client.send('Emulation.setCPUThrottlingRate', { rate: slow.cpu });
    await client.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: slow.latency,
      downloadThroughput: (slow.down * 1000) / 8,
      uploadThroughput: (slow.up * 1000) / 8,
    });
  }
  return page;
}

/** Runs in the page: collects performance entries and reports when something was painted. */
function observe() {
  const seen = { lcp: 0, shifts: [], events: [] };
  const watch = (type, take, more) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({
      type,
      buffered: true,
      ...more,
    });
  watch('largest-contentful-paint', ({ startTime }) => {
    seen.lcp = startTime;
  });
  watch('layout-shift', ({ hadRecentInput, value, startTime }) => {
    if (!hadRecentInput) seen.shifts.push({ value, startTime });
  });
  watch(
    'event',
    ({ interactionId, duration }) => {
      if (interactionId) seen.events.push(duration);
    },
    { durationThreshold: 16 },
  );
  globalThis.bench = {
    seen,
    /** The time after the frame that shows the selector with nothing loading. */
    painted: (shows, path) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`${shows} did not come to ${path ?? 'the screen'}`)),
          60_000,
        );
        const look = () => {
          // Chart placeholders are hidden from screen readers; their figures are beside them.
          const waiting = document.querySelector(
            'main [aria-busy="true"], main .mantine-Skeleton-root:not([aria-hidden] *)',
          );
          if ((path && location.pathname !== path) || waiting || !document.querySelector(shows)) {
            requestAnimationFrame(look);
            return;
          }
          clearTimeout(late);
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve(performance.now());
          port2.postMessage(null);
        };
        requestAnimationFrame(look);
      }),
    /** The largest sum of shifts within a session window, as CLS is defined. */
    cls: () => {
      let [largest, sum, first, last] = [0, 0, 0, 0];
      for (const { value, startTime } of seen.shifts) {
        const same = startTime - last < 1000 && startTime - first < 5000;
        sum = same ? sum + value : value;
        if (!same) first = startTime;
        last = startTime;
        largest = Math.max(largest, sum);
      }
      return largest;
    },
    /** The compressed script in kB that had arrived by then. */
    script: (until) =>
      performance
        .getEntriesByType('resource')
        .filter(({ name, responseEnd }) => name.endsWith('.js') && responseEnd > 0 && responseEnd <= until)
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000,
  };
}

/** Loads an address several times with an empty cache. */
async function loads(open, session, url, shows) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await open(session);
    await page.goto(url, { waitUntil: 'commit' });
    const there = await page.evaluate((what) => globalThis.bench.painted(what), shows);
    // Content that arrives later may still shift the layout.
    await page.waitForTimeout(1000);
    rounds.push(
      await page.evaluate((until) => {
        const [navigation] = performance.getEntriesByType('navigation');
        const [paint] = performance.getEntriesByName('first-contentful-paint');
        const { bench } = globalThis;
        return {
          ttfb: navigation.responseStart,
          fcp: paint.startTime,
          lcp: bench.seen.lcp,
          cls: bench.cls(),
          there: until,
          script: bench.script(until),
        };
      }, there),
    );
    await page.context().close();
  }
  return Object.fromEntries(
    Object.keys(rounds[0]).map((key) => [key, median(rounds.map((round) => round[key]))]),
  );
}

/** The time from the click on "sign in" to the first screen, and the script it loaded. */
async function entering(open, base) {
  const page = await open(null);
  await page.goto(`${base}/login`);
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill('admin');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(PASSWORD);
  const button = page.getByRole('button', { name: 'เข้าสู่ระบบ' });
  const there = await clicked(page, button, SCREENS.แดชบอร์ด);
  const script = await page.evaluate((until) => globalThis.bench.script(until), there.at);
  await page.context().close();
  return { there: there.took, script };
}

/** A clerk's usual interactions by mouse and keyboard: the slowest response. */
async function interactions(open, session, base) {
  const page = await open(session);
  const settle = () => page.waitForTimeout(400);
  const worst = [];
  const after = async (what) => {
    await settle();
    const durations = await page.evaluate(() => globalThis.bench.seen.events.splice(0));
    worst.push({ what, ms: Math.max(0, ...durations) });
  };
  await page.goto(`${base}/app/dashboard`);
  await page.evaluate((what) => globalThis.bench.painted(what), SCREENS.แดชบอร์ด.shows);
  await page.getByRole('button', { name: 'วันถัดไป' }).click();
  await after('dashboard: next day');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('สม', { delay: 60 });
  await after('quick search: typing');
  await page.keyboard.press('Escape');
  await after('quick search: close');
  await page.goto(`${base}/app/appointment/list?range=all`);
  await page.locator(SCREENS.รายการนัดหมาย.shows).first().waitFor();
  await page.getByRole('searchbox').first().click();
  await page.keyboard.type('สมชาย', { delay: 60 });
  await after('appointment list: typing');
  await page.goto(`${base}/app/appointment/calendar`);
  await page.locator(SCREENS.ปฏิทินนัดหมาย.shows).first().waitFor();
  await page.getByRole('button', { name: /ถัดไป$/ }).click();
  await after('calendar: next month');
  await page
    .locator('label')
    .filter({ hasText: /^สัปดาห์$/ })
    .click();
  await after('calendar: week');
  await page.goto(`${base}/app/patient-management`);
  await page.locator(SCREENS.จัดการผู้ป่วย.shows).first().waitFor();
  await page.getByRole('button', { name: 'หน้าถัดไป' }).click();
  await after('patients: next page');
  await page.locator('main tbody tr a').first().click();
  await page.getByLabel('อาชีพ').first().waitFor();
  await after('patients: open one');
  await page.getByLabel('อาชีพ').first().click();
  await page.keyboard.type('ครู', { delay: 60 });
  await after('patient: typing');
  await page.context().close();
  return { inp: Math.max(...worst.map(({ ms }) => ms)), worst };
}

/** Each menu entry, after each was opened once. */
async function navigations(open, session, base) {
  const page = await open(session);
  await page.goto(`${base}/app/dashboard`);
  await page.evaluate((what) => globalThis.bench.painted(what), SCREENS.แดชบอร์ด.shows);
  const times = Object.fromEntries(Object.keys(SCREENS).map((name) => [name, []]));
  const order = [...Object.entries(SCREENS).slice(1), Object.entries(SCREENS)[0]];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, screen] of order) {
      const entry = page.getByRole('navigation', { name: 'เมนูหลัก' }).getByRole('link', { name, exact: true });
      const { took } = await clicked(page, entry, screen);
      if (round > 0) times[name].push(took);
      // A user looks at a screen before going on.
      await page.waitForTimeout(250);
    }
  }
  await page.context().close();
  return Object.fromEntries(
    Object.entries(times).map(([name, list]) => [name, { median: median(list), worst: Math.max(...list) }]),
  );
}

/** Clicks, and measures inside the page from the click to the painted screen. */
async function clicked(page, target, { path, shows }) {
  await target.waitFor();
  await page.evaluate(
    ([to, what]) => {
      globalThis.bench.going = new Promise((resolve, reject) => {
        const start = ({ timeStamp }) =>
          globalThis.bench.painted(what, to).then((at) => resolve({ at, took: at - timeStamp }), reject);
        addEventListener('click', start, { once: true, capture: true });
      });
    },
    [path, shows],
  );
  await target.click();
  return page.evaluate(() => globalThis.bench.going);
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return round(sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
}

function round(value) {
  return Math.round(value * 1000) / 1000;
}

function machine() {
  const list = cpus();
  return `${list.length} × ${list[0]?.model.trim() ?? 'unknown'}`;
}

/** The figures as a Markdown table. */
function report({ date, browser, machine: where, load, profiles: { office, slow } }) {
  const ms = (value) => `${Math.round(value).toLocaleString('en')} ms`;
  const kb = (value) => `${Math.round(value)} kB`;
  const rows = [];
  const add = (what, limit, take, show) => rows.push([what, limit, show(take(office)), show(take(slow))]);
  for (const [name, key] of [
    ['sign-in page', 'signIn'],
    ['dashboard, opened directly', 'dashboard'],
  ]) {
    add(`${name}: TTFB`, '', (profile) => profile[key].ttfb, ms);
    add(`${name}: FCP`, '', (profile) => profile[key].fcp, ms);
    add(`${name}: LCP`, ms(LIMITS.lcp), (profile) => profile[key].lcp, ms);
    add(
      `${name}: CLS`,
      String(LIMITS.cls),
      (profile) => profile[key].cls,
      (value) => value.toFixed(3),
    );
    // Includes preloaded code; the build limits what is needed first (scripts/first-load.ts).
    add(`${name}: script that had come by then (gzip)`, '', (profile) => profile[key].script, kb);
  }
  add('from “sign in” to the dashboard', '', (profile) => profile.entering.there, ms);
  add('INP, the slowest of ten tasks', ms(LIMITS.inp), (profile) => profile.interaction.inp, ms);
  for (const name of Object.keys(SCREENS)) {
    add(`menu → ${name}`, ms(LIMITS.navigation), (profile) => profile.navigation[name].median, ms);
  }
  const lines = [
    '| | at most | as it is | ¼ processor, slow 4G |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
    `Medians of ${ROUNDS}; ${date}, ${browser}, ${where}; load average ${load.before.toFixed(1)} before the run, ${load.after.toFixed(1)} after it.`,
  ];
  return lines.join('\n');
}

/** The exceeded limits, one per line. */
function tooSlow({ signIn: first, dashboard, interaction, navigation }) {
  const found = [];
  const check = (what, value, limit) => {
    if (value > limit) found.push(`${what}: ${round(value)}, at most ${limit}`);
  };
  for (const [name, { lcp, cls }] of Object.entries({ 'sign-in page': first, dashboard })) {
    check(`LCP of the ${name} (ms)`, lcp, LIMITS.lcp);
    check(`CLS of the ${name}`, cls, LIMITS.cls);
  }
  for (const { what, ms } of interaction.worst) check(`INP, ${what} (ms)`, ms, LIMITS.inp);
  for (const [name, { median: usual }] of Object.entries(navigation))
    check(`menu → ${name} (ms)`, usual, LIMITS.navigation);
  return found;
}
