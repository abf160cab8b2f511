// Shared by the scripts beside the tests: the built server with its sample hospital, a browser, and the API.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

/** Runs the built server with sample data, on a free port and in a temporary folder, while the work runs. */
export async function withDemo(work) {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const server = spawn(process.execPath, [fileURLToPath(new URL('server.mjs', import.meta.url))], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NADMOR_E2E_PORT: String(port) },
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    await Promise.race([ready(base), ended.then(() => Promise.reject(new Error('the server has ended')))]);
    return await work(base);
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}

export async function withBrowser(work) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--font-render-hinting=none'],
  });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

/** The password of all sample users. */
export const PASSWORD = 'nadmor-demo';

export function signIn(base, username) {
  return post(base, 'v1.0/auth/login', { username, password: PASSWORD });
}

/** Gives a browser a user's session, as the sign-in page would. */
export async function remember(context, base, { accessToken, smqAccessToken }) {
  await context.addCookies([
    { name: 'access_token', value: accessToken, url: base },
    { name: 'smq_access_token', value: smqAccessToken, url: base },
  ]);
}

export function post(base, path, body, token) {
  return call(base, path, { method: 'POST', body: JSON.stringify(body) }, token);
}

export function get(base, path, token) {
  return call(base, path, {}, token);
}

async function call(base, path, options, token) {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(`${base}/admin/api/${path}`, { ...options, headers });
  const answer = await response.json();
  if (!answer.success) throw new Error(`${path}: ${JSON.stringify(answer.error)}`);
  return answer.data;
}

async function ready(base) {
  for (;;) {
    const answer = await fetch(`${base}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject()));
    });
  });
}
