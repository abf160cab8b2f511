// Runs the built server with sample data in a temporary folder, and removes the folder at the end. The sample data is a
// copy of the folder NADMOR_E2E_SAMPLE, or is created if there is none.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const binary = process.env.NADMOR_BIN ?? fileURLToPath(new URL('../../bin/nadmor', import.meta.url));
const data = mkdtempSync(join(tmpdir(), `nadmor-e2e-${process.env.NADMOR_E2E_WHOSE ?? 'all'}-`));
if (process.env.NADMOR_E2E_SAMPLE) cpSync(process.env.NADMOR_E2E_SAMPLE, data, { recursive: true });

const server = spawn(binary, ['serve', '--demo'], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    NADMOR_ADDR: `127.0.0.1:${process.env.NADMOR_E2E_PORT}`,
    NADMOR_DATA: data,
    NADMOR_LOG: 'warn',
  },
});

const finish = (code) => {
  rmSync(data, { recursive: true, force: true });
  process.exit(code);
};
server.on('error', (error) => {
  console.error(`cannot start ${binary}: ${error.message} (make build builds it)`);
  finish(1);
});
server.on('exit', (code) => finish(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => server.kill('SIGTERM'));
