import { queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';
import { appointmentKeys } from '@/entities/appointment/api';

type Schemas = components['schemas'];
export type Calendar = Schemas['Calendar'];
export type CalendarQuery = Schemas['CalendarQuery'];
export type DayLoad = Schemas['DayLoad'];
export type ServiceDay = Schemas['ServiceDay'];

/**
 * The load of the days of a period and, on request, the appointments. With another filter for the same days the
 * previous response is shown until the new one arrives; other days are never shown under a new title.
 */
export const calendarQuery = (ask: CalendarQuery) =>
  queryOptions({
    queryKey: [...appointmentKeys.calendar, ask],
    queryFn: ({ signal }) => call(api.POST('/admin/api/v1/appointment/calendar-list', { body: ask, signal })),
    placeholderData: (last: Calendar | undefined, query) => {
      const before = query?.queryKey[2] as CalendarQuery | undefined;
      const sameDays = before?.dateFrom === ask.dateFrom && before?.dateTo === ask.dateTo;
      return sameDays && before?.includeSlots === ask.includeSlots ? last : undefined;
    },
  });
