import { ActionIcon } from '@mantine/core';
import { useOtherLanguage } from '@/app/use-other-language';
import { useT } from '@/i18n/provider';

/** There are two languages, so one button with the name of the other one is enough. */
export function LanguageButton({ className }: { className?: string }) {
  const t = useT();
  const change = useOtherLanguage();
  return (
    <ActionIcon
      className={className}
      variant="subtle"
      size={40}
      fz="sm"
      fw={600}
      aria-label={t.language.switchToOther}
      title={t.language.switchToOtherLong}
      onClick={change}
    >
      {t.language.other}
    </ActionIcon>
  );
}
