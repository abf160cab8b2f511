import { createContext, type ReactNode, use, useState } from 'react';
import { type Language, loadMessages, rememberLanguage } from './language';
import { type Messages, th } from './th';

interface I18n {
  language: Language;
  t: Messages;
}

const I18nContext = createContext<I18n & { setLanguage: (language: Language) => Promise<void> }>({
  language: 'th',
  t: th,
  setLanguage: async () => {},
});

export function I18nProvider({ initial, children }: { initial: I18n; children: ReactNode }) {
  const [state, setState] = useState(initial);
  const setLanguage = async (language: Language) => {
    const t = await loadMessages(language);
    rememberLanguage(language);
    setState({ language, t });
  };
  return <I18nContext value={{ ...state, setLanguage }}>{children}</I18nContext>;
}

/** The texts in the chosen language: `t.login.title`. */
export function useT(): Messages {
  return use(I18nContext).t;
}

export function useLanguage() {
  const { language, setLanguage } = use(I18nContext);
  return { language, setLanguage };
}
