import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { NoAccess } from '@/app/pages/no-access';
import { useCan } from '@/app/session';
import { AppointmentList } from '@/features/appointment/list-page';
import { LIST_DEFAULTS, listSearch } from '@/features/appointment/list-search';

export const Route = createFileRoute('/_signed-in/app/appointment/list')({
  staticData: { title: (t) => t.page.appointmentList },
  validateSearch: listSearch,
  search: { middlewares: [stripSearchParams(LIST_DEFAULTS)] },
  component: Page,
});

/** The menu entry is everybody's; what it lists is not. */
function Page() {
  const can = useCan();
  return can('APPOINTMENT.SHOW') ? <AppointmentList /> : <NoAccess needed={['APPOINTMENT.SHOW']} />;
}
