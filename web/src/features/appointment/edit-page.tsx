import { Alert, Button, Card, Group, Text, Title } from '@mantine/core';
import { IconCalendarPlus, IconClipboardText, IconPrinter, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { currentOf } from '@/api/error';
import {
  type Appointment,
  type AppointmentDetails,
  appointmentKeys,
  appointmentQuery,
  updateAppointment,
} from '@/entities/appointment/api';
import { appointmentText, seatText, withStatus } from '@/entities/appointment/appointment-text';
import {
  type AppointmentValues,
  appointmentSchema,
  type Changeable,
  changeBody,
  changedFields,
  valuesOf,
} from '@/entities/appointment/appointment-values';
import { BookingError } from '@/entities/appointment/booking-error';
import { DetailsFields } from '@/entities/appointment/details-fields';
import { FullSlotChoice } from '@/entities/appointment/full-slot-choice';
import { changesBetween, fieldText } from '@/entities/appointment/history';
import { HistoryList, useNames } from '@/entities/appointment/history-list';
import { PatientSummary } from '@/entities/appointment/patient-summary';
import { printSlip } from '@/entities/appointment/print-pdf';
import { afterDate } from '@/entities/appointment/reschedule';
import { StatusPanel } from '@/entities/appointment/status-panel';
import { TimeChoice } from '@/entities/appointment/time-choice';
import { useSlotChoice } from '@/entities/appointment/use-slot-choice';
import { type StatusActions, useStatusActions } from '@/entities/appointment/use-status-actions';
import { useUpcomingAppointments } from '@/entities/appointment/use-upcoming-appointments';
import { isWalkIn } from '@/entities/appointment/walk-in';
import { allServicesQuery } from '@/entities/service/api';
import { ServiceChoice } from '@/entities/service/service-choice';
import { useServiceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { hospitalToday } from '@/lib/thai-date';
import { ChangeList } from '@/ui/change-list';
import { Confirm } from '@/ui/confirm';
import { ConflictDialog, type Side } from '@/ui/conflict-dialog';
import factList from '@/ui/facts.module.css';
import layout from '@/ui/layout.module.css';
import { LinkButton } from '@/ui/link-button';
import { showDone, showFailure } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useDialog } from '@/ui/use-dialog';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { deleteAppointment } from './api';
import classes from './edit-page.module.css';

/** One appointment: its time, details, status and history. */
export function EditPage({ id }: { id: number }) {
  const t = useT();
  const { data: appointment } = useSuspenseQuery(appointmentQuery(id));
  const actions = useStatusActions();
  const upcoming = useUpcomingAppointments(appointment.patientId, { but: id });
  return (
    <div className={layout.page}>
      <Header appointment={appointment} />
      <div className={classes.edit}>
        <div className={classes.editStatus}>
          <StatusPanel appointment={appointment} actions={actions} />
        </div>
        <div className={`${layout.main} ${classes.editMain}`}>
          <Card withBorder padding="md" component="section" aria-label={t.appointment.list.patient}>
            <PatientSummary id={appointment.patientId} known={appointment.patient} upcoming={upcoming} />
          </Card>
          <EditForm appointment={appointment} onMoved={actions.seatsFreed} />
        </div>
        <Card withBorder padding="md" component="section" aria-label={t.appointment.edit.history}>
          <Title order={2} className={layout.heading}>
            {t.appointment.edit.history}
          </Title>
          <HistoryList history={appointment.history} />
        </Card>
      </div>
      {actions.dialogs}
    </div>
  );
}

function Header({ appointment }: { appointment: AppointmentDetails }) {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useDialog<Appointment>();
  const nameOf = useServiceName();
  const words = t.appointment;
  const { id, number, patientId, serviceId, status } = appointment;
  return (
    <Card withBorder padding="md" component="section" aria-label={words.edit.title(number)}>
      <div className={classes.bar}>
        <div>
          <Title order={2} className="tabular">
            {words.edit.title(number)}
          </Title>
          <Text size="sm" className="tabular">
            {appointmentText(t, language, nameOf, appointment)}
          </Text>
        </div>
        <Group gap="xs">
          {status !== 'WAITLISTED' && status !== 'CANCELLED' && (
            <Button
              variant="default"
              leftSection={<IconPrinter size={16} aria-hidden />}
              onClick={() => void printSlip(id).catch((error) => showFailure(t, error))}
            >
              {words.printSlip}
            </Button>
          )}
          {can('RESULT.CREATE') && (
            <LinkButton
              variant="default"
              to="/app/appointment/$id/diagnosisResults"
              params={{ id: String(id) }}
              leftSection={<IconClipboardText size={16} aria-hidden />}
            >
              {words.edit.result}
            </LinkButton>
          )}
          {can('APPOINTMENT.CREATE') && (
            <LinkButton
              variant="default"
              to="/app/appointment/create"
              search={{ patientId, serviceId, followUpOfId: id }}
              leftSection={<IconCalendarPlus size={16} aria-hidden />}
            >
              {words.edit.bookNext}
            </LinkButton>
          )}
          {can('APPOINTMENT.DELETE') && (
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => remove.open(appointment)}
            >
              {words.edit.delete}
            </Button>
          )}
        </Group>
      </div>
      <Confirm
        opened={remove.opened}
        onClose={remove.close}
        title={words.edit.deleteTitle(number)}
        confirmLabel={words.edit.delete}
        danger
        onConfirm={async () => {
          await deleteAppointment(id);
          showDone(words.edit.deleted(number));
          await navigate({ to: '/app/appointment/list' });
          queryClient.removeQueries({ queryKey: appointmentQuery(id).queryKey });
          void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
        }}
      >
        {words.edit.deleteText(fullName(appointment.patient), seatText(t, language, appointment))}
      </Confirm>
    </Card>
  );
}

interface EditFormProps {
  appointment: AppointmentDetails;
  onMoved: StatusActions['seatsFreed'];
}

function EditForm({ appointment, onMoved }: EditFormProps) {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const names = useNames();
  const words = t.appointment;
  const queryClient = useQueryClient();
  // What the form started from; what others save meanwhile is taken over while nothing was typed.
  const [base, setBase] = useState<Appointment>(appointment);
  const [conflict, setConflict] = useState<Appointment | null>(null);
  /** What is being saved against: chosen when a conflict was settled, or the newest that clashes with nothing. */
  const against = useRef<Appointment | null>(null);
  const reasonInput = useRef<HTMLInputElement>(null);
  const before = valuesOf(base);
  const form = useLiveForm<AppointmentValues>(before, appointmentSchema);
  const { values } = form;
  const start = (now: Appointment) => {
    setBase(now);
    form.setValues(valuesOf(now));
    form.setErrors({});
  };
  const dirty = changedFields(before, values).length > 0;
  if (!dirty && appointment.version !== base.version && appointment.version > base.version)
    start(appointment);

  const mayUpdate = can('APPOINTMENT.UPDATE');
  const { movable } = appointment;
  const after = afterDate(base);
  const timeTitle = after ? words.bookAgain : words.edit.changeTime;
  // The appointment's own service may take no bookings any more.
  const { data: services = [] } = useQuery(allServicesQuery);
  const nameOf = useServiceName();
  const service = services.find(({ id }) => id === values.serviceId);
  const first = after ? hospitalToday() : null;
  const slots = useSlotChoice(movable ? service : undefined, values, isWalkIn(values), false, first);
  const { slot, day } = slots;
  const seat = movable && slot && day ? { date: day.date, startTime: slot.startTime } : null;
  const mine = (now: AppointmentValues): AppointmentValues => (seat ? { ...now, ...seat } : now);
  const changed = changedFields(before, mine(values));
  const moves = changed.some((field) => field === 'serviceId' || field === 'date' || field === 'startTime');
  const outdated = changedFields(before, valuesOf(appointment)).length > 0;
  const isFull = Boolean(moves && seat && slot?.state === 'FULL');

  const clashing = (theirs: Appointment): Changeable[] => {
    const [now, other] = [mine(form.getValues()), valuesOf(theirs)];
    return changedFields(before, other).filter((field) => other[field] !== now[field]);
  };
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: (now) => {
      const target = against.current ?? (clashing(appointment).length === 0 ? appointment : base);
      const from = against.current ? valuesOf(against.current) : before;
      return updateAppointment(
        changeBody(target, from, mine({ ...now, overbookReason: isFull ? now.overbookReason : '' })),
      );
    },
    onSuccess: (now) => {
      against.current = null;
      const moved =
        now.date !== base.date || now.startTime !== base.startTime || now.serviceId !== base.serviceId;
      const done = moved
        ? words.edit.moved(now.number, seatText(t, language, now))
        : words.edit.saved(now.number);
      showDone(withStatus(t, done, base, now));
      start(now);
      slots.show(null);
      void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
      if (moved && base.holdsSeat && !after) void onMoved([base]);
    },
    onError: (failure) => {
      against.current = null;
      void queryClient.invalidateQueries({ queryKey: appointmentKeys.slots });
      const current = currentOf<Appointment>(failure);
      if (current) setConflict(current);
      return current !== null;
    },
  });
  const settle = (theirs: Appointment, choice: Record<string, Side>) => {
    const now = mine(form.getValues());
    const kept = changedFields(before, now).filter((field) => choice[field] !== 'theirs');
    const merged = { ...valuesOf(theirs), overbookReason: now.overbookReason };
    for (const field of kept) Object.assign(merged, { [field]: now[field] });
    against.current = theirs;
    setConflict(null);
    form.setValues(merged);
    onSubmit();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isFull && can('APPOINTMENT.OVERBOOK') && values.overbookReason.trim() === '') {
      form.setFieldError('overbookReason', words.overbookReasonNeeded);
      reasonInput.current?.focus();
      return;
    }
    onSubmit(event);
  };
  const setTime = (date: string, startTime: string) => {
    form.setFieldValue('date', date);
    form.setFieldValue('startTime', startTime);
  };
  const target = { ...appointment, ...mine(values) };
  return (
    <form noValidate onSubmit={submit} className={layout.main} aria-label={t.page.appointmentEdit}>
      <UnsavedGuard unsaved={() => changedFields(valuesOf(base), mine(form.getValues())).length > 0} />
      {!mayUpdate && <Alert color="blue">{words.edit.readOnly}</Alert>}
      {mayUpdate && (
        <Card withBorder padding="md" component="section" aria-label={timeTitle}>
          <Title order={2} className={layout.heading}>
            {timeTitle}
          </Title>
          {movable ? (
            <div className={layout.stack}>
              {after && <Text size="sm">{words.bookAgainHint}</Text>}
              <ServiceChoice
                services={services.filter(({ id, active }) => active || id === base.serviceId)}
                value={values.serviceId}
                onChange={(id) => {
                  form.setFieldValue('serviceId', id);
                  if (id === base.serviceId) setTime(base.date, base.startTime);
                  else setTime('', '');
                  slots.show(null);
                }}
              />
              <TimeChoice
                slots={slots}
                current={values.serviceId === base.serviceId ? base : undefined}
                after={after}
                onChange={setTime}
              />
              {service && slot && isFull && can('APPOINTMENT.OVERBOOK') && (
                <FullSlotChoice
                  service={service}
                  slot={slot}
                  mayWait={false}
                  value="OVERBOOK"
                  onChange={() => {}}
                  reason={form.getInputProps('overbookReason')}
                  reasonRef={reasonInput}
                />
              )}
            </div>
          ) : (
            <Text size="sm" c="dimmed">
              {words.edit.notMovable}
            </Text>
          )}
        </Card>
      )}
      <Card withBorder padding="md" component="section" aria-label={words.edit.details}>
        <Title order={2} className={layout.heading}>
          {words.edit.details}
        </Title>
        <DetailsFields
          values={values}
          inputProps={form.getInputProps}
          onKindChange={(part) => form.setValues(part)}
          service={service}
          disabled={!mayUpdate}
        />
      </Card>
      {mayUpdate && (
        <Card withBorder padding="md" component="section" aria-label={words.edit.save}>
          <div className={layout.stack}>
            {moves && seat && (
              <div>
                <Text size="sm" fw={600}>
                  {words.edit.willMove}
                </Text>
                <dl className={`tabular ${factList.fromTo}`}>
                  <dt>{words.edit.from}</dt>
                  <dd>{appointmentText(t, language, nameOf, base)}</dd>
                  <dt>{words.edit.to}</dt>
                  <dd>
                    {service && nameOf(service)} {seatText(t, language, target)}
                  </dd>
                </dl>
              </div>
            )}
            <BookingError
              error={error}
              onTake={({ date, startTime }) => {
                setTime(date, startTime);
                slots.show(null);
              }}
            />
            {outdated && !pending && (
              <Text size="sm" role="status">
                {t.saveBar.outdated}
              </Text>
            )}
            <Group gap="xs" justify="flex-end">
              {changed.length === 0 ? (
                <Text size="sm" c="dimmed">
                  {words.edit.unchanged}
                </Text>
              ) : (
                <Button variant="default" onClick={() => start(appointment)}>
                  {words.edit.discard}
                </Button>
              )}
              <Button type="submit" loading={pending} disabled={changed.length === 0}>
                {moves ? words.edit.move : words.edit.save}
              </Button>
            </Group>
          </div>
        </Card>
      )}
      <ConflictDialog
        opened={conflict !== null}
        fields={(conflict ? clashing(conflict) : []).map((field) => ({
          key: field,
          label: words.field[field],
          mine: fieldText(names, field, mine(values)[field]),
          theirs: conflict ? fieldText(names, field, valuesOf(conflict)[field]) : '',
          touched: before[field] !== mine(values)[field],
        }))}
        onClose={() => setConflict(null)}
        onUseTheirs={() => {
          if (conflict) start(conflict);
          setConflict(null);
          void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
        }}
        onSave={(choice) => conflict && settle(conflict, choice)}
      >
        {conflict && (
          <div>
            <Text size="sm" fw={600} mb={4}>
              {words.edit.theyChanged}
            </Text>
            <ChangeList changes={changesBetween(names, { ...base }, { ...conflict })} />
          </div>
        )}
      </ConflictDialog>
    </form>
  );
}
