import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { test as base } from './role-support';

const STILL = fileURLToPath(new URL('../../.cache/nadmor-still', import.meta.url));

/**
 * A hospital of a worker's own, for tests that change what all screens of a hospital show. Files that use it run in one
 * worker (`mode: 'default'`), one test after the other.
 */
export const test = base.extend<{ token: string }, { ownServer: string; stoppedAt: string; whose: string }>({
  /** A file that gives its name has a hospital that no other file has changed. */
  whose: ['shared', { option: true, scope: 'worker' }],
  /** What time it always is, in the hospital and in the browser (test/still); empty where time passes. */
  stoppedAt: ['', { option: true, scope: 'worker' }],
  ownServer: [
    async ({ stoppedAt, whose }, use) => {
      const port = await freePort();
      if (stoppedAt && !existsSync(STILL))
        throw new Error(`there is no ${STILL} (make test-browser builds it)`);
      const clock = stoppedAt && { NADMOR_BIN: STILL, NADMOR_STILL: stoppedAt };
      const server = spawn(process.execPath, [fileURLToPath(new URL('server.mjs', import.meta.url))], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, NADMOR_E2E_PORT: String(port), NADMOR_E2E_WHOSE: whose, ...(clock || {}) },
      });
      const ended = new Promise((resolve) => server.once('exit', resolve));
      const url = `http://127.0.0.1:${port}`;
      await ready(url);
      await use(url);
      server.kill('SIGTERM');
      await ended;
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  baseURL: async ({ ownServer }, use) => use(ownServer),
  page: async ({ page, stoppedAt }, use) => {
    if (stoppedAt) await page.clock.setFixedTime(stoppedAt);
    await use(page);
  },
  token: async ({ request, tokensOf }, use) => use((await tokensOf(request, 'admin')).accessToken),
});

async function ready(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject()));
    });
  });
}
