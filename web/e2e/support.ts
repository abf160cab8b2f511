import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import {
  type APIRequestContext,
  test as base,
  expect,
  type Locator,
  type Page,
  type Route,
} from '@playwright/test';
import { startHospital } from './hospital';

export { expect };

export type Role = 'admin' | 'registrar' | 'nurse' | 'doctor' | 'queue' | 'executive';
export const PASSWORD = 'nadmor-demo';
const LOGIN = '/admin/api/v1.0/auth/login';

interface Tokens {
  accessToken: string;
  smqAccessToken: string;
}

export async function logIn(
  request: APIRequestContext,
  username: string,
  password = PASSWORD,
): Promise<Tokens> {
  const response = await request.post(LOGIN, { data: { username, password } });
  expect(response.status(), await response.text()).toBe(200);
  return (await response.json()).data;
}

interface TestFixtures {
  /** Gives the browser a role's session, as the sign-in page would. */
  signInAs: (role: Role) => Promise<void>;
  /** For tests that cause browser errors on purpose. */
  allowBrowserErrors: boolean;
  /** Fails the test on browser errors. */
  quietConsole: undefined;
}

interface WorkerFixtures {
  /** Tests with different names never use the same hospital. */
  whose: string;
  /** The fixed time of the hospital and the browser (test/still); empty if time passes. */
  stoppedAt: string;
  /** The address of the hospital. Each worker has its own, so that parallel tests do not interfere. */
  hospital: string;
  /** Hashing a password is slow: each role signs in once per worker. */
  tokensOf: (request: APIRequestContext, role: Role) => Promise<Tokens>;
}

const STILL = fileURLToPath(new URL('../../.cache/nadmor-still', import.meta.url));

export const test = base.extend<TestFixtures, WorkerFixtures>({
  whose: ['all', { option: true, scope: 'worker' }],
  stoppedAt: ['', { option: true, scope: 'worker' }],
  hospital: [
    async ({ stoppedAt, whose }, use) => {
      if (stoppedAt && !existsSync(STILL))
        throw new Error(`there is no ${STILL} (make test-pictures builds it)`);
      // The sample data depends on the time it is created, so a hospital with a fixed time creates its own.
      const clock = { NADMOR_BIN: STILL, NADMOR_STILL: stoppedAt, NADMOR_E2E_SAMPLE: '' };
      const { url, stop } = await startHospital({ NADMOR_E2E_WHOSE: whose, ...(stoppedAt && clock) });
      await use(url);
      await stop();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  baseURL: async ({ hospital }, use) => use(hospital),
  page: async ({ page, stoppedAt }, use) => {
    if (stoppedAt) await page.clock.setFixedTime(stoppedAt);
    await use(page);
  },
  tokensOf: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures used from this pattern.
    async ({}, use) => {
      const known = new Map<Role, Promise<Tokens>>();
      await use((request, role) => {
        const tokens = known.get(role) ?? logIn(request, role);
        known.set(role, tokens);
        return tokens;
      });
    },
    { scope: 'worker' },
  ],
  signInAs: async ({ context, request, baseURL, tokensOf }, use) => {
    await use(async (role) => {
      const { accessToken, smqAccessToken } = await tokensOf(request, role);
      await context.addCookies([
        { name: 'access_token', value: accessToken, url: baseURL },
        { name: 'smq_access_token', value: smqAccessToken, url: baseURL },
      ]);
    });
  },
  allowBrowserErrors: [false, { option: true }],
  quietConsole: [
    async ({ page, allowBrowserErrors }, use) => {
      const browserErrors: string[] = [];
      page.on('pageerror', (error) => browserErrors.push(error.message));
      page.on('console', (message) => {
        // The browser logs every 4xx and 5xx; the tests check those on the screen.
        const answered = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !answered) browserErrors.push(message.text());
      });
      await use(undefined);
      if (!allowBrowserErrors) expect(browserErrors).toEqual([]);
    },
    { auto: true },
  ],
});

/** Fills in the sign-in form for a sample user. */
export async function fillLogIn(page: Page, username: string): Promise<void> {
  await page.getByLabel('ชื่อผู้ใช้หรืออีเมล').fill(username);
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(PASSWORD);
}

export async function logInOnPage(page: Page, username: string): Promise<void> {
  await fillLogIn(page, username);
  await page.keyboard.press('Enter');
}

/** Collects the body and the Idempotency-Key of all requests that the page sends to a path from now on. */
export function requestsTo(page: Page, path: string): { body: string; key: string }[] {
  const sent: { body: string; key: string }[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith(path))
      sent.push({ body: request.postData() ?? '', key: request.headers()['idempotency-key'] ?? '' });
  });
  return sent;
}

/** Resolves when the page requests a list with this search text. */
export const searchRequest = (page: Page, path: string, text: string) =>
  page.waitForRequest(
    (request) =>
      request.method() === 'POST' && request.url().endsWith(path) && request.postDataJSON().q === text,
  );

/** Lets the server handle the next request to a URL, but drops its response. */
export async function dropNextResponse(page: Page, url: string): Promise<void> {
  const handle = async (route: Route) => {
    await route.fetch();
    await route.abort('connectionreset');
  };
  await page.route(url, handle, { times: 1 });
}

/** Toasts are a separate module, which an offline page cannot load. */
export const toastsLoaded = (page: Page) =>
  expect(page.locator('.mantine-Notifications-root').first()).toBeAttached();

/**
 * Moves the pointer away from all controls. The press guard ignores presses on a control that has changed under a
 * resting pointer, and accepts them as soon as the pointer has moved onto the control again.
 */
export const movePointerAway = (page: Page) => page.mouse.move(0, 0);

/**
 * Clicks until the result of the button is visible. On a busy machine a first click was lost in some tests; whether the
 * press guard or a layout change caused it is not known.
 */
export async function pressUntil(button: Locator, shown: Locator): Promise<void> {
  await expect(async () => {
    if (!(await shown.isVisible())) await button.click({ timeout: 5_000 });
    await expect(shown).toBeVisible({ timeout: 5_000 });
  }).toPass();
}

/** Stores settings as the customizer does, before the app starts. */
export async function withSettings(page: Page, settings: object): Promise<void> {
  await page.addInitScript((stored) => {
    if (!localStorage.getItem('nadmor.settings')) localStorage.setItem('nadmor.settings', stored);
  }, JSON.stringify(settings));
}

export async function cookieNames(page: Page): Promise<string[]> {
  const cookies = await page.context().cookies();
  return cookies.map(({ name }) => name).sort();
}

const STANDARD = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules whose result can change with colours only, and with positions only. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
const PLACE_RULES = ['target-size', 'scrollable-region-focusable'];

/** The violations of WCAG 2.2 AA found by axe, one per line. */
export async function violations(page: Page, runOnly = STANDARD): Promise<string[]> {
  // Wait for fade-in animations, which change the contrast.
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    return Promise.allSettled(ending.map((animation) => animation.finished));
  });
  // Without the list of passes, and without a second page for frames (there are none), an analysis takes half the time.
  const { violations: found } = await new AxeBuilder({ page })
    .options({ runOnly, resultTypes: ['violations'] })
    .setLegacyMode()
    .analyze();
  return found.map(({ id, nodes }) => {
    const places = nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`);
    return `${id}: ${places.join(' | ')}`;
  });
}

interface Look {
  dark?: boolean;
  rtl?: boolean;
  tone?: 'dark';
  pinned?: false;
  layout?: 'top';
  primary?: string;
  sidebar?: string;
  header?: string;
}

export const LOOKS: Record<string, Look> = {
  light: {},
  dark: { dark: true },
  'right to left': { rtl: true },
};

/** Changes the appearance without a reload, as the customizer in another tab would. */
async function changeLook(page: Page, look: Look): Promise<void> {
  await page.evaluate((newValue) => {
    const key = 'nadmor.settings';
    localStorage.setItem(key, newValue);
    window.dispatchEvent(new StorageEvent('storage', { key, newValue, storageArea: localStorage }));
  }, JSON.stringify(look));
  const html = page.locator('html');
  await expect(html).toHaveAttribute('data-mantine-color-scheme', look.dark ? 'dark' : 'light');
  await expect(html).toHaveAttribute('dir', look.rtl ? 'rtl' : 'ltr');
}

/** Runs a check in every appearance, and restores the first. */
export async function inEveryLook(
  page: Page,
  check: (name: string, look: Look) => Promise<void>,
  looks = LOOKS,
): Promise<void> {
  for (const [name, look] of Object.entries(looks)) {
    await changeLook(page, look);
    await check(name, look);
  }
  await changeLook(page, {});
}

/**
 * Expects no axe violations in any appearance: all rules in the first one and in other layouts, otherwise those that
 * depend on colours and positions.
 */
export async function expectNoViolations(page: Page, what: string, looks = LOOKS): Promise<void> {
  await inEveryLook(
    page,
    async (name, look) => {
      const [first] = Object.keys(looks);
      let rules = COLOUR_RULES;
      if (look.rtl) rules = [...COLOUR_RULES, ...PLACE_RULES];
      if (name === first || look.layout || look.pinned === false) rules = STANDARD;
      expect.soft(await violations(page, rules), `${what}, ${name}`).toEqual([]);
    },
    looks,
  );
}
