import { Drawer, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useT } from '@/i18n/provider';
import { closeOnEscape } from '@/ui/close-on-escape';
import { ErrorAlert } from '@/ui/error-alert';
import { useLast } from '@/ui/use-last';
import { customerQuery } from './api';
import { CustomerForm } from './customer-form';

const route = getRouteApi('/_signed-in/app/patient-management/');

/** The customer in the address, or a new one, beside the list. */
export function CustomerDrawer() {
  const t = useT();
  const { customer: requested } = route.useSearch();
  const customer = useLast(requested);
  const navigate = route.useNavigate();
  const close = () => void navigate({ search: ({ customer: _, ...search }) => search });
  const id = typeof customer === 'number' ? customer : undefined;
  const {
    data: record,
    error,
    refetch,
  } = useQuery({ ...customerQuery(id ?? 0), enabled: typeof requested === 'number' });
  const shown = id === undefined ? undefined : record;
  return (
    <Drawer
      opened={requested !== undefined}
      onClose={close}
      closeOnEscape={false}
      onKeyDown={closeOnEscape(close)}
      position="right"
      size="lg"
      padding="md"
      title={shown ? t.customer.editNamed(shown.name) : t.customer.add}
    >
      {/* Prevents a second save while the drawer closes. */}
      <div inert={requested === undefined}>
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
