import { Button, Drawer, Group, Skeleton, Text } from '@mantine/core';
import { IconCalendarEvent, IconClipboardText, IconPencil, IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type Ref, useDeferredValue, useImperativeHandle, useState } from 'react';
import { type Appointment, appointmentQuery } from '@/entities/appointment/api';
import { AppointmentStatusBadge } from '@/entities/appointment/appointment-status';
import { type Seat, seatText } from '@/entities/appointment/appointment-text';
import { printSlip } from '@/entities/appointment/print-pdf';
import { afterDate, firstChoice } from '@/entities/appointment/reschedule';
import { StatusPanel } from '@/entities/appointment/status-panel';
import { TimeChoice } from '@/entities/appointment/time-choice';
import { useSlotChoice } from '@/entities/appointment/use-slot-choice';
import { type StatusActions, useStatusActions } from '@/entities/appointment/use-status-actions';
import { isWalkIn } from '@/entities/appointment/walk-in';
import { Allergies, allergiesOf } from '@/entities/patient/allergies';
import { patientQuery } from '@/entities/patient/api';
import heading from '@/entities/patient/patient-heading.module.css';
import { allServicesQuery } from '@/entities/service/api';
import { useServiceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { formatAge } from '@/lib/age';
import { fullName } from '@/lib/full-name';
import { formatPhone } from '@/lib/phone';
import { rightName } from '@/lib/right-name';
import { formatLongDate } from '@/lib/thai-date';
import { ErrorAlert } from '@/ui/error-alert';
import factList from '@/ui/facts.module.css';
import layout from '@/ui/layout.module.css';
import { LinkButton } from '@/ui/link-button';
import { scrollToOnMount } from '@/ui/on-mount';
import { TextLink } from '@/ui/text-link';
import { showFailure } from '@/ui/toast';
import { useDialog } from '@/ui/use-dialog';
import shared from './calendar.module.css';
import classes from './calendar-card.module.css';
import { type Move, MoveDialog } from './calendar-move';

export interface CalendarDialogs {
  open: (appointment: Appointment) => void;
  move: (move: Move) => void;
}

/**
 * The card of an appointment and the question before a move. Apart from the calendar, which is not rendered again for
 * them.
 */
export function CalendarCards({ ref }: { ref: Ref<CalendarDialogs> }) {
  const t = useT();
  const actions = useStatusActions();
  const card = useDialog<Appointment>();
  const move = useDialog<Move>();
  // The card opens at once with the known data; the rest is loaded.
  const drawn = useDeferredValue(card.opened && card.subject);
  const shown = card.opened ? drawn : card.subject;
  useImperativeHandle(ref, () => ({ open: card.open, move: move.open }));
  return (
    <>
      <Drawer
        opened={card.opened}
        onClose={card.close}
        position="right"
        size={540}
        title={card.subject && t.calendar.card.title(card.subject.number)}
        returnFocus={false}
        // Locking the page would lay out all of it again.
        lockScroll={false}
      >
        {shown ? (
          <Card key={shown.id} appointment={shown} actions={actions} onMove={move.open} />
        ) : (
          card.subject && <Text className={heading.patientName}>{fullName(card.subject.patient)}</Text>
        )}
      </Drawer>
      <MoveDialog dialog={move} onMoved={() => card.opened && card.close()} seatsFreed={actions.seatsFreed} />
      {actions.dialogs}
    </>
  );
}

interface CardProps {
  /** The appointment from the calendar; its details are loaded. */
  appointment: Appointment;
  actions: StatusActions;
  onMove: (move: Move) => void;
}

/** All data of an appointment, its status changes, and links. */
function Card({ appointment: known, actions, onMove }: CardProps) {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const words = t.calendar.card;
  const nameOf = useServiceName();
  const { data: details, error, refetch } = useQuery(appointmentQuery(known.id));
  const [moving, setMoving] = useState(false);
  const appointment = details ?? known;
  const { id, patient, service, staff, date, startTime, endTime, reason, note, kind, status } = appointment;
  const params = { id: String(id) };
  return (
    <div className={layout.stack}>
      <div>
        {can('PATIENT.SHOW') ? (
          <TextLink
            to="/app/patient-management/$id/edit"
            params={{ id: String(patient.id) }}
            className={heading.patientName}
          >
            {fullName(patient)}
          </TextLink>
        ) : (
          <Text className={heading.patientName}>{fullName(patient)}</Text>
        )}
        <Text size="sm" component="div" className={`tabular ${heading.line}`}>
          <bdi>HN {patient.hn}</bdi>
          <bdi>
            {t.patient.sexes[patient.sex]}{' '}
            {formatAge(patient.birthDate, patient.birthPrecision, language, date)}
          </bdi>
        </Text>
      </div>
      {can('PATIENT.SHOW') && <PatientAllergies id={patient.id} />}
      <dl className={factList.facts}>
        <Fact label={t.appointment.field.serviceId}>
          <span className={shared.serviceName} style={{ borderColor: service.color }}>
            {nameOf(service)}
          </span>
        </Fact>
        <Fact label={words.when}>
          {formatLongDate(date, language)}{' '}
          <bdi className="tabular">{t.appointment.time(startTime, endTime)}</bdi>
        </Fact>
        {patient.phone && (
          <Fact label={words.phone}>
            <a href={`tel:${patient.phone}`} className={classes.phone}>
              {formatPhone(patient.phone)}
            </a>
          </Fact>
        )}
        {patient.rightCode && <Fact label={words.right}>{rightName(t, patient.rightCode)}</Fact>}
        <Fact label={t.appointment.field.kind}>{t.appointment.kinds[kind]}</Fact>
        {staff && <Fact label={t.appointment.field.staffId}>{staff.name}</Fact>}
        {reason && <Fact label={t.appointment.field.reason}>{reason}</Fact>}
        {note && <Fact label={t.appointment.field.note}>{note}</Fact>}
      </dl>
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {details ? (
        <StatusPanel appointment={details} actions={actions} />
      ) : (
        <div className={classes.pendingStatus}>
          <AppointmentStatusBadge status={status} />
          <Skeleton h={34} />
        </div>
      )}
      <Group gap="xs">
        {appointment.movable && (
          <Button
            variant={moving ? 'light' : 'default'}
            aria-expanded={moving}
            leftSection={<IconCalendarEvent size={16} aria-hidden />}
            onClick={() => setMoving(!moving)}
          >
            {status === 'NO_SHOW' ? t.appointment.bookAgain : words.move}
          </Button>
        )}
        {can('APPOINTMENT.UPDATE', 'APPOINTMENT.MARK_STATUS') && (
          <LinkButton
            variant="default"
            to="/app/appointment/$id/edit"
            params={params}
            leftSection={<IconPencil size={16} aria-hidden />}
          >
            {can('APPOINTMENT.UPDATE') ? words.edit : words.open}
          </LinkButton>
        )}
        {status !== 'WAITLISTED' && status !== 'CANCELLED' && (
          <Button
            variant="default"
            leftSection={<IconPrinter size={16} aria-hidden />}
            onClick={() => void printSlip(id).catch((failure) => showFailure(t, failure))}
          >
            {t.appointment.printSlip}
          </Button>
        )}
        {can('RESULT.CREATE') && (
          <LinkButton
            variant="default"
            to="/app/appointment/$id/diagnosisResults"
            params={params}
            leftSection={<IconClipboardText size={16} aria-hidden />}
          >
            {words.results}
          </LinkButton>
        )}
      </Group>
      {moving && (
        <NewTime
          appointment={appointment}
          onKeep={() => setMoving(false)}
          onChosen={(seat) => onMove({ appointment, to: { serviceId: appointment.serviceId, ...seat } })}
        />
      )}
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function PatientAllergies({ id }: { id: number }) {
  const { data: patient, error, refetch } = useQuery(patientQuery(id));
  if (error && !patient) return <ErrorAlert error={error} onRetry={refetch} />;
  return patient ? (
    <div className={heading.badges}>
      <Allergies {...allergiesOf(patient)} />
    </div>
  ) : (
    <Skeleton h={24} w={180} />
  );
}

interface NewTimeProps {
  appointment: Appointment;
  onChosen: (seat: Seat) => void;
  onKeep: () => void;
}

/** Moving without dragging: the free times of the service, by keyboard or touch. */
function NewTime({ appointment, onChosen, onKeep }: NewTimeProps) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.calendar.card;
  const after = afterDate(appointment);
  const [choice, setChoice] = useState<Seat>(firstChoice(appointment));
  const { data: services = [] } = useQuery(allServicesQuery);
  const service = services.find(({ id }) => id === appointment.serviceId);
  const slots = useSlotChoice(service, choice, isWalkIn(appointment));
  const seat = slots.day && slots.slot && { date: slots.day.date, startTime: slots.slot.startTime };
  const same = seat?.date === appointment.date && seat.startTime === appointment.startTime;
  return (
    <section className={classes.newTime} aria-label={words.moveHint} ref={scrollToOnMount}>
      <TimeChoice
        slots={slots}
        current={appointment}
        after={after}
        onChange={(date, startTime) => setChoice({ date, startTime })}
      />
      <Group gap="xs" justify="flex-end">
        <Button variant="default" onClick={onKeep}>
          {words.keep}
        </Button>
        <Button disabled={!seat || same} onClick={() => seat && onChosen(seat)}>
          {seat && !same
            ? `${after ? t.appointment.bookAgain : words.move}: ${seatText(t, language, seat)}`
            : words.continue}
        </Button>
      </Group>
    </section>
  );
}
