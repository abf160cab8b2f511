import { useLanguage, useT } from '@/i18n/provider';
import { formatDateTime, formatRelative } from '@/lib/thai-date';

/** A timestamp, relative if recent; the exact time is in the tooltip. */
export function RelativeTime({ at }: { at: string }) {
  const t = useT();
  const { language } = useLanguage();
  return (
    <time dateTime={at} title={formatDateTime(at, language)}>
      {formatRelative(at, t.date, language)}
    </time>
  );
}
