import { describe, expect, test } from 'vitest';
import { contrast, READABLE } from '@/lib/colour';
import { BACKGROUNDS, headerColour, primaryColours, sidebarColour, surface } from './palette';
import { DEFAULT_SETTINGS } from './settings';

/** Deterministic, so that failures can be reproduced. */
function colours(count: number, seed: number): string[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return `#${(state >>> 8).toString(16).padStart(6, '0')}`;
  });
}

const GREYS = Array.from({ length: 256 }, (_, v) => `#${v.toString(16).padStart(2, '0').repeat(3)}`);
const CORNERS = ['00', '80', 'ff'].flatMap((r, _, v) => v.flatMap((g) => v.map((b) => `#${r}${g}${b}`)));
const MANY = [...colours(2000, 1), ...GREYS, ...CORNERS];

function expectReadable(ink: string, background: string, what: string): void {
  const ratio = contrast(ink, background);
  if (ratio < READABLE) expect.fail(`${what}: ${ink} on ${background} is ${ratio.toFixed(2)}:1`);
}

describe('sidebar and header text is readable', () => {
  test('on any colour, with any primary colour', () => {
    const primaries = colours(MANY.length, 2);
    MANY.forEach((background, i) => {
      const made = surface(background, primaries[i] ?? '#000000');
      expectReadable(made.ink, made.background, 'text');
      expectReadable(made.ink, made.hover, 'hovered text');
      expectReadable(made.activeInk, made.active, 'active text');
    });
  });

  test('when the primary colour is the surface colour', () => {
    for (const colour of MANY) {
      const made = surface(colour, colour);
      expectReadable(made.activeInk, made.active, 'active text');
      expect(made.active).not.toBe(made.background);
    }
  });
});

describe.each(['light', 'dark'] as const)('the primary colour in %s', (scheme) => {
  const { canvas, body, hover } = BACKGROUNDS[scheme];

  test('has readable text, hovered or not', () => {
    for (const primary of MANY) {
      const made = primaryColours(primary, scheme);
      expectReadable(made.onFilled, made.filled, 'filled');
      expectReadable(made.onFilled, made.filledHover, 'filled, hovered');
    }
  });

  test('is readable as text on every background', () => {
    for (const primary of MANY) {
      const made = primaryColours(primary, scheme);
      for (const background of [canvas, body, hover, made.light, made.lightHover]) {
        expectReadable(made.text, background, `text of ${primary}`);
      }
    }
  });

  test('is unchanged if it is readable', () => {
    const chosen = scheme === 'light' ? '#0b5c55' : '#8be0d6';
    expect(primaryColours(chosen, scheme).text).toBe(chosen);
  });
});

describe('colours that are not chosen', () => {
  test('follow the scheme and the layout', () => {
    expect(sidebarColour(DEFAULT_SETTINGS, 'light')).toBe('#ffffff');
    expect(sidebarColour(DEFAULT_SETTINGS, 'dark')).toBe(BACKGROUNDS.dark.body);
    expect(sidebarColour({ ...DEFAULT_SETTINGS, tone: 'dark' }, 'light')).toBe('#12303a');
    expect(headerColour(DEFAULT_SETTINGS, 'dark')).toBe(BACKGROUNDS.dark.body);
  });

  test('are replaced by chosen ones', () => {
    expect(sidebarColour({ ...DEFAULT_SETTINGS, sidebar: '#abcdef' }, 'dark')).toBe('#abcdef');
    expect(headerColour({ ...DEFAULT_SETTINGS, header: '#abcdef' }, 'dark')).toBe('#abcdef');
  });
});
