import { existsSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { anchorOf } from '../../scripts/guide.ts';
import { th } from './th';

// Parameters are passed as texts instead of numbers.
vi.mock('@/lib/number', () => ({
  formatNumber: String,
  formatPercent: (percent: unknown) => `${percent}%`,
  formatRate: (percent: unknown) => `${percent}%`,
}));

const ROOT = '../';
const guide = readFileSync(`${ROOT}docs/user-guide.th.md`, 'utf8');

/** All texts of the screens; variable parts are "…", as in the guide. */
function textsOf(part: unknown): string[] {
  if (typeof part === 'string') return [part];
  if (typeof part === 'function') return textsOf(part(...Array<string>(part.length).fill('…')));
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(textsOf) : [];
}

/** Thai texts of the server: error messages and permission names. */
function serverTexts(): string[] {
  const source = ['error', 'permission']
    .map((file) => readFileSync(`${ROOT}internal/hospital/${file}.go`, 'utf8'))
    .join('\n');
  return [...source.matchAll(/"([^"\n]*[ก-๙][^"\n]*)"/g)].map(([, text = '']) => text);
}

const known = new Set([...textsOf(th), ...serverTexts()]);
const quoted = [...guide.matchAll(/\*\*([^*\n]+)\*\*|“([^”\n]+)”/g)].map(
  ([, name, message]) => name ?? message ?? '',
);

test('the guide uses the texts of the screens', () => {
  expect(quoted.length).toBeGreaterThan(150);
  expect(quoted.filter((text) => !known.has(text))).toEqual([]);
});

test('the guide has only existing pictures and links', () => {
  const pictures = [...guide.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path = '']) => path);
  expect(pictures.filter((path) => !existsSync(`${ROOT}docs/${path}`))).toEqual([]);
  const anchors = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
  const links = [...guide.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
  expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
});
