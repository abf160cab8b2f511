import type { Service } from '@/entities/service/api';
import { serviceName } from '@/entities/service/service-name';
import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { formatDateRange } from '@/lib/thai-date';
import type { ClosureFields } from './api';

type Times = Pick<ClosureFields, 'dateFrom' | 'dateTo' | 'startTime' | 'endTime'>;

/** '16 พ.ย. 2569 ทั้งวัน', '16–18 พ.ย. 2569 09:00–12:00'. */
export function closureWhen(t: Messages, language: Language, closure: Times): string {
  const { dateFrom, dateTo, startTime, endTime } = closure;
  const time = startTime ? `${startTime}–${endTime}` : t.schedule.closure.allDayShort;
  return `${formatDateRange(dateFrom, dateTo, language)} ${time}`;
}

/** The services of a closure, or the whole hospital. */
export function closureScope(
  t: Messages,
  language: Language,
  { serviceIds = [] }: Pick<ClosureFields, 'serviceIds'>,
  services: Service[],
): string {
  if (serviceIds.length === 0) return t.schedule.closure.wholeHospital;
  const names = services
    .filter(({ id }) => serviceIds.includes(id))
    .map((service) => serviceName(service, language));
  return names.length === serviceIds.length ? names.join(', ') : t.schedule.month.services(serviceIds.length);
}
