import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconCalendarPlus, IconCircleCheck, IconHourglass, IconPrinter } from '@tabler/icons-react';
import type { SeriesBooked } from '@/entities/appointment/api';
import { printSlip, type SlipSize } from '@/entities/appointment/print-pdf';
import type { Service } from '@/entities/service/api';
import { useServiceName } from '@/entities/service/service-name';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { formatLongDate } from '@/lib/thai-date';
import factList from '@/ui/facts.module.css';
import { LinkButton } from '@/ui/link-button';
import { showFailure } from '@/ui/toast';
import classes from './booking.module.css';
import { SeriesPreview } from './series';

interface BookedProps {
  booked: SeriesBooked;
  service: Service | undefined;
  startTime: string;
  onAnother: () => void;
  onSamePatient: () => void;
}

/** The booked appointments, to be read out to the patient, and the next actions. */
export function Booked({ booked, service, startTime, onAnother, onSamePatient }: BookedProps) {
  const t = useT();
  const { language } = useLanguage();
  const nameOf = useServiceName();
  const words = t.appointment;
  const first = booked.items[0];
  if (!first) return null;
  const waiting = first.status === 'WAITLISTED';
  const several = booked.items.length + booked.skipped.length > 1;
  const title = several
    ? words.bookedSeries(booked.items.length)
    : waiting
      ? words.bookedWaiting
      : first.status === 'PENDING'
        ? words.bookedPending
        : words.booked;
  const Icon = waiting ? IconHourglass : IconCircleCheck;
  const print = (size: SlipSize) => void printSlip(first.id, size).catch((error) => showFailure(t, error));
  const facts: [string, string][] = [
    [words.field.number, first.number],
    [words.list.patient, `${fullName(first.patient)} (HN ${first.patient.hn})`],
    [words.field.serviceId, nameOf(first.service)],
    [words.field.date, formatLongDate(first.date, language)],
    [words.field.startTime, words.time(first.startTime, first.endTime)],
    [words.place, service?.location ?? ''],
    [words.field.staffId, first.staff?.name ?? ''],
    [words.prepare, service?.instructions ?? ''],
  ];
  return (
    <Card withBorder padding="lg" component="section" aria-label={title} className={classes.booked}>
      <Group gap="sm" wrap="nowrap" role="alert">
        <Icon size={32} className={waiting ? classes.waiting : classes.done} aria-hidden />
        <Title order={2}>{title}</Title>
      </Group>
      {waiting && <Text size="sm">{words.bookedWaitingHint}</Text>}
      <dl className={`tabular ${factList.facts}`}>
        {facts
          .filter(([, value]) => value !== '')
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
      </dl>
      {several && <SeriesPreview series={booked} startTime={startTime} />}
      <Stack gap="xs">
        <Group gap="xs">
          {!waiting && (
            <>
              <Button
                autoFocus
                leftSection={<IconPrinter size={18} aria-hidden />}
                onClick={() => print('a5')}
              >
                {words.printSlip}
              </Button>
              <Button variant="default" onClick={() => print('80mm')}>
                {words.printSlipSmall}
              </Button>
            </>
          )}
          <Button
            variant={waiting ? 'filled' : 'light'}
            autoFocus={waiting}
            leftSection={<IconCalendarPlus size={18} aria-hidden />}
            onClick={onAnother}
          >
            {words.bookAnother}
          </Button>
          <Button variant="default" onClick={onSamePatient}>
            {words.bookSame}
          </Button>
        </Group>
        <Group gap="xs">
          <LinkButton
            variant="subtle"
            to="/app/appointment/$id/edit"
            params={{ id: String(first.id) }}
            size="compact-md"
          >
            {words.toEdit}
          </LinkButton>
          <LinkButton
            variant="subtle"
            to="/app/appointment/list"
            search={{ from: first.date, to: first.date }}
            size="compact-md"
          >
            {words.toList}
          </LinkButton>
        </Group>
      </Stack>
    </Card>
  );
}
