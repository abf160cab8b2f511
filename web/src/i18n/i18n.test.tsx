import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test } from 'vitest';
import { en } from './en';
import { currentLanguage } from './language';
import { I18nProvider, useLanguage, useT } from './provider';
import { th } from './th';

/** Every text with its path; functions are called with their parameters' positions. */
function texts(node: unknown, path = ''): [path: string, text: string][] {
  if (typeof node === 'string') return [[path, node]];
  if (typeof node === 'function') {
    const parameters = Array.from({ length: node.length }, (_, i) => `{${i}}`);
    return [[path, String(node(...parameters))]];
  }
  return Object.entries(node as object).flatMap(([key, value]) =>
    texts(value, path ? `${path}.${key}` : key),
  );
}

const thai = new Map(texts(th));
const english = new Map(texts(en));

/** Suggestions that are stored in Thai whatever the language. */
const STORED = /^patient\.(nationalities|religions|maritalStatuses|relations)\./;
/** Words in Latin letters that Thai clerks read, too. */
const UNIVERSAL = /^(HN|Walk-in|LINE.*|Excel.*|CSV.*|Rh|ABO)$/;

describe('the two dictionaries', () => {
  test('have the same texts', () => {
    expect([...english.keys()].sort()).toEqual([...thai.keys()].sort());
  });

  test.each([...thai.keys()])('%s exists in both with the same parameters', (path) => {
    const [inThai, inEnglish] = [thai.get(path) ?? '', english.get(path) ?? ''];
    expect(inThai.trim()).not.toBe('');
    expect(inEnglish.trim()).not.toBe('');
    const parameters = (text: string) => (text.match(/\{\d\}/g) ?? []).sort();
    expect(parameters(inEnglish)).toEqual(parameters(inThai));
  });

  test('English has no Thai except the name of the language', () => {
    const left = [...english].filter(
      ([path, text]) => /[\u0e00-\u0e7f]/.test(text) && !path.startsWith('language.') && !STORED.test(path),
    );
    expect(left).toEqual([]);
  });

  test('Thai is Thai', () => {
    const untranslated = [...thai]
      .filter(([, text]) => !/[\u0e00-\u0e7f]/.test(text) && !UNIVERSAL.test(text))
      .map(([path]) => path);
    expect(untranslated.sort()).toEqual([
      'app.documentTitle',
      'audit.fields.result.sha256',
      'calendar.chip',
      'calendar.statusCount',
      'dashboard.loadText',
      'dashboard.percent',
      'language.other',
      'patient.rightOf',
      'result.bookText',
      'result.by',
      'settings.swatch',
    ]);
  });
});

function Probe() {
  const t = useT();
  const { setLanguage } = useLanguage();
  return (
    <button type="button" onClick={() => void setLanguage('en')}>
      {t.login.title}
    </button>
  );
}

describe('switching', () => {
  afterEach(() => {
    localStorage.clear();
    document.documentElement.lang = 'th';
  });

  test('changes the texts and the page language, and is stored', async () => {
    render(
      <I18nProvider initial={{ language: 'th', t: th }}>
        <Probe />
      </I18nProvider>,
    );
    await userEvent.click(screen.getByRole('button', { name: 'เข้าสู่ระบบ' }));
    expect(await screen.findByRole('button', { name: 'Sign in' })).toBeVisible();
    expect(currentLanguage()).toBe('en');
    expect(localStorage.getItem('nadmor.language')).toBe('en');
  });
});
