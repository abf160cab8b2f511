import { createServer } from 'node:net';
import { defineConfig } from '@playwright/test';

/** Chosen once by the first process; the workers inherit it. */
process.env.NADMOR_E2E_PORT ??= String(await freePort());
const baseURL = `http://127.0.0.1:${process.env.NADMOR_E2E_PORT}`;

export default defineConfig({
  testDir: 'e2e',
  workers: 2,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  // The machine of a check may be busy with other work; a test that needs a second try is reported as flaky.
  retries: process.env.CI ? 2 : 0,
  reporter: process.env.CI ? 'line' : 'list',
  snapshotPathTemplate: '{testDir}/__screenshots__/{arg}{ext}',
  // Generous: the machine may have other work.
  expect: { timeout: 15_000 },
  use: {
    baseURL,
    locale: 'th-TH',
    timezoneId: 'Asia/Bangkok',
    contextOptions: { reducedMotion: 'reduce' },
    viewport: { width: 1366, height: 768 },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--font-render-hinting=none',
      ],
    },
  },
  webServer: {
    command: 'node e2e/server.mjs',
    url: `${baseURL}/readyz`,
    timeout: 60_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 15_000 },
  },
});

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
