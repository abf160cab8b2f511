import { Drawer, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useT } from '@/i18n/provider';
import { ErrorAlert } from '@/ui/error-alert';
import { onOwnEscape } from '@/ui/own-escape';
import { useLast } from '@/ui/use-last';
import { customerQuery } from './api';
import { CustomerForm } from './customer-form';

const route = getRouteApi('/_signed-in/app/patient-management/');

/** The customer that the address names, or a new one, beside the list. */
export function CustomerDrawer() {
  const t = useT();
  const { customer: asked } = route.useSearch();
  const customer = useLast(asked);
  const navigate = route.useNavigate();
  const close = () => void navigate({ search: ({ customer: _, ...search }) => search });
  const id = typeof customer === 'number' ? customer : undefined;
  const {
    data: record,
    error,
    refetch,
  } = useQuery({ ...customerQuery(id ?? 0), enabled: typeof asked === 'number' });
  const shown = id === undefined ? undefined : record;
  return (
    <Drawer
      opened={asked !== undefined}
      onClose={close}
      closeOnEscape={false}
      onKeyDown={onOwnEscape(close)}
      position="right"
      size="lg"
      padding="md"
      title={shown ? t.customer.editNamed(shown.name) : t.customer.add}
    >
      {/* What was saved is not saved twice while the drawer closes. */}
      <div inert={asked === undefined}>
        {customer === 'new' && <CustomerForm key="new" onDone={close} />}
        {shown && <CustomerForm key={shown.id} customer={shown} onDone={close} />}
        {id !== undefined && !record && error && <ErrorAlert error={error} onRetry={refetch} />}
        {id !== undefined && !record && !error && (
          <Skeleton h={320} role="status" aria-label={t.app.loading} />
        )}
      </div>
    </Drawer>
  );
}
