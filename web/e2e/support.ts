import AxeBuilder from '@axe-core/playwright';
import { type APIRequestContext, test as base, expect, type Page } from '@playwright/test';

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
  /** Hashing a password takes its time: each role signs in once per worker. */
  tokensOf: (request: APIRequestContext, role: Role) => Promise<Tokens>;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
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

/** What axe finds against WCAG 2.2 AA, in one line each. */
export async function violations(page: Page): Promise<string[]> {
  // A screen that is still fading in has no contrast to measure.
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    return Promise.allSettled(ending.map((animation) => animation.finished));
  });
  const { violations: found } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze();
  return found.map(({ id, nodes }) => {
    const places = nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`);
    return `${id}: ${places.join(' | ')}`;
  });
}
