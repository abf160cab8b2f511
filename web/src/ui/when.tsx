import { useLanguage, useT } from '@/i18n/provider';
import { formatDateTime, formatRelative } from '@/lib/thai-date';

/** A moment, near ones by how long ago; the exact time is one hover away. */
export function When({ at }: { at: string }) {
  const t = useT();
  const { language } = useLanguage();
  return (
    <time dateTime={at} title={formatDateTime(at, language)}>
      {formatRelative(at, t.date, language)}
    </time>
  );
}
