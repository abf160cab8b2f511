import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test, vi } from 'vitest';
import { en } from './en';
import { th } from './th';

// Parameters are passed as texts instead of numbers.
vi.mock('@/lib/number', () => ({
  formatNumber: String,
  formatPercent: (percent: unknown) => `${percent}%`,
  formatRate: (percent: unknown) => `${percent}%`,
}));

/** Every text with its path; parameters of functions are {0}, {1}. */
function texts(node: unknown, path: string[] = []): [path: string, text: string][] {
  if (typeof node === 'string') return [[path.join('.'), node]];
  if (typeof node === 'function') {
    const parameters = Array.from({ length: node.length }, (_, i) => `{${i}}`);
    return [[path.join('.'), String(node(...parameters))]];
  }
  return Object.entries(node as object).flatMap(([key, value]) => texts(value, [...path, key]));
}

const thai = texts(th);
const english = texts(en);
const THAI = /[\u0e00-\u0e7f]/;

/** The lines of the user guide, which uses the same terms as the screens. */
const guide = readFileSync('../docs/user-guide.th.md', 'utf8')
  .split('\n')
  .map((line, i): [string, string] => [`docs/user-guide.th.md:${i + 1}`, line]);

/** The rows of the table in docs/words.md: the term to use, and the ones to avoid. */
const glossary = readFileSync('../docs/words.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Thai '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, right = '', , , wrong = '']) => ({
    right,
    wrong: wrong.split(', ').filter((word) => word !== ''),
  }));

/** The terms to avoid that a text contains. */
const faults = (all: [string, string][], wrong: (text: string) => boolean) =>
  all.filter(([, text]) => wrong(text)).map(([path, text]) => `${path}: ${text}`);

/** Latin words that Thai staff read as they are, and examples of input in Latin letters. */
const LATIN = new Set(
  'HN LINE ID Walk-in PDPA ICD-10 SMS PDF PNG JPEG WebP Excel xlsx CSV csv MB P90 SHA-256 RTL EN Rh Enter Shift Caps Lock Ctrl+V Google Authenticator A–Z A Z https:// http:// Asia/Bangkok SEQ:n SEQ:5 E11.9 MED-01 WARD_CLERK'.split(
    ' ',
  ),
);

describe('the glossary', () => {
  test('has entries', () => {
    expect(glossary.length).toBeGreaterThan(30);
  });

  test.each(glossary.filter(({ wrong }) => wrong.length > 0))('$right, and nothing else', ({ wrong }) => {
    const found = (text: string) => wrong.some((word) => text.includes(word));
    expect(faults([...thai, ...english, ...guide], found)).toEqual([]);
  });

  test('“ยกเลิก” alone is a status of appointments, never a button', () => {
    const alone = thai.filter(([, text]) => text === 'ยกเลิก').map(([path]) => path);
    expect(alone).toEqual(['appointment.statuses.CANCELLED', 'dashboard.cancelled']);
    expect(english.filter(([, text]) => text === 'Cancel')).toEqual([]);
  });

  test('Thai has no Latin words except those that staff use', () => {
    const words = (text: string) =>
      text
        .replaceAll(/\{\d\}/g, '')
        .split(/[^A-Za-z0-9+./:_–-]+/)
        .map((word) => word.replaceAll(/^[^A-Za-z]+|[:.–-]+$/g, ''))
        .filter((word) => /[A-Za-z]/.test(word));
    expect(faults(thai, (text) => words(text).some((word) => !LATIN.has(word)))).toEqual([]);
  });
});

describe('spelling', () => {
  test('no leading, trailing or double spaces', () => {
    expect(faults([...thai, ...english], (text) => /^\s|\s$|\s{2}/.test(text))).toEqual([]);
  });

  test('no full stop at the end', () => {
    const abbreviated = /(น\.|ชม\.|อปท\.|พ\.ศ\.|ค\.ศ\.|มม\.|อา\.|จ\.|อ\.|พ\.|พฤ\.|ศ\.|ส\.)$/;
    expect(faults(thai, (text) => text.endsWith('.') && !abbreviated.test(text))).toEqual([]);
    expect(faults(english, (text) => text.endsWith('.'))).toEqual([]);
  });

  test('ๆ stands between spaces', () => {
    expect(faults(thai, (text) => /[^ ]ๆ|ๆ[\u0e01-\u0e5b]/.test(text))).toEqual([]);
  });

  test('quotes are “ ”, and nothing is bracketed by a space', () => {
    expect(faults([...thai, ...english], (text) => /["«»]|\( | \)/.test(text))).toEqual([]);
  });

  test('no ทำการ, which adds nothing to the verb', () => {
    expect(faults(thai, (text) => text.includes('ทำการ') && !text.includes('ทำการที่'))).toEqual([]);
  });
});

describe('the audit log never shows a raw name', () => {
  const sources = ['store', 'api', 'command', 'jobs'].flatMap((folder) =>
    readdirSync(`../internal/${folder}`)
      .filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'))
      .map((file) => readFileSync(`../internal/${folder}/${file}`, 'utf8')),
  );

  test('of an action', () => {
    const groups = Object.keys(th.audit.actionGroups).join('|');
    const name = new RegExp(`"((?:${groups})\\.[a-z-]+)"`, 'g');
    const actions = new Set(
      sources.flatMap((text) => [...text.matchAll(name)].map(([, action = '']) => action)),
    );
    expect(actions.size).toBeGreaterThan(40);
    expect([...actions].filter((action) => !(action in th.audit.actions))).toEqual([]);
  });

  test('of an operation that may be refused', () => {
    const schema = readFileSync('src/api/schema.d.ts', 'utf8');
    const operations = new Set([...schema.matchAll(/operations\["([^"]+)"\]/g)].map(([, id = '']) => id));
    expect(operations.size).toBeGreaterThan(80);
    // Open to all, or to all signed-in users.
    const open = /-auth-|^get-(display-board|events|hospital|media-key)$/;
    expect([...operations].filter((id) => !open.test(id) && !(id in th.audit.operations))).toEqual([]);
  });
});

/**
 * Texts that components may have outside the catalogues: names that are the same in both languages, and input formats.
 */
const SPOKEN_ALIKE = /^(HN|LINE|PDF|SMS|Rh|ICD-10|Esc|Enter|Ctrl|#0f766e|x-xxxx-xxxxx-xx-x|https:\/\/)$/;
const SPOKEN_ATTRIBUTES =
  /^(aria-label|aria-description|aria-roledescription|placeholder|title|label|description|alt|error)$/;

/** Texts in a component that are in no catalogue. */
function spoken(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
    ts.ScriptKind.TSX,
  );
  const found: string[] = [];
  const note = (node: ts.Node, text: string) => {
    if (!/\p{L}/u.test(text) || SPOKEN_ALIKE.test(text.trim())) return;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${file}:${line + 1}: ${text.trim()}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) note(node, node.text);
    else if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node)
    ) {
      if (THAI.test(node.text)) note(node, node.text);
      else if (ts.isJsxExpression(node.parent) && ts.isJsxElement(node.parent.parent)) note(node, node.text);
      else if (ts.isJsxAttribute(node.parent) && SPOKEN_ATTRIBUTES.test(node.parent.name.getText()))
        note(node, node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test('components have no texts outside the catalogues', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx') && !file.startsWith('test/'))
    .map((file) => `src/${file}`);
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(spoken)).toEqual([]);
});

test('only lib/number and lib/thai-date format numbers, dates and times', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|^lib\/|schema\.d\.ts$/.test(file))
    .filter((file) => {
      const source = readFileSync(`src/${file}`, 'utf8');
      // The getters and setters of Date use the machine's time zone.
      return [
        /\.toLocale\w*String\(/,
        /Intl\.(NumberFormat|DateTimeFormat)\(/,
        /\.[gs]et(Date|Day|Month|FullYear|Hours|Minutes)\(/,
      ].some((pattern) => pattern.test(source));
    });
  expect(files).toEqual([]);
});
