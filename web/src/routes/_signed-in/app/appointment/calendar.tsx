import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { NoAccess } from '@/app/pages/no-access';
import { useCan } from '@/app/session';
import { CalendarPage } from '@/features/appointment/calendar-page';
import { CALENDAR_DEFAULTS, calendarSearch } from '@/features/appointment/calendar-search';

export const Route = createFileRoute('/_signed-in/app/appointment/calendar')({
  staticData: { title: (t) => t.page.appointmentCalendar },
  validateSearch: calendarSearch,
  search: { middlewares: [stripSearchParams(CALENDAR_DEFAULTS)] },
  component: Page,
});

/** The menu entry is everybody's; what it shows is not. */
function Page() {
  const can = useCan();
  return can('APPOINTMENT.SHOW') ? <CalendarPage /> : <NoAccess needed={['APPOINTMENT.SHOW']} />;
}
