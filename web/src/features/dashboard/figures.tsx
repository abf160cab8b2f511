import { Text } from '@mantine/core';
import { IconCalendarEvent, IconCalendarOff } from '@tabler/icons-react';
import type { AppointmentStatus } from '@/entities/appointment/api';
import { APPOINTMENT_STATUSES, STATUS_LOOKS } from '@/entities/appointment/appointment-status';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { EmptyState } from '@/ui/empty-state';
import { LinkButton } from '@/ui/link-button';
import type { Dashboard } from './api';
import { Card } from './card';
import classes from './dashboard.module.css';
import { ListLink, onDay } from './list-link';
import { percent } from './numbers';

/** The day's appointments by status, and the progress of the day. */
export function Figures({ dashboard }: { dashboard: Dashboard }) {
  const t = useT();
  const can = useCan();
  const { date, today, total, byStatus } = dashboard;
  const days = onDay(date, today);
  if (total === 0) {
    return (
      <Card title={t.dashboard.figures}>
        <EmptyState
          icon={IconCalendarOff}
          title={date === today ? t.dashboard.noneYet : t.dashboard.noneOn}
          action={
            can('APPOINTMENT.CREATE') &&
            date >= today && (
              <LinkButton to="/app/appointment/create" search={{ date }}>
                {t.dashboard.book}
              </LinkButton>
            )
          }
        >
          {t.dashboard.noneHint}
        </EmptyState>
      </Card>
    );
  }
  return (
    <Card title={t.dashboard.figures}>
      <ul className={classes.tiles}>
        <li>
          <ListLink filter={days} className={classes.tile}>
            <span className={classes.tileLabel}>
              <IconCalendarEvent size={16} stroke={1.8} aria-hidden />
              {t.dashboard.total}
            </span>{' '}
            <span className={classes.tileValue}>{total}</span>
          </ListLink>
        </li>
        {APPOINTMENT_STATUSES.map((status) => {
          const { icon: Icon, color } = STATUS_LOOKS[status];
          return (
            <li key={status}>
              <ListLink filter={{ ...days, status }} className={classes.tile}>
                <span className={classes.tileLabel}>
                  <Icon
                    size={16}
                    stroke={1.8}
                    color={`var(--mantine-color-${color}-light-color)`}
                    aria-hidden
                  />
                  {t.appointment.statuses[status]}
                </span>{' '}
                <span className={classes.tileValue} data-none={byStatus[status] === 0 || undefined}>
                  {byStatus[status] ?? 0}
                </span>
              </ListLink>
            </li>
          );
        })}
      </ul>
      <Progress byStatus={byStatus} />
    </Card>
  );
}

/** In the order of a day's progress: seen, in progress, waiting, expected, and no-shows. */
const PARTS: AppointmentStatus[] = [
  'COMPLETED',
  'IN_SERVICE',
  'CHECKED_IN',
  'CONFIRMED',
  'BOOKED',
  'PENDING',
  'NO_SHOW',
];

function Progress({ byStatus }: { byStatus: Dashboard['byStatus'] }) {
  const t = useT();
  const words = t.dashboard.progressParts;
  const of = (...statuses: AppointmentStatus[]) =>
    statuses.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0);
  const all = of(...PARTS);
  if (all === 0) return null;
  const done = of('COMPLETED');
  const parts = [
    t.dashboard.progressText(done, all, percent(done, all)),
    words.here(of('CHECKED_IN', 'IN_SERVICE')),
    words.toCome(of('PENDING', 'BOOKED', 'CONFIRMED')),
    words.noShow(of('NO_SHOW')),
  ];
  return (
    <div className={classes.progress}>
      <div className={classes.bar} aria-hidden>
        {PARTS.filter((status) => of(status) > 0).map((status) => (
          <span
            key={status}
            className={classes.part}
            title={`${t.appointment.statuses[status]} ${of(status)}`}
            style={{
              flexGrow: of(status),
              background: `var(--mantine-color-${STATUS_LOOKS[status].color}-filled)`,
            }}
          />
        ))}
      </div>
      <Text size="sm">
        {t.dashboard.progress}: {parts.join(' · ')}
      </Text>
    </div>
  );
}
