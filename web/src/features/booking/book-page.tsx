import { Alert, Button, Card, Group, Modal, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconUserPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { type Appointment, appointmentKeys, type SeriesBooked } from '@/entities/appointment/api';
import { appointmentText, type Seat, seatText } from '@/entities/appointment/appointment-text';
import { BookingError } from '@/entities/appointment/booking-error';
import { DetailsFields } from '@/entities/appointment/details-fields';
import { FullSlotChoice } from '@/entities/appointment/full-slot-choice';
import { PatientSummary } from '@/entities/appointment/patient-summary';
import { besides, firstFree, overbookLeft } from '@/entities/appointment/slots';
import { TimeChoice } from '@/entities/appointment/time-choice';
import { useSlotChoice } from '@/entities/appointment/use-slot-choice';
import { useUpcomingAppointments } from '@/entities/appointment/use-upcoming-appointments';
import { isWalkIn } from '@/entities/appointment/walk-in';
import { patientKeys } from '@/entities/patient/api';
import { nameFromSearch } from '@/entities/patient/name-from-search';
import { PatientPicker } from '@/entities/patient/patient-picker';
import { PatientQuickForm } from '@/entities/patient/patient-quick-form';
import { servicesQuery } from '@/entities/service/api';
import { ServiceChoice } from '@/entities/service/service-choice';
import { useServiceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { hospitalToday } from '@/lib/thai-date';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import layout from '@/ui/layout.module.css';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useKeyboard } from '@/ui/use-keyboard';
import { useLiveForm } from '@/ui/use-live-form';
import { book, bookSeries, previewSeries } from './api';
import { Booked } from './booked';
import classes from './booking.module.css';
import { BookingActionChanged } from './booking-action';
import { type BookingValues, bookingBody, bookingSchema, NEW_BOOKING, seriesBody } from './booking-values';
import { RepeatFields, SeriesPreview } from './series';
import { useBookingAction } from './use-booking-action';

/** What an address may already say. */
interface BookingStart {
  patientId?: number;
  serviceId?: number;
  date?: string;
  time?: string;
  followUpOfId?: number;
}

interface BookPageProps {
  start: BookingStart;
}

const startValues = ({ serviceId = 0, date = '', time = '', followUpOfId }: BookingStart): BookingValues => ({
  ...NEW_BOOKING,
  serviceId,
  date: date < hospitalToday() ? '' : date,
  startTime: date && date >= hospitalToday() ? time : '',
  kind: followUpOfId ? 'FOLLOW_UP' : 'NEW',
});

/** Booking: patient, service and time, details, on one page; ends with what was booked. */
export function BookPage({ start }: BookPageProps) {
  // Each booking starts with a fresh form; the number tells them apart.
  const [turn, setTurn] = useState({ number: 0, start });
  return (
    <Booking
      key={turn.number}
      start={turn.start}
      onAgain={(next) => setTurn({ number: turn.number + 1, start: next })}
    />
  );
}

function Booking({ start, onAgain }: BookPageProps & { onAgain: (start: BookingStart) => void }) {
  const t = useT();
  const keyboard = useKeyboard();
  const can = useCan();
  const { language } = useLanguage();
  const words = t.appointment;
  const queryClient = useQueryClient();
  const changedButton = useRef<HTMLButtonElement>(null);
  const reasonInput = useRef<HTMLInputElement>(null);
  const formElement = useRef<HTMLFormElement>(null);
  const [patientId, setPatientId] = useState(start.patientId ?? 0);
  const [registering, setRegistering] = useState<string | null>(null);
  const [missing, setMissing] = useState('');
  const [preview, setPreview] = useState<{ content: string; series: SeriesBooked } | null>(null);
  const [booked, setBooked] = useState<SeriesBooked | null>(null);
  const form = useLiveForm<BookingValues>(startValues(start), bookingSchema(t));
  const { values } = form;
  const services = useQuery(servicesQuery);
  const nameOf = useServiceName();
  const service =
    services.data?.find(({ id }) => id === values.serviceId) ??
    (services.data?.length === 1 ? services.data[0] : undefined);
  const walkIn = isWalkIn(values);
  const seats = useSlotChoice(service, values, walkIn, patientId === 0);
  const { slot, day, proposal } = seats;
  const seat = slot && day ? { date: day.date, startTime: slot.startTime } : null;
  const mayOverbook =
    can('APPOINTMENT.OVERBOOK') && slot && overbookLeft(slot, service?.overbookLimit ?? 0) > 0;
  const full = values.full === 'OVERBOOK' && mayOverbook ? 'OVERBOOK' : 'WAIT';
  const offer = useBookingAction(
    patientId > 0 && service && seat
      ? JSON.stringify([patientId, service.id, seat, walkIn, values.full])
      : null,
    slot?.state === 'FULL' ? full : 'BOOK',
  );
  const { action } = offer;
  const upcoming = useUpcomingAppointments(patientId, { statusGroup: 'OPEN' });

  // A hospital with one service has it chosen.
  const asked = (now: BookingValues) => ({ ...now, serviceId: service?.id ?? 0 });
  const booking = {
    patientId,
    seat: seat ?? { date: '', startTime: '' },
    action,
    // It follows a visit of that patient, not of another who was chosen instead.
    followUpOfId: patientId === start.patientId ? start.followUpOfId : undefined,
  };
  const content = JSON.stringify(seriesBody(asked(values), booking));
  const previewed = values.repeat && preview?.content === content ? preview.series : null;

  const { onSubmit, pending, error } = useFormSubmit(form, {
    dedupeKey: [booking, previewed !== null],
    send: async (now): Promise<{ done: boolean; result: SeriesBooked }> => {
      if (!now.repeat) {
        const body = bookingBody(asked(now), booking);
        const one = await book(body);
        return { done: true, result: { items: [one], skipped: [] } };
      }
      const body = seriesBody(asked(now), booking);
      return {
        done: previewed !== null,
        result: await (previewed ? bookSeries(body) : previewSeries(body)),
      };
    },
    onSuccess: ({ done, result }) => {
      if (!done) return setPreview({ content, series: result });
      setBooked(result);
      void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
      void queryClient.invalidateQueries({ queryKey: patientKeys.all });
    },
    onError: () => {
      // What was free a moment ago may not be any more: the strip shows it as it is now.
      void queryClient.invalidateQueries({ queryKey: appointmentKeys.slots });
      setPreview(null);
      return false;
    },
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const problem = problemNow();
    setMissing(problem?.text ?? '');
    if (problem) return problem.focus();
    // Others have changed what can be done: that is said below the button, and nothing is done that it does not say.
    if (offer.instead) return changedButton.current?.focus();
    onSubmit(event);
  };
  const focus = (selector: string) => () => document.querySelector<HTMLElement>(selector)?.focus();
  const problemNow = () => {
    if (!patientId) return { text: words.choosePatient, focus: focus('[data-find-patient] input') };
    if (!service) return { text: words.chooseServiceFirst, focus: focus('input[name="service"]') };
    if (!seat) return { text: words.chooseTime, focus: focus('input[name="day"]:not(:disabled)') };
    if (action === 'OVERBOOK' && values.overbookReason.trim() === '') {
      form.setFieldError('overbookReason', words.overbookReasonNeeded);
      return { text: words.overbookReasonNeeded, focus: () => reasonInput.current?.focus() };
    }
    return null;
  };
  const choose = (patient: { id: number }) => {
    setPatientId(patient.id);
    setRegistering(null);
    setMissing('');
    // The next thing to do; after the picker, and the dialog, have let go of the focus.
    setTimeout(() => {
      const radios = formElement.current?.querySelectorAll<HTMLElement>('input[name="service"]');
      const chosen = formElement.current?.querySelector<HTMLElement>('input[name="service"]:checked');
      (chosen ?? radios?.[0])?.focus();
    });
  };
  const setTime = (date: string, startTime: string) => {
    form.setFieldValue('date', date);
    form.setFieldValue('startTime', startTime);
  };

  if (booked) {
    return (
      <Booked
        booked={booked}
        service={service}
        startTime={seat?.startTime ?? values.startTime}
        onAnother={() => onAgain({})}
        onSamePatient={() => onAgain({ patientId })}
      />
    );
  }
  const clash = seat && slot && besides(upcoming.items ?? [], { ...seat, endTime: slot.endTime });
  const inWords = (list: Appointment[]) =>
    list.map((one) => appointmentText(t, language, nameOf, one)).join(', ');
  // Who has chosen a day stays on it.
  const freeOn = day && firstFree(day);
  const nextFree =
    day && freeOn ? { date: day.date, startTime: freeOn.startTime } : values.date ? null : proposal;
  const take = ({ date, startTime }: Seat) => {
    setTime(date, startTime);
    seats.show(null);
    focus('form button[type="submit"]')();
  };
  return (
    <div className={layout.page}>
      <UnsavedGuard
        unsaved={() => !booked && (form.isDirty() || (patientId > 0 && patientId !== start.patientId))}
      />
      <Card withBorder padding="md" component="section" aria-label={words.step.patient}>
        <Title order={2} className={layout.heading}>
          {words.step.patient}
        </Title>
        {patientId > 0 ? (
          <PatientSummary
            id={patientId}
            upcoming={upcoming}
            action={
              <Button variant="default" size="compact-md" onClick={() => setPatientId(0)}>
                {words.changePatient}
              </Button>
            }
          />
        ) : (
          <Group gap="xs" align="flex-end" data-find-patient>
            <div style={{ flex: '1 1 20rem', maxWidth: '32rem' }}>
              <PatientPicker
                label={words.findPatient}
                description={words.findPatientHint}
                noneText={words.noPatientFound}
                onPick={choose}
                autoFocus
                onNew={
                  can('PATIENT.CREATE')
                    ? { label: words.newPatientNamed, open: (text) => setRegistering(text) }
                    : undefined
                }
              />
            </div>
            {can('PATIENT.CREATE') && (
              <Button
                variant="default"
                leftSection={<IconUserPlus size={18} aria-hidden />}
                onClick={() => setRegistering('')}
              >
                {words.newPatient}
              </Button>
            )}
          </Group>
        )}
      </Card>
      <Modal
        opened={registering !== null}
        onClose={() => setRegistering(null)}
        title={words.newPatient}
        size="lg"
        returnFocus={false}
      >
        <PatientQuickForm
          initial={nameFromSearch(registering ?? '') ?? undefined}
          onDone={choose}
          onCancel={() => setRegistering(null)}
        />
      </Modal>
      <form
        ref={formElement}
        noValidate
        onSubmit={submit}
        className={classes.form}
        aria-label={t.page.appointmentCreate}
      >
        <div className={layout.main}>
          <Card withBorder padding="md" component="section" aria-label={words.step.time}>
            <Title order={2} className={layout.heading}>
              {words.step.time}
            </Title>
            <div className={layout.stack}>
              {services.error && !services.data && (
                <ErrorAlert error={services.error} onRetry={services.refetch} />
              )}
              {services.data?.length === 0 && (
                <EmptyState icon={IconAlertTriangle} title={words.noServices}>
                  {words.noServicesHint}
                </EmptyState>
              )}
              {services.data && services.data.length > 0 && (
                <ServiceChoice
                  services={services.data}
                  value={service?.id ?? 0}
                  onChange={(id) => {
                    form.setFieldValue('serviceId', id);
                    form.setFieldValue('staffId', '');
                    setTime(start.date && start.serviceId === id ? values.date : '', '');
                    seats.show(null);
                  }}
                />
              )}
              {service ? (
                <TimeChoice seats={seats} onChange={setTime} />
              ) : (
                <Text size="sm" c="dimmed">
                  {words.chooseService}
                </Text>
              )}
              {service && slot && action !== 'BOOK' && (
                <FullSlotChoice
                  service={service}
                  slot={slot}
                  mayWait
                  value={action}
                  onChange={(answer) => form.setFieldValue('full', answer)}
                  reason={form.getInputProps('overbookReason')}
                  reasonRef={reasonInput}
                />
              )}
              {service && proposal === null && !slot && (
                <Alert color="orange" icon={<IconAlertTriangle aria-hidden />}>
                  {words.noFree}
                </Alert>
              )}
            </div>
          </Card>
          <Card withBorder padding="md" component="section" aria-label={words.step.details}>
            <Title order={2} className={layout.heading}>
              {words.step.details}
            </Title>
            <div className={layout.stack}>
              <DetailsFields
                values={values}
                inputProps={form.getInputProps}
                onKindChange={(part) => form.setValues(part)}
                service={service}
              />
              <RepeatFields form={form} />
            </div>
          </Card>
        </div>
        <Card
          withBorder
          padding="md"
          component="section"
          aria-label={words.summary}
          className={classes.aside}
        >
          <div aria-live="polite">
            <Text size="sm" c="dimmed">
              {values.startTime || values.date ? words.chosen : words.proposed}
            </Text>
            <Text className={`tabular ${classes.chosen}`} data-testid="chosen">
              {seat ? seatText(t, language, seat) : '–'}
            </Text>
            {service && seat && <Text size="sm">{nameOf(service)}</Text>}
          </div>
          {clash && clash.overlapping.length > 0 && (
            <Alert color="red" icon={<IconAlertTriangle aria-hidden />} p="xs">
              {words.overlaps(inWords(clash.overlapping))}
            </Alert>
          )}
          {clash && clash.overlapping.length === 0 && clash.sameDay.length > 0 && (
            <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} p="xs">
              {words.sameDay(inWords(clash.sameDay))}
            </Alert>
          )}
          {previewed && seat && (
            <>
              <SeriesPreview series={previewed} startTime={seat.startTime} />
              <Text size="xs" c="dimmed">
                {words.previewHint}
              </Text>
            </>
          )}
          {missing && (
            <Text role="alert" size="sm" c="var(--mantine-color-error)">
              {missing}
            </Text>
          )}
          <BookingError error={error} onTake={take} />
          <Button
            type="submit"
            loading={pending}
            fullWidth
            size="md"
            // The second of two quick clicks belongs to what the first was for.
            onClick={(event) => event.detail > 1 && event.preventDefault()}
          >
            {values.repeat
              ? previewed
                ? words.bookSeries(previewed.items.length)
                : words.preview
              : words.bookingAction[action]}
          </Button>
          {offer.instead && (
            <BookingActionChanged
              ref={changedButton}
              action={action}
              instead={offer.instead}
              free={(error === null && nextFree) || null}
              onTake={take}
              onFollow={() => {
                offer.follow();
                focus('form button[type="submit"]')();
              }}
            />
          )}
          {keyboard && seat && patientId > 0 && action === 'BOOK' && !offer.instead && !values.repeat && (
            <Text size="xs" c="dimmed" ta="center">
              {words.enterBooks}
            </Text>
          )}
        </Card>
      </form>
    </div>
  );
}
