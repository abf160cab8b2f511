import { Button, Text } from '@mantine/core';
import { IconPhone } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Appointment } from '@/entities/appointment/api';
import { useServiceName } from '@/entities/service/service-name';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { formatPhone } from '@/lib/phone';
import { formatDate } from '@/lib/thai-date';
import print from '@/ui/print.module.css';
import table from '@/ui/static-table.module.css';
import type { SlotTime } from './api';
import classes from './move.module.css';

/** How many rows are shown initially and added by each click on “more”. */
const ROWS_AT_ONCE = 200;

/** useRows limits a list that may have thousands of rows to the first ones, with a button for more. Prints have all. */
export function useRows<T>(all: T[]): { rows: T[]; more: ReactNode } {
  const words = useT().schedule.move;
  const [count, setCount] = useState(ROWS_AT_ONCE);
  useEffect(() => {
    const showAll = () => flushSync(() => setCount(Number.POSITIVE_INFINITY));
    window.addEventListener('beforeprint', showAll);
    return () => window.removeEventListener('beforeprint', showAll);
  }, []);
  const rest = all.length - count;
  return {
    rows: all.slice(0, count),
    more: rest > 0 && (
      <Button variant="default" onClick={() => setCount(count + ROWS_AT_ONCE)} className={print.screen}>
        {words.more(Math.min(rest, ROWS_AT_ONCE), rest)}
      </Button>
    ),
  };
}

export function When({ at }: { at: SlotTime }) {
  const { language } = useLanguage();
  return (
    <span className={classes.time}>
      {formatDate(at.date, language)} <b>{at.startTime}</b>
    </span>
  );
}

function Person({ appointment: { patient, service } }: { appointment: Appointment }) {
  const nameOf = useServiceName();
  return (
    <>
      <span className={classes.name}>{fullName(patient)}</span>
      <span className={classes.small}>
        HN {patient.hn} · <bdi>{formatPhone(patient.phone)}</bdi> · {nameOf(service)}
      </span>
    </>
  );
}

/** A table of moved appointments, a `MoveRow` each. */
export function MoveRows({ children }: { children: ReactNode }) {
  const words = useT().schedule.move;
  return (
    <table className={`${table.table} ${classes.table}`} aria-label={words.table}>
      <thead>
        <tr>
          <th scope="col">{words.patient}</th>
          <th scope="col">{words.from}</th>
          <th scope="col">{words.to}</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

interface MoveRowProps {
  appointment: Appointment;
  /** The new time is not the one that was shown first. */
  changed?: boolean;
  /** The new time. */
  children: ReactNode;
}

export function MoveRow({ appointment, changed, children }: MoveRowProps) {
  const words = useT().schedule.move;
  return (
    <tr data-changed={changed || undefined}>
      <td>
        <Person appointment={appointment} />
      </td>
      <td data-label={words.from}>
        <When at={appointment} />
      </td>
      <td data-label={words.to}>{children}</td>
    </tr>
  );
}

/** Patients who have to be called, with their phone numbers. */
export function CallList({
  people,
  chooser,
}: {
  people: Appointment[];
  chooser?: (one: Appointment) => ReactNode;
}) {
  const t = useT();
  const words = t.schedule.move;
  const { rows, more } = useRows(people);
  return (
    <section aria-label={words.callList}>
      <Text fw={600}>
        <IconPhone size={15} aria-hidden /> {words.unplaced(people.length)}
      </Text>
      <Text size="sm" c="dimmed">
        {words.unplacedHint}
      </Text>
      <table className={`${table.table} ${classes.table}`} aria-label={words.callList}>
        <thead>
          <tr>
            <th scope="col">{words.patient}</th>
            <th scope="col">{words.phone}</th>
            <th scope="col">{words.from}</th>
            {chooser && <td className={print.screen} />}
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.id}>
              <td>
                <Person appointment={one} />
              </td>
              <td data-label={words.phone}>
                <a href={`tel:${one.patient.phone}`} className={classes.phone}>
                  <bdi>{formatPhone(one.patient.phone)}</bdi>
                </a>
              </td>
              <td data-label={words.from}>
                <When at={one} />
              </td>
              {chooser && <td className={print.screen}>{chooser(one)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </section>
  );
}
