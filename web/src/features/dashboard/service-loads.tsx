import { IconStethoscope } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useServiceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import type { Language } from '@/i18n/language';
import { useLanguage, useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { addDays, formatDate, formatTime, weekdayName, weekdayOf } from '@/lib/thai-date';
import { EmptyState } from '@/ui/empty-state';
import type { Dashboard, ServiceDay } from './api';
import { Card } from './card';
import classes from './dashboard.module.css';
import { ListLink, onDay } from './list-link';
import { percent } from './numbers';

/** The load of each service on the day, and its next free seat. */
export function ServiceLoads({ dashboard: { services, date, today } }: { dashboard: Dashboard }) {
  const t = useT();
  const nameOf = useServiceName();
  return (
    <Card title={t.dashboard.loads} className={classes.loadCard}>
      {services.length === 0 ? (
        <EmptyState icon={IconStethoscope} title={t.dashboard.noServices}>
          {t.dashboard.noServicesHint}
        </EmptyState>
      ) : (
        <ul className={classes.loads}>
          {services.map((one) => (
            <li key={one.service.id} className={classes.load}>
              <LoadRow day={one} name={nameOf(one.service)} date={date} today={today} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

interface LoadRowProps {
  day: ServiceDay;
  /** The display name of the service. */
  name: string;
  date: string;
  today: string;
}

function LoadRow({ day, name, date, today }: LoadRowProps) {
  const t = useT();
  const { service, booked, capacity, state, checkedIn } = day;
  const share = percent(booked, capacity);
  const open = capacity > 0 || booked > 0;
  return (
    <>
      <div className={classes.loadName} data-alone={!open || undefined}>
        <span className={classes.dot} style={{ background: service.color }} aria-hidden />
        <span>{name}</span>
      </div>
      {open && (
        <>
          <div className={classes.loadFigure}>
            <ListLink
              filter={{ ...onDay(date, today), service: service.id, status: 'SEATED' }}
              className={classes.figure}
              label={t.dashboard.loadOf(name, booked, capacity)}
            >
              <bdi>{t.dashboard.loadText(booked, capacity)}</bdi>
            </ListLink>
          </div>
          <div className={classes.meter} data-state={state} aria-hidden>
            <span style={{ inlineSize: `${Math.min(share, 100)}%` }} />
          </div>
        </>
      )}
      <div className={classes.loadState} data-state={state}>
        {stateText(t, day, share)}
      </div>
      <div className={classes.loadNext}>
        {checkedIn > 0 && (
          <>
            <bdi>{t.dashboard.waitingHere(checkedIn)}</bdi>
            {' · '}
          </>
        )}
        <bdi>
          <NextFree day={day} name={name} today={today} />
        </bdi>
      </div>
    </>
  );
}

/** The load as text. */
function stateText(t: Messages, { state, available, reason, booked }: ServiceDay, share: number): string {
  const { states, percent: percentText } = t.dashboard;
  switch (state) {
    case 'NONE':
      return reason ? t.dashboard.closedFor(reason) : states.NONE;
    case 'FULL':
      return `${states.FULL} · ${percentText(share)}`;
    default: {
      const full = `${percentText(share)}${state === 'BUSY' ? ` · ${states.BUSY}` : ''}`;
      const free = available > 0 || booked === 0 ? ` · ${t.dashboard.freeSeats(available)}` : '';
      return reason ? `${full}${free} · ${t.dashboard.partlyClosed(reason)}` : `${full}${free}`;
    }
  }
}

/** 'พรุ่งนี้ 09:30 น.', 'จ. 23 พ.ย. 2569 09:30 น.' */
export function seatText(
  t: Messages,
  language: Language,
  { date, startTime }: { date: string; startTime?: string },
  today: string,
): string {
  const time = startTime ? ` ${formatTime(startTime, language)}` : '';
  if (date === today) return `${t.dashboard.today}${time}`;
  if (date === addDays(today, 1)) return `${t.dashboard.tomorrow}${time}`;
  return `${weekdayName(weekdayOf(date), language, true)} ${formatDate(date, language)}${time}`;
}

function NextFree({ day: { service, nextFree }, name, today }: Omit<LoadRowProps, 'date'>) {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  if (!nextFree) return t.dashboard.nextFreeNone;
  const when = seatText(t, language, nextFree, today);
  if (!can('APPOINTMENT.CREATE')) return t.dashboard.nextFree(when);
  return (
    <Link
      to="/app/appointment/create"
      search={{ serviceId: service.id, date: nextFree.date, time: nextFree.startTime }}
      className={classes.figure}
      title={t.dashboard.bookNext(name, when)}
    >
      {t.dashboard.nextFree(when)}
    </Link>
  );
}
