import { readFileSync } from 'node:fs';
import { act, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import {
  DEFAULT_SETTINGS,
  LAYOUT_STYLES,
  layoutStyle,
  parseSettings,
  SettingsProvider,
  useSettings,
  withLayoutStyle,
} from './settings';

afterEach(() => localStorage.clear());

describe('parseSettings', () => {
  test.each([
    undefined,
    '',
    'garbage',
    '{oops',
    'null',
    '7',
    '"dark"',
    '[]',
    '{"dark":"yes","primary":"red","layout":"sideways","pinned":1,"sidebar":7,"toString":true}',
  ])('takes the defaults from %s', (stored) => {
    expect(parseSettings(stored)).toEqual(DEFAULT_SETTINGS);
  });

  test('keeps the good fields beside the bad', () => {
    expect(parseSettings('{"dark":true,"primary":"#12345","header":"#123456"}')).toEqual({
      ...DEFAULT_SETTINGS,
      dark: true,
      header: '#123456',
    });
  });
});

test.each(LAYOUT_STYLES)('choosing layout %s gives layout %s', (style) => {
  expect(layoutStyle({ ...DEFAULT_SETTINGS, sidebar: '#123456', ...withLayoutStyle(style) })).toBe(style);
});

test('unpinning a dark sidebar keeps its tone', () => {
  const dark = { ...DEFAULT_SETTINGS, ...withLayoutStyle('dark') };
  expect(layoutStyle({ ...dark, pinned: false })).toBe('mini');
  expect(layoutStyle({ ...dark, pinned: true })).toBe('dark');
});

describe('useSettings', () => {
  const render = () => renderHook(useSettings, { wrapper: SettingsProvider }).result;

  test('stores changes and resets them', () => {
    const first = render();
    act(() => first.current.change({ dark: true, primary: '#123456' }));
    expect(first.current.settings).toMatchObject({ dark: true, primary: '#123456' });
    expect(render().current.settings).toMatchObject({ dark: true, primary: '#123456' });
    act(() => first.current.reset());
    expect(first.current.settings).toEqual(DEFAULT_SETTINGS);
    expect(render().current.settings).toEqual(DEFAULT_SETTINGS);
  });

  test('starts with the defaults if the storage is invalid', () => {
    localStorage.setItem('nadmor.settings', '{"dark":');
    expect(render().current.settings).toEqual(DEFAULT_SETTINGS);
  });
});

/** boot.js runs before the app and must read the same settings from the storage. */
describe('public/boot.js', () => {
  const boot = new Function(readFileSync('public/boot.js', 'utf8'));
  const root = document.documentElement;

  afterEach(() => {
    root.removeAttribute('dir');
    root.removeAttribute('lang');
    root.removeAttribute('data-mantine-color-scheme');
  });

  test('applies the stored settings', () => {
    const settings = renderHook(useSettings, { wrapper: SettingsProvider }).result;
    act(() => settings.current.change({ dark: true, rtl: true }));
    localStorage.setItem('nadmor.language', 'en');
    boot();
    expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark');
    expect(root).toHaveAttribute('dir', 'rtl');
    expect(root).toHaveAttribute('lang', 'en');
  });

  test.each(['garbage', 'null', '{"dark":"yes","rtl":1}'])('leaves the page alone for %s', (stored) => {
    localStorage.setItem('nadmor.settings', stored);
    boot();
    expect(root).not.toHaveAttribute('data-mantine-color-scheme');
    expect(root).not.toHaveAttribute('dir');
  });
});
