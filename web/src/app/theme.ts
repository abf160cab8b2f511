import { Button, type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import type { Messages } from '@/i18n/th';
import { mix } from '@/lib/colour';
import {
  BACKGROUNDS,
  headerColour,
  primaryColours,
  type Scheme,
  type Surface,
  sidebarColour,
  surface,
} from './palette';
import type { Settings } from './settings';

/** Ten shades of a colour. Shade 7, counted from 0 as in Mantine, is the colour itself. */
function shades(colour: string): MantineColorsTuple {
  const tints = [0.95, 0.88, 0.76, 0.62, 0.46, 0.3, 0.15].map((amount) => mix(colour, '#ffffff', amount));
  const darker = [0.14, 0.28].map((amount) => mix(colour, '#000000', amount));
  return [...tints, colour, ...darker] as unknown as MantineColorsTuple;
}

const DARK: MantineColorsTuple = [
  '#dfe5ea',
  '#b8c3cd',
  '#9aa7b3',
  '#8896a3',
  '#4a5763',
  BACKGROUNDS.dark.hover,
  '#222a32',
  BACKGROUNDS.dark.body,
  '#161c22',
  BACKGROUNDS.dark.canvas,
];

export function makeTheme({ primary }: Settings, t: Messages) {
  return createTheme({
    fontFamily: "'Noto Sans Thai Looped Variable', 'Noto Sans Thai Looped', system-ui, sans-serif",
    // Stacked Thai vowels and tone marks clip below 1.5.
    lineHeights: { xs: '1.5', sm: '1.5', md: '1.55', lg: '1.6', xl: '1.65' },
    headings: {
      fontWeight: '600',
      sizes: {
        h1: { fontSize: '1.25rem', lineHeight: '1.5' },
        h2: { fontSize: '1.125rem', lineHeight: '1.5' },
        h3: { fontSize: '1rem', lineHeight: '1.5' },
        h4: { fontSize: '0.875rem', lineHeight: '1.5' },
      },
    },
    // The breakpoints: xs 600, sm 960, md 1280, lg 1920.
    breakpoints: { xs: '37.5em', sm: '60em', md: '80em', lg: '120em', xl: '160em' },
    colors: { brand: shades(primary), dark: DARK },
    primaryColor: 'brand',
    primaryShade: 7,
    // Black or white text by WCAG luminance: at this threshold both have the same contrast (4.58:1).
    autoContrast: true,
    luminanceThreshold: 0.179,
    defaultRadius: 'md',
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: {
      Text: { defaultProps: { size: 'sm' } },
      // Mantine's "compact-md" has the font size of a large button; here all buttons have that of the text.
      Button: Button.extend({
        vars: (_, { size }) => ({
          root: size === 'compact-md' ? { '--button-fz': 'var(--mantine-font-size-sm)' } : {},
        }),
      }),
      // The placeholder is not a menu item, which role=menu forbids. Without it the first item gets the focus.
      Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
      CloseButton: { defaultProps: { 'aria-label': t.app.close } },
      Drawer: { defaultProps: { closeButtonProps: { 'aria-label': t.app.close } } },
      Modal: { defaultProps: { closeButtonProps: { 'aria-label': t.app.close } } },
      Notification: { defaultProps: { closeButtonProps: { 'aria-label': t.app.close } } },
    },
  });
}

/**
 * Colours as `--app-…` variables, and overrides of Mantine's that lack contrast or ignore the chosen colour.
 */
export function makeCssVariables(settings: Settings): CSSVariablesResolver {
  return () => ({
    variables: {},
    light: {
      ...schemeVariables(settings, 'light'),
      '--mantine-color-text': '#1b2733',
      '--mantine-color-default-color': '#1b2733',
      '--mantine-color-default-border': '#d3dae0',
      '--mantine-color-default-hover': BACKGROUNDS.light.hover,
      '--mantine-color-dimmed': '#54616e',
      '--mantine-color-placeholder': '#687582',
      '--mantine-color-error': '#c01f2e',
      '--app-input-border': '#8794a1',
    },
    dark: {
      ...schemeVariables(settings, 'dark'),
      '--mantine-color-default-border': '#3a4651',
      '--mantine-color-default-hover': BACKGROUNDS.dark.hover,
      '--mantine-color-dimmed': '#a9b5c0',
      '--mantine-color-placeholder': '#97a4b0',
      '--mantine-color-error': '#ff9a9a',
      '--app-input-border': '#6b7986',
    },
  });
}

function schemeVariables(settings: Settings, scheme: Scheme): Record<string, string> {
  const primary = primaryColours(settings.primary, scheme);
  return {
    '--mantine-color-body': BACKGROUNDS[scheme].body,
    '--mantine-primary-color-contrast': primary.onFilled,
    '--mantine-color-anchor': primary.text,
    '--mantine-color-brand-filled': primary.filled,
    '--mantine-color-brand-filled-hover': primary.filledHover,
    '--mantine-color-brand-text': primary.text,
    '--mantine-color-brand-light': primary.light,
    '--mantine-color-brand-light-hover': primary.lightHover,
    '--mantine-color-brand-light-color': primary.text,
    '--mantine-color-brand-outline': primary.text,
    '--app-primary-text': primary.text,
    ...surfaceVariables('sidebar', surface(sidebarColour(settings, scheme), settings.primary)),
    ...surfaceVariables('header', surface(headerColour(settings, scheme), settings.primary)),
  };
}

function surfaceVariables(name: string, colours: Surface): Record<string, string> {
  return {
    [`--app-${name}`]: colours.background,
    [`--app-${name}-ink`]: colours.ink,
    [`--app-${name}-hover`]: colours.hover,
    [`--app-${name}-active`]: colours.active,
    [`--app-${name}-active-ink`]: colours.activeInk,
    [`--app-${name}-border`]: colours.border,
  };
}
