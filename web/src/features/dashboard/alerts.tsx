import {
  type Icon,
  IconCalendarOff,
  IconCircleCheck,
  IconClockPause,
  IconHourglass,
  IconUsersGroup,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useServiceName } from '@/entities/service/service-name';
import { useCan, useMayMoveClosed } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { addDays, formatDateRange, formatTime } from '@/lib/thai-date';
import { TextLink } from '@/ui/text-link';
import type { Dashboard } from './api';
import { Card } from './card';
import classes from './dashboard.module.css';
import { ListLink, onDay } from './list-link';
import { seatText } from './service-loads';

/** What needs attention now, whatever day is shown; each line links to the page that deals with it. */
export function AlertList({ dashboard: { alerts, today } }: { dashboard: Dashboard }) {
  const t = useT();
  const { language } = useLanguage();
  const nameOf = useServiceName();
  const words = t.dashboard;
  const { pending, closures, full, waitlist } = alerts;
  const fullOn = (date: string) =>
    full.filter((one) => one.date === date).map(({ service }) => nameOf(service));
  const [fullToday, fullTomorrow] = [fullOn(today), fullOn(addDays(today, 1))];
  const none =
    pending === 0 && closures.length + fullToday.length + fullTomorrow.length + waitlist.length === 0;
  return (
    <Card title={words.alerts}>
      <ul className={classes.alerts}>
        {none && (
          <Line icon={IconCircleCheck} calm>
            {words.noAlerts}
          </Line>
        )}
        {pending > 0 && (
          <Line icon={IconClockPause}>
            <ListLink filter={{ range: 'coming', status: 'PENDING' }} className={classes.figure}>
              {words.pending(pending)}
            </ListLink>
          </Line>
        )}
        {closures.map(({ id, reason, dateFrom, dateTo, startTime, endTime, affected }) => {
          const hours = startTime && endTime ? ` ${formatTime(`${startTime}–${endTime}`, language)}` : '';
          const when = `${formatDateRange(dateFrom, dateTo, language)}${hours}`;
          return (
            <Line key={id} icon={IconCalendarOff}>
              <ClosureLink id={id} date={dateFrom}>
                {words.closure(reason, when, affected)}
              </ClosureLink>
            </Line>
          );
        })}
        {waitlist.map(({ service, date, waiting, free }) => (
          <Line key={`${service.id} ${date}`} icon={IconHourglass}>
            <ListLink
              filter={{ ...onDay(date, today), service: service.id, status: 'WAITLISTED' }}
              className={classes.figure}
            >
              {words.waitlist(nameOf(service), seatText(t, language, { date }, today), waiting, free)}
            </ListLink>
          </Line>
        ))}
        {fullToday.length > 0 && <Line icon={IconUsersGroup}>{words.fullToday(fullToday.join(', '))}</Line>}
        {fullTomorrow.length > 0 && (
          <Line icon={IconUsersGroup}>{words.fullTomorrow(fullTomorrow.join(', '))}</Line>
        )}
      </ul>
    </Card>
  );
}

function Line({ icon: Icon, calm, children }: { icon: Icon; calm?: boolean; children: ReactNode }) {
  return (
    <li className={classes.alert} data-calm={calm}>
      <Icon size={18} stroke={1.8} aria-hidden />
      <div>{children}</div>
    </li>
  );
}

/** Links to moving the appointments of a closure, or to the closure's month for users who may not move them. */
function ClosureLink({ id, date, children }: { id: number; date: string; children: string }) {
  const can = useCan();
  const mayMove = useMayMoveClosed();
  if (!can('SERVICE_SCHEDULE.SHOW')) return children;
  const move = mayMove ? id : undefined;
  return (
    <TextLink to="/app/serviceSchedule" search={{ view: 'closures', date, move }} size="sm" inherit>
      {children}
    </TextLink>
  );
}
