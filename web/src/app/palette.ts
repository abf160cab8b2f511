import { contrast, inkOn, isNeutral, mix, raised, readableOn } from '@/lib/colour';
import type { Settings } from './settings';

/** The backgrounds of page content. Text colours are readable on all backgrounds of their scheme. */
export const BACKGROUNDS = {
  light: { canvas: '#f3f5f7', body: '#ffffff', hover: '#f1f4f6' },
  dark: { canvas: '#12171c', body: '#1b2229', hover: '#2c3640' },
} as const;

export type Scheme = keyof typeof BACKGROUNDS;

const DARK_SIDEBAR = '#12303a';

/** A coloured area (sidebar or header) with its text colours; each pair has a contrast of at least 4.5:1. */
export interface Surface {
  background: string;
  ink: string;
  hover: string;
  active: string;
  activeInk: string;
  border: string;
}

export function surface(background: string, primary: string): Surface {
  const ink = inkOn(background);
  const tint = mix(background, primary, 0.14);
  // On a coloured background, or one close to the primary colour, a tint would be ugly or invisible.
  const tinted = isNeutral(background) && contrast(tint, background) > 1.08;
  const active = tinted ? tint : raised(background, ink, 0.18);
  return {
    background,
    ink,
    hover: raised(background, ink, 0.07),
    active,
    activeInk: tinted ? readableOn([active], primary) : inkOn(active),
    border: mix(background, ink, 0.16),
  };
}

export function sidebarColour({ sidebar, tone, layout }: Settings, scheme: Scheme): string {
  if (sidebar) return sidebar;
  if (tone === 'dark' && layout === 'side') return DARK_SIDEBAR;
  return BACKGROUNDS[scheme].body;
}

export function headerColour({ header }: Settings, scheme: Scheme): string {
  return header ?? BACKGROUNDS[scheme].body;
}

/** The variants of the primary colour. `filled` is the chosen colour itself; the others keep its hue. */
interface PrimaryColours {
  filled: string;
  filledHover: string;
  onFilled: string;
  light: string;
  lightHover: string;
  /** For links, active tabs, subtle and outline buttons: readable on the page, on cards and on `light`. */
  text: string;
}

export function primaryColours(primary: string, scheme: Scheme): PrimaryColours {
  const { canvas, body, hover } = BACKGROUNDS[scheme];
  // Black or white only: Mantine's components choose between these two by the same rule.
  const onFilled = contrast('#ffffff', primary) >= contrast('#000000', primary) ? '#ffffff' : '#000000';
  const light = mix(body, primary, 0.12);
  const lightHover = mix(body, primary, 0.18);
  return {
    filled: primary,
    // Moves away from the text colour, so that hovering never lowers the contrast.
    filledHover: mix(primary, onFilled === '#ffffff' ? '#000000' : '#ffffff', 0.14),
    onFilled,
    light,
    lightHover,
    text: readableOn([canvas, body, hover, light, lightHover], primary),
  };
}
