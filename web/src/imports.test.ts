import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * Which layer may import which, besides itself. Everything else is forbidden.
 *
 *   main.tsx, router.ts   create the app; the router is the only module that knows the whole route tree
 *   routes                search schema, loader and page of each address; composes features
 *   app                   frame around the pages: shell, theme, guard, live updates
 *   features/<name>       the pages of one area; a feature never imports another
 *   entities/<name>       queries, keys and small views that several features share; they may import each other
 *   ui                    components and form hooks that know no hospital
 *   api, i18n, lib, data  calls to the server, texts, pure functions, static tables
 */
const BASE = ['lib', 'api', 'i18n', 'data'];
const ALLOWED: Record<string, readonly string[]> = {
  'main.tsx': ['router.ts', 'app', 'i18n'],
  'router.ts': ['routeTree.gen.ts', 'app', 'entities', ...BASE],
  'routeTree.gen.ts': ['routes'],
  routes: ['app', 'features', 'entities', 'ui', ...BASE],
  app: ['features', 'entities', 'ui', ...BASE],
  features: ['entities', 'ui', ...BASE],
  entities: ['ui', ...BASE],
  ui: BASE,
  api: ['lib', 'i18n'],
  // Texts format numbers; formats depend on the language.
  i18n: ['lib'],
  lib: ['i18n', 'data'],
  data: [],
};

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.d\.ts$|^test\//.test(file),
);

/** The file below src/ that an import path refers to. */
function resolve(path: string): string {
  const found = ['', '.ts', '.tsx', '.d.ts'].map((end) => path + end).find((file) => isFile(`src/${file}`));
  if (!found) throw new Error(`no such module: ${path}`);
  return found;
}

const isFile = (path: string) => existsSync(path) && /\.[a-z]+$/.test(path);

/** The modules of this app that a file imports, also dynamically or for their types only. */
function importsOf(file: string): string[] {
  const source = readFileSync(`src/${file}`, 'utf8');
  return [...source.matchAll(/(?:from|import)\s*\(?\s*'(@\/|\.{1,2}\/)([^'?]+)(?:\?[^']*)?'/g)].map(
    ([, root = '', path = '']) => resolve(root === '@/' ? path : join(dirname(file), root, path)),
  );
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));

const layerOf = (file: string) => file.split('/')[0] ?? '';
const featureOf = (file: string) => /^features\/[^/]+/.exec(file)?.[0];

function isAllowed(from: string, to: string): boolean {
  if (layerOf(from) === layerOf(to)) return featureOf(from) === featureOf(to);
  return ALLOWED[layerOf(from)]?.includes(layerOf(to)) ?? false;
}

describe('the import rule', () => {
  test('holds for every file', () => {
    expect(files.length).toBeGreaterThan(300);
    const forbidden = [...imports].flatMap(([file, paths]) =>
      paths.filter((path) => !isAllowed(file, path)).map((path) => `${file} imports ${path}`),
    );
    expect(forbidden).toEqual([]);
  });

  test.each([
    ['features/patient/api.ts', 'features/customer/api.ts'],
    ['features/patient/api.ts', 'app/nav.ts'],
    ['features/patient/api.ts', 'routes/index.tsx'],
    ['entities/patient/api.ts', 'features/patient/api.ts'],
    ['ui/toast.tsx', 'entities/patient/api.ts'],
    ['ui/toast.tsx', 'app/nav.ts'],
    ['lib/clock.ts', 'api/client.ts'],
    ['api/client.ts', 'ui/toast.tsx'],
    ['app/nav.ts', 'router.ts'],
    ['new-layer/file.ts', 'lib/clock.ts'],
    ['lib/clock.ts', 'new-layer/file.ts'],
  ])('forbids %s → %s', (from, to) => {
    expect(isAllowed(from, to)).toBe(false);
  });
});

test('there are no import cycles, not even of types', () => {
  expect(cyclesIn(imports)).toEqual([]);
});

test('a cycle is found with the files on it', () => {
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['b']],
    ['d', []],
  ]);
  expect(cyclesIn(graph)).toEqual(['b → c → b']);
});

/** Each cycle as a path. A module that is on several cycles is reported with the first one found. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push([...path.slice(start), file].join(' → '));
    if (start >= 0 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}
