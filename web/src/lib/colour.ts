/** Colours are `#rrggbb` strings; contrast is by WCAG 2. */

export const READABLE = 4.5;
const WHITE = '#ffffff';
const BLACK = '#000000';
/** Softer than black, used for text where its contrast is sufficient. */
const INK = '#1b2733';

export function isHexColour(value: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(value);
}

type Rgb = [red: number, green: number, blue: number];

function channels(hex: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as Rgb;
}

/** `amount` 0 is all of `from`, 1 all of `to`. */
export function mix(from: string, to: string, amount: number): string {
  const target = channels(to);
  const mixed = channels(from).map((value, i) => Math.round(value + ((target[i] ?? 0) - value) * amount));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

export function luminance(hex: string): number {
  const [red, green, blue] = channels(hex).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Black or white has at least 4.58:1 on any colour; the softer ink is used where it is sufficient. */
export function inkOn(background: string): string {
  if (contrast(WHITE, background) >= READABLE) return WHITE;
  return contrast(INK, background) >= READABLE ? INK : BLACK;
}

/** Returns `colour` if it is readable on every background, else its nearest readable shade. */
export function readableOn(backgrounds: string[], colour: string, ratio: number = READABLE): string {
  const worst = (candidate: string) => Math.min(...backgrounds.map((bg) => contrast(candidate, bg)));
  for (let amount = 0; amount < 1; amount += 0.02) {
    for (const end of [BLACK, WHITE]) {
      const candidate = mix(colour, end, amount);
      if (worst(candidate) >= ratio) return candidate;
    }
  }
  return worst(BLACK) > worst(WHITE) ? BLACK : WHITE;
}

/**
 * Returns a background slightly different from `background` on which `ink` remains readable: for hovered and selected
 * items.
 */
export function raised(background: string, ink: string, amount: number): string {
  const towardsInk = mix(background, ink, amount);
  if (contrast(towardsInk, ink) >= READABLE) return towardsInk;
  return mix(background, luminance(ink) > 0.5 ? BLACK : WHITE, amount);
}

/** Greys, whites and near-blacks, on which a tint of another colour keeps its hue. */
export function isNeutral(hex: string): boolean {
  const values = channels(hex);
  return Math.max(...values) - Math.min(...values) <= 36;
}
