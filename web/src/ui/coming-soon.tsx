import { IconTools } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { LinkButton } from './link-button';
import { MessagePage } from './message-page';

type Page = Exclude<keyof Messages['comingSoon'], 'title' | 'willHold'>;

interface ComingSoonProps {
  page: Page;
  headingOrder?: 1 | 2;
  /** Defaults to a link home; null for none. */
  action?: ReactNode;
}

/** Stands in for a page that is still to come, and says what it will hold. */
export function ComingSoon({ page, headingOrder, action }: ComingSoonProps) {
  const t = useT();
  return (
    <MessagePage
      icon={IconTools}
      title={t.comingSoon.title}
      headingOrder={headingOrder}
      actions={action === undefined ? <LinkButton to="/app/dashboard">{t.app.backHome}</LinkButton> : action}
    >
      {t.comingSoon.willHold} {t.comingSoon[page]}
    </MessagePage>
  );
}
