import { useLanguage } from '@/i18n/provider';

/** The error pages carry their English name in every language, with the Thai beside it. */
export function BilingualTitle({ english, text }: { english: string; text: string }) {
  const { language } = useLanguage();
  if (language === 'en') return english;
  return (
    <>
      <span lang="en">{english}</span> · {text}
    </>
  );
}
