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
  /** For tests that make the browser complain. */
  complaintsAllowed: boolean;
  /** Fails the test on anything the browser complains about. */
  quietConsole: undefined;
}

interface WorkerFixtures {
  /** Tests of different names never use the same hospital. */
  whose: string;
  /** What time it always is, in the hospital and in the browser (test/still); empty where time passes. */
  stoppedAt: string;
  /** The address of the hospital. Each worker has one of its own, so that tests running side by side do not meet. */
  hospital: string;
  /** Hashing a password takes its time: each role signs in once per worker. */
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
      // The sample hospital is made for the moment it is filled: one whose clock stands still has to fill its own.
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
  complaintsAllowed: [false, { option: true }],
  quietConsole: [
    async ({ page, complaintsAllowed }, use) => {
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        // The browser reports every 4xx and 5xx by itself; those the tests look at on the screen.
        const answered = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !answered) complaints.push(message.text());
      });
      await use(undefined);
      if (!complaintsAllowed) expect(complaints).toEqual([]);
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

/** Toasts come with a module of their own, which a page that is offline cannot load. */
export const toastsLoaded = (page: Page) =>
  expect(page.locator('.mantine-Notifications-root').first()).toBeAttached();

/**
 * Moves the pointer away from all controls. The press guard ignores presses on a control that has changed under a
 * resting pointer, and accepts them as soon as the pointer has moved onto the control again.
 */
export const movePointerAway = (page: Page) => page.mouse.move(0, 0);

/**
 * Clicks until what the button leads to is there. On a busy machine a first click was lost in some tests; whether the
 * press guard or a change of the layout takes it is not known.
 */
export async function pressUntil(button: Locator, shown: Locator): Promise<void> {
  await expect(async () => {
    if (!(await shown.isVisible())) await button.click({ timeout: 5_000 });
    await expect(shown).toBeVisible({ timeout: 5_000 });
  }).toPass();
}

/** Settings as the customizer stores them, there before the app starts. */
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
/** The rules that can find something else when only colours change, and when only places do. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
const PLACE_RULES = ['target-size', 'scrollable-region-focusable'];

/** What axe finds against WCAG 2.2 AA, in one line each. */
export async function violations(page: Page, runOnly = STANDARD): Promise<string[]> {
  // A screen that is still fading in has no contrast to measure.
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    return Promise.allSettled(ending.map((animation) => animation.finished));
  });
  // Without the list of what passed, and without a second page to put frames together (there are none), an analysis takes half the time.
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

/** Changes how the page looks without loading it again, as the customizer in another tab would. */
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

/** Does the same on the page in every look, and leaves it in the first. */
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

/** Axe finds nothing in any look: every rule in the first and where the frame is built differently, otherwise those that a change of looks can break. */
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
