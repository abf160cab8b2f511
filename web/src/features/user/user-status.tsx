import { type Icon, IconCircleCheck, IconClockPause, IconKey, IconLock } from '@tabler/icons-react';
import { useT } from '@/i18n/provider';
import { StatusBadge } from '@/ui/status-badge';
import type { UserStatus } from './api';

export const USER_STATUSES: UserStatus[] = ['PENDING', 'ACTIVE', 'SUSPENDED'];

const STATUS_STYLES: Record<UserStatus, { icon: Icon; color: string }> = {
  PENDING: { icon: IconClockPause, color: 'orange' },
  ACTIVE: { icon: IconCircleCheck, color: 'green' },
  SUSPENDED: { icon: IconLock, color: 'gray' },
};

export function UserStatusBadge({ status }: { status: UserStatus }) {
  const t = useT();
  return <StatusBadge {...STATUS_STYLES[status]}>{t.user.statuses[status]}</StatusBadge>;
}

/** The user requested a link that could not be mailed: an administrator must hand one over. */
export function ResetRequestedBadge() {
  const t = useT();
  return (
    <StatusBadge icon={IconKey} color="red">
      {t.user.resetRequested}
    </StatusBadge>
  );
}
