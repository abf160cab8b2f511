import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { SchedulePage } from '@/features/schedule/schedule-page';
import { oneOf, searchParams } from '@/lib/search-params';
import { dateParam, idParam } from '@/ui/table-search';

const DEFAULTS = { view: 'week' } as const;

const search = searchParams({
  view: oneOf(['week', 'closures'], DEFAULTS.view),
  /** The first service while none is chosen. */
  service: idParam,
  /** A day of the week, or of the month, that is shown; today while none is given. */
  date: dateParam,
  /** The weekly hours are open beside the grid. */
  panel: oneOf(['hours']),
  /** The closure out of which people are being moved. */
  move: idParam,
});

export const Route = createFileRoute('/_signed-in/app/serviceSchedule')({
  staticData: { title: (t) => t.page.serviceSchedule, permissions: ['SERVICE_SCHEDULE.SHOW'] },
  validateSearch: search,
  search: { middlewares: [stripSearchParams(DEFAULTS)] },
  component: SchedulePage,
});
