import { type Messages, th } from './th';

export type Language = 'th' | 'en';

const STORAGE_KEY = 'nadmor.language';

/** The chosen language, also used outside React (the API client sends it). boot.js sets it before the first paint. */
export function currentLanguage(): Language {
  return document.documentElement.lang === 'en' ? 'en' : 'th';
}

/** Thai is bundled with the app; English is loaded when it is chosen. */
export async function loadMessages(language: Language): Promise<Messages> {
  return language === 'en' ? (await import('./en')).en : th;
}

export function rememberLanguage(language: Language): void {
  document.documentElement.lang = language;
  try {
    localStorage.setItem(STORAGE_KEY, language);
  } catch {
    // Storage may be full or disabled: the choice then lasts until the page is closed.
  }
}
