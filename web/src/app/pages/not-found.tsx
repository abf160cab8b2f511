import { IconMapSearch } from '@tabler/icons-react';
import { useT } from '@/i18n/provider';
import { LinkButton } from '@/ui/link-button';
import { MessagePage } from '@/ui/message-page';
import { BilingualTitle } from './bilingual-title';

export function NotFound({ headingOrder }: { headingOrder?: 1 | 2 }) {
  const t = useT();
  return (
    <MessagePage
      icon={IconMapSearch}
      title={<BilingualTitle english="Not Found" text={t.error.notFound} />}
      headingOrder={headingOrder}
      actions={<LinkButton to="/app/dashboard">{t.app.backHome}</LinkButton>}
    >
      {t.error.notFoundHint}
    </MessagePage>
  );
}
