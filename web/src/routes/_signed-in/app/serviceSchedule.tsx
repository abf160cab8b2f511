import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { SchedulePage } from '@/features/schedule/schedule-page';
import { oneOf, searchParams } from '@/lib/search-params';
import { dateParam, idParam } from '@/ui/table-search';

const DEFAULTS = { view: 'week' } as const;

const search = searchParams({
  view: oneOf(['week', 'closures'], DEFAULTS.view),
  /** The first service by default. */
  service: idParam,
  /** A day of the week or month to show; today by default. */
  date: dateParam,
  /** True while the drawer of weekly hours is open. */
  panel: oneOf(['hours']),
  /** The closure whose appointments are being moved. */
  move: idParam,
});

export const Route = createFileRoute('/_signed-in/app/serviceSchedule')({
  staticData: { title: (t) => t.page.serviceSchedule, permissions: ['SERVICE_SCHEDULE.SHOW'] },
  validateSearch: search,
  search: { middlewares: [stripSearchParams(DEFAULTS)] },
  component: SchedulePage,
});
