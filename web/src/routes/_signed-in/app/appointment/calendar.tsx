import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { CalendarPage } from '@/features/calendar/calendar-page';
import { CALENDAR_DEFAULTS, calendarSearch } from '@/features/calendar/calendar-search';

export const Route = createFileRoute('/_signed-in/app/appointment/calendar')({
  staticData: { title: (t) => t.page.appointmentCalendar },
  validateSearch: calendarSearch,
  search: { middlewares: [stripSearchParams(CALENDAR_DEFAULTS)] },
  component: CalendarPage,
});
