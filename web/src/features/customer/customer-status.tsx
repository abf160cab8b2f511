import { type Icon, IconCircleCheck, IconLock } from '@tabler/icons-react';
import { useT } from '@/i18n/provider';
import { StatusBadge } from '@/ui/status-badge';
import type { CustomerStatus } from './api';

const STATUS_STYLES: Record<CustomerStatus, { icon: Icon; color: string }> = {
  ACTIVE: { icon: IconCircleCheck, color: 'green' },
  SUSPENDED: { icon: IconLock, color: 'gray' },
};

export function CustomerStatusBadge({ status }: { status: CustomerStatus }) {
  const t = useT();
  return <StatusBadge {...STATUS_STYLES[status]}>{t.customer.statuses[status]}</StatusBadge>;
}
