import { useLocalStorage } from '@mantine/hooks';
import { createContext, type ReactNode, use } from 'react';
import { isHexColour } from '@/lib/colour';

/** The appearance settings. `null` colours follow the layout and the colour scheme. */
export interface Settings {
  layout: 'side' | 'top';
  /** The tone of the sidebar if no colour is chosen. */
  tone: 'white' | 'dark';
  /** An unpinned sidebar is collapsed and expands over the page on hover or focus. */
  pinned: boolean;
  dark: boolean;
  rtl: boolean;
  primary: string;
  sidebar: string | null;
  header: string | null;
}

export const DEFAULT_SETTINGS: Settings = {
  layout: 'side',
  tone: 'white',
  pinned: true,
  dark: false,
  rtl: false,
  primary: '#0f766e',
  sidebar: null,
  header: null,
};

/** Also read by public/boot.js. */
const STORAGE_KEY = 'nadmor.settings';

const isBoolean = (value: unknown) => typeof value === 'boolean';
const isColour = (value: unknown) => typeof value === 'string' && isHexColour(value);
const isOptionalColour = (value: unknown) => value === null || isColour(value);

const VALID: Record<keyof Settings, (value: unknown) => boolean> = {
  layout: (value) => value === 'side' || value === 'top',
  tone: (value) => value === 'white' || value === 'dark',
  pinned: isBoolean,
  dark: isBoolean,
  rtl: isBoolean,
  primary: isColour,
  sidebar: isOptionalColour,
  header: isOptionalColour,
};

/** Returns usable settings for any stored value: a field that cannot be read gets its default. */
export function parseSettings(stored: string | undefined): Settings {
  const parsed = parseJson(stored);
  if (typeof parsed !== 'object' || parsed === null) return DEFAULT_SETTINGS;
  const valid = Object.entries(parsed).filter(
    ([key, value]) => Object.hasOwn(VALID, key) && VALID[key as keyof Settings](value),
  );
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(valid) };
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}

export const LAYOUT_STYLES = ['white', 'dark', 'mini', 'top'] as const;
type LayoutStyle = (typeof LAYOUT_STYLES)[number];

export function layoutStyle({ layout, tone, pinned }: Settings): LayoutStyle {
  if (layout === 'top') return 'top';
  return pinned ? tone : 'mini';
}

/** The white and dark tones drop a sidebar colour chosen earlier, because it would hide the difference. */
export function withLayoutStyle(style: LayoutStyle): Partial<Settings> {
  switch (style) {
    case 'top':
      return { layout: 'top' };
    case 'mini':
      return { layout: 'side', pinned: false };
    default:
      return { layout: 'side', pinned: true, tone: style, sidebar: null };
  }
}

interface SettingsContextValue {
  settings: Settings;
  change: (part: Partial<Settings>) => void;
  reset: () => void;
}

const SettingsContext = createContext<SettingsContextValue>({
  settings: DEFAULT_SETTINGS,
  change: () => {},
  reset: () => {},
});

export function SettingsProvider({ children }: { children: ReactNode }) {
  const [settings, setSettings, removeSettings] = useLocalStorage<Settings>({
    key: STORAGE_KEY,
    defaultValue: DEFAULT_SETTINGS,
    getInitialValueInEffect: false,
    deserialize: parseSettings,
  });
  const change = (part: Partial<Settings>) => setSettings((current) => ({ ...current, ...part }));
  return <SettingsContext value={{ settings, change, reset: removeSettings }}>{children}</SettingsContext>;
}

export function useSettings(): SettingsContextValue {
  return use(SettingsContext);
}
