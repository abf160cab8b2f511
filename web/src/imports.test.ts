import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.gen\.ts$|^test\//.test(file),
);

/** What a file imports of ours, below src/. */
function importsOf(file: string): string[] {
  const source = readFileSync(`src/${file}`, 'utf8');
  return [...source.matchAll(/(?:from|import)\s*\(?\s*'(@\/|\.{1,2}\/)([^']+)'/g)].map(
    ([, root = '', path = '']) => (root === '@/' ? path : join(dirname(file), root, path)),
  );
}

/** The room a path is in; every feature is a room of its own. */
function roomOf(path: string): string {
  return /^features\/[^/]+/.exec(path)?.[0] ?? path.split('/')[0] ?? '';
}

/** What each floor stands on: routes → features → ui → lib. */
function mayImport(from: string, to: string): boolean {
  if (from === to || from === 'main.tsx') return true;
  if (to === 'routes') return false;
  if (to.startsWith('features/')) return from === 'routes' || from === 'app';
  if (from === 'lib') return to === 'i18n' || to === 'data';
  return true;
}

test('imports go downward only, and no feature knows another', () => {
  expect(files.length).toBeGreaterThan(300);
  const upward = files.flatMap((file) =>
    importsOf(file)
      .filter((path) => !mayImport(roomOf(file), roomOf(path)))
      .map((path) => `${file} imports ${path}`),
  );
  expect(upward).toEqual([]);
});
