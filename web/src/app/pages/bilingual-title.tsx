import { useLanguage } from '@/i18n/provider';

/** Error pages show their English title in every language; in Thai it is followed by the Thai one. */
export function BilingualTitle({ english, text }: { english: string; text: string }) {
  const { language } = useLanguage();
  if (language === 'en') return english;
  return (
    <>
      <span lang="en">{english}</span> · {text}
    </>
  );
}
