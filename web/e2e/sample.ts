import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Creates the sample hospital once, before all tests: every test server starts with a copy. */
export default function fillSample(): () => void {
  const binary = process.env.NADMOR_BIN ?? fileURLToPath(new URL('../../bin/nadmor', import.meta.url));
  const data = mkdtempSync(join(tmpdir(), 'nadmor-e2e-sample-'));
  execFileSync(binary, ['demo'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NADMOR_DATA: data, NADMOR_LOG: 'warn' },
  });
  process.env.NADMOR_E2E_SAMPLE = data;
  return () => rmSync(data, { recursive: true, force: true });
}
