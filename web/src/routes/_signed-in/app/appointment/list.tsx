import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { AppointmentList } from '@/features/appointment-list/list-page';
import { LIST_DEFAULTS, listSearch } from '@/features/appointment-list/list-search';

export const Route = createFileRoute('/_signed-in/app/appointment/list')({
  staticData: { title: (t) => t.page.appointmentList },
  validateSearch: listSearch,
  search: { middlewares: [stripSearchParams(LIST_DEFAULTS)] },
  component: AppointmentList,
});
