import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface Hospital {
  url: string;
  stop: () => Promise<unknown>;
}

/**
 * Starts a server on a free port with a copy of the sample hospital, which sample.ts fills once for all tests.
 * `environ` adds to the server's environment.
 */
export async function startHospital(environ: Record<string, string> = {}): Promise<Hospital> {
  const port = await freePort();
  const server = spawn(process.execPath, [fileURLToPath(new URL('server.mjs', import.meta.url))], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NADMOR_E2E_PORT: String(port), ...environ },
  });
  let running = true;
  const ended = new Promise((resolve) => server.once('exit', resolve)).then(() => {
    running = false;
  });
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    if (!running) throw new Error('the server has ended');
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    stop: () => {
      server.kill('SIGTERM');
      return ended;
    },
  };
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
