import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Appointment } from '@/entities/appointment/api';
import { AppointmentStatusBadge } from '@/entities/appointment/appointment-status';
import { dayText } from '@/entities/appointment/appointment-text';
import { PersonName } from '@/entities/patient/person-name';
import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { formatShortAge } from '@/lib/age';
import { fullName } from '@/lib/full-name';
import { formatPhone } from '@/lib/phone';
import { formatDateTime } from '@/lib/thai-date';
import type { Column } from '@/ui/data-table-column';
import { RowLink } from '@/ui/row-link';
import classes from './list.module.css';

interface ColumnOptions {
  t: Messages;
  language: Language;
  nameOf: (service: Appointment['service']) => string;
  /** The last column: the actions of a row. */
  actions: (row: Appointment) => ReactNode;
}

/** All columns of the list; the browser stores which are shown. */
export function appointmentColumns({ t, language, nameOf, actions }: ColumnOptions): Column<Appointment>[] {
  const { field, list: words } = t.appointment;
  return [
    {
      key: 'date',
      title: field.date,
      sort: 'date',
      render: (row) => (
        <>
          <span className={classes.still}>{dayText(t, language, row.date)}</span>{' '}
          <strong className={classes.still}>{row.startTime}</strong>
        </>
      ),
    },
    {
      key: 'patient',
      title: words.patient,
      sort: 'patient',
      card: 'heading',
      render: (row) => (
        <RowLink
          to="/app/appointment/$id/edit"
          params={{ id: String(row.id) }}
          data-row-link
          className={classes.name}
        >
          <PersonName name={fullName(row.patient)} />
        </RowLink>
      ),
    },
    { key: 'hn', title: 'HN', from: 1024, render: ({ patient }) => <bdi>{patient.hn}</bdi> },
    {
      key: 'age',
      title: words.age,
      from: 1500,
      card: 'none',
      render: ({ patient: { birthDate, birthPrecision } }) => (
        <span className={classes.still}>{formatShortAge(birthDate, birthPrecision, language)}</span>
      ),
    },
    {
      key: 'phone',
      title: words.phone,
      from: 1500,
      render: ({ patient }) => <bdi className={classes.still}>{formatPhone(patient.phone)}</bdi>,
    },
    {
      key: 'service',
      title: field.serviceId,
      sort: 'service',
      render: ({ service }) => (
        <span className={classes.service} style={{ borderColor: service.color }}>
          {nameOf(service)}
        </span>
      ),
    },
    {
      key: 'status',
      title: field.status,
      sort: 'status',
      render: (row) => (
        <span className={classes.marks}>
          <AppointmentStatusBadge status={row.status} />
          {row.queueNo && <span className={classes.still}>{t.appointment.queue(row.queueNo)}</span>}
          {row.priority === 'URGENT' && <Mark>{t.appointment.urgentMark}</Mark>}
          {row.overbooked && <Mark>{t.appointment.overbookedMark}</Mark>}
        </span>
      ),
    },
    { key: 'staff', title: field.staffId, from: 1400, render: ({ staff }) => staff?.name ?? '' },
    {
      key: 'kind',
      title: field.kind,
      from: 1600,
      card: 'none',
      render: ({ kind }) => t.appointment.kinds[kind],
    },
    {
      key: 'channel',
      title: field.channel,
      from: 1600,
      card: 'none',
      render: ({ channel }) => t.appointment.channels[channel],
    },
    {
      key: 'right',
      title: words.right,
      from: 1500,
      card: 'none',
      render: ({ patient }) => patient.rightCode,
    },
    {
      key: 'number',
      title: field.number,
      sort: 'number',
      from: 1600,
      render: ({ number }) => <bdi className={classes.still}>{number}</bdi>,
    },
    {
      key: 'createdAt',
      title: field.createdAt,
      sort: 'createdAt',
      from: 1700,
      card: 'none',
      render: ({ createdAt }) => <span className={classes.still}>{formatDateTime(createdAt, language)}</span>,
    },
    { key: 'actions', title: words.actions, card: 'actions', align: 'end', render: actions },
  ];
}

/** The columns that cannot be hidden. */
export const FIXED_COLUMNS = ['date', 'patient', 'status', 'actions'];

function Mark({ children }: { children: string }) {
  return (
    <Badge variant="outline" color="red" size="sm" radius="sm" tt="none" c="var(--mantine-color-error)">
      {children}
    </Badge>
  );
}
