import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { z } from 'zod';
import { SchedulePage } from '@/features/schedule/schedule-page';
import { isIsoDate } from '@/lib/thai-date';
import { idParam } from '@/ui/table-search';

const DEFAULTS = { view: 'week' } as const;

const search = z.object({
  view: z.enum(['week', 'closures']).default(DEFAULTS.view).catch(DEFAULTS.view),
  /** The first service while none is chosen. */
  service: idParam,
  /** A day of the week, or of the month, that is shown; today while none is given. */
  date: z.string().refine(isIsoDate).optional().catch(undefined),
  /** The weekly hours are open beside the grid. */
  panel: z.literal('hours').optional().catch(undefined),
  /** The closure out of which people are being moved. */
  move: idParam,
});

export const Route = createFileRoute('/_signed-in/app/serviceSchedule')({
  staticData: { title: (t) => t.page.serviceSchedule, permissions: ['SERVICE_SCHEDULE.SHOW'] },
  validateSearch: search,
  search: { middlewares: [stripSearchParams(DEFAULTS)] },
  component: SchedulePage,
});
