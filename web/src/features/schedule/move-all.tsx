import { Alert, Button, Group, Loader, Modal, NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconAlertTriangle, IconArrowRight, IconCheck, IconPhone, IconPrinter } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useLanguage, useT } from '@/i18n/provider';
import { formatPhone } from '@/lib/phone';
import { addDays, formatDate, hospitalToday } from '@/lib/thai-date';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import { ThaiDateInput } from '@/ui/thai-date-input';
import {
  type Appointment,
  affectedQuery,
  applyMoves,
  previewMoves,
  type SlotTime,
  scheduleKeys,
  slotsQuery,
} from './api';
import { nameOf } from './closure-form';
import classes from './move.module.css';
import {
  chosenOf,
  compared,
  isOutdated,
  type MovePlan,
  type PlannedMove,
  planOf,
  replan,
  seatsLeft,
} from './move-plan';

const route = getRouteApi('/_signed-in/app/serviceSchedule');
const PHONE = '(max-width: 599.98px)';

/** New times for everybody in a closure, while the address names one. */
export function MoveAll() {
  const t = useT();
  const { move } = route.useSearch();
  const navigate = route.useNavigate();
  const phone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const close = () => void navigate({ search: ({ move: _, ...search }) => search });
  return (
    <Modal
      opened={move !== undefined}
      onClose={close}
      title={t.schedule.move.title}
      size={980}
      fullScreen={phone}
      classNames={{
        root: classes.root,
        inner: classes.inner,
        content: classes.content,
        close: classes.screenOnly,
      }}
      closeOnClickOutside={false}
    >
      {move !== undefined && <Planner key={move} closureId={move} onDone={close} />}
    </Modal>
  );
}

interface Result {
  moved: PlannedMove[];
  unplaced: Appointment[];
}

function Planner({ closureId, onDone }: { closureId: number; onDone: () => void }) {
  const t = useT();
  const words = t.schedule.move;
  const queryClient = useQueryClient();
  const affected = useQuery({ ...affectedQuery({ id: closureId }), refetchOnWindowFocus: false });
  const first = useQuery({
    queryKey: [...scheduleKeys.all, 'plan', closureId],
    queryFn: () => replan(closureId, new Map()),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const [later, setLater] = useState<MovePlan | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const [changedSince, setChangedSince] = useState(false);
  const plan = later ?? first.data;
  const apply = useMutation({
    mutationFn: async (current: MovePlan): Promise<Result | null> => {
      try {
        const moves = current.moves.map(({ appointmentId, to }) => ({ appointmentId, to }));
        const answer = await applyMoves(closureId, moves);
        return { moved: planOf(answer, chosenOf(current)).moves, unplaced: answer.unplaced };
      } catch (failure) {
        if (!isOutdated(failure)) throw failure;
        // Somebody booked meanwhile: nobody was moved, and there is a new plan to look at.
        setLater(compared(current, await replan(closureId, chosenOf(current))));
        setChangedSince(true);
        return null;
      }
    },
    onSuccess: (done) => {
      if (!done) return;
      setResult(done);
      void queryClient.invalidateQueries({ queryKey: scheduleKeys.slots });
    },
  });
  const people = new Map((affected.data ?? []).map((appointment) => [appointment.id, appointment]));
  if (affected.error) return <ErrorAlert error={affected.error} onRetry={affected.refetch} />;
  if (first.error) return <ErrorAlert error={first.error} onRetry={first.refetch} />;
  if (!affected.data || !plan) {
    return (
      <Stack gap="xs" role="status" aria-label={words.planning}>
        <Text size="sm">{words.planning}</Text>
        <Skeleton h={260} />
      </Stack>
    );
  }
  if (result) return <Outcome result={result} people={people} onDone={onDone} />;
  if (plan.moves.length + plan.unplaced.length === 0) {
    return (
      <EmptyState
        icon={IconCheck}
        title={words.nobody}
        action={<Button onClick={onDone}>{t.action.close}</Button>}
      />
    );
  }
  const changed = plan.moves.filter(({ was }) => was).length;
  return (
    <Stack gap="sm">
      {changedSince && (
        <Alert role="alert" color="yellow" variant="light" p="xs" icon={<IconAlertTriangle aria-hidden />}>
          <Text size="sm">{words.changedSince(changed)}</Text>
        </Alert>
      )}
      {plan.moves.length > 0 && (
        <>
          <Text size="sm">{words.text(plan.moves.length)}</Text>
          <MoveTable
            closureId={closureId}
            plan={plan}
            people={people}
            disabled={apply.isPending}
            onPlan={setLater}
          />
        </>
      )}
      {plan.unplaced.length > 0 && (
        <CallList
          people={plan.unplaced}
          chooser={(one) => (
            <ChangeTime
              closureId={closureId}
              plan={plan}
              people={people}
              appointment={one}
              label={words.choose}
              name={words.chooseFor(nameOf(one.patient))}
              disabled={apply.isPending}
              onPlan={setLater}
            />
          )}
        />
      )}
      {apply.error && <ErrorAlert error={apply.error} />}
      <Group justify="flex-end" gap="xs" className={classes.footer}>
        {apply.isPending && (
          <Group gap="xs" role="status">
            <Loader size="xs" aria-hidden />
            <Text size="sm">{words.applying(plan.moves.length)}</Text>
          </Group>
        )}
        <PrintButton />
        <Button variant="default" onClick={onDone} disabled={apply.isPending}>
          {t.action.cancel}
        </Button>
        <Button
          loading={apply.isPending}
          disabled={plan.moves.length === 0}
          onClick={() => {
            setChangedSince(false);
            apply.mutate(plan);
          }}
        >
          {words.apply(plan.moves.length)}
        </Button>
      </Group>
    </Stack>
  );
}

function PrintButton() {
  const t = useT();
  return (
    <Button
      variant="subtle"
      leftSection={<IconPrinter size={16} aria-hidden />}
      onClick={() => window.print()}
      className={classes.print}
    >
      {t.schedule.move.print}
    </Button>
  );
}

type People = Map<number, Appointment>;

function When({ at }: { at: SlotTime }) {
  const { language } = useLanguage();
  return (
    <span className={classes.time}>
      {formatDate(at.date, language)} <b>{at.startTime}</b>
    </span>
  );
}

function Person({ appointment: { patient, service } }: { appointment: Appointment }) {
  return (
    <>
      <span className={classes.name}>{nameOf(patient)}</span>
      <span className={classes.small}>
        HN {patient.hn} · <bdi>{formatPhone(patient.phone)}</bdi> · {service.name}
      </span>
    </>
  );
}

interface MoveTableProps {
  closureId: number;
  plan: MovePlan;
  people: People;
  disabled: boolean;
  onPlan: (plan: MovePlan) => void;
}

function MoveTable({ closureId, plan, people, disabled, onPlan }: MoveTableProps) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.schedule.move;
  return (
    <table className={classes.table} aria-label={words.table}>
      <thead>
        <tr>
          <th scope="col">{words.patient}</th>
          <th scope="col">{words.from}</th>
          <th scope="col">{words.to}</th>
        </tr>
      </thead>
      <tbody>
        {plan.moves.map(({ appointmentId, to, chosen, was }) => {
          const appointment = people.get(appointmentId);
          if (!appointment) return null;
          return (
            <tr key={appointmentId} data-changed={was !== undefined || undefined}>
              <td>
                <Person appointment={appointment} />
              </td>
              <td data-label={words.from}>
                <When at={appointment} />
              </td>
              <td data-label={words.to}>
                <div className={classes.to}>
                  <span>
                    <IconArrowRight size={13} className={classes.arrow} aria-hidden /> <When at={to} />
                    {chosen && <span className={classes.small}> {words.chosen}</span>}
                    {was && (
                      <span className={classes.was}>
                        <IconAlertTriangle size={12} aria-hidden />{' '}
                        {words.replanned(`${formatDate(was.date, language)} ${was.startTime}`)}
                      </span>
                    )}
                  </span>
                  <ChangeTime
                    closureId={closureId}
                    plan={plan}
                    people={people}
                    appointment={appointment}
                    label={words.change}
                    name={words.changeOf(nameOf(appointment.patient))}
                    disabled={disabled}
                    onPlan={onPlan}
                  />
                </div>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface ChangeTimeProps extends MoveTableProps {
  appointment: Appointment;
  label: string;
  name: string;
}

/** Another time for one person; the server says at once whether it can be. */
function ChangeTime({
  closureId,
  plan,
  people,
  appointment,
  label,
  name,
  disabled,
  onPlan,
}: ChangeTimeProps) {
  const t = useT();
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        className={classes.screenOnly}
        aria-label={name}
        disabled={disabled}
        onClick={() => setOpened(true)}
      >
        {label}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={name} centered size="sm">
        <TimeChooser
          closureId={closureId}
          plan={plan}
          people={people}
          appointment={appointment}
          onCancel={() => setOpened(false)}
          onPlan={(next) => {
            setOpened(false);
            onPlan(next);
          }}
          cancelLabel={t.action.cancel}
        />
      </Modal>
    </>
  );
}

interface TimeChooserProps extends Omit<ChangeTimeProps, 'label' | 'name' | 'disabled'> {
  cancelLabel: string;
  onCancel: () => void;
}

function TimeChooser({
  closureId,
  plan,
  people,
  appointment,
  cancelLabel,
  onCancel,
  onPlan,
}: TimeChooserProps) {
  const t = useT();
  const words = t.schedule.move;
  const current = plan.moves.find(({ appointmentId }) => appointmentId === appointment.id)?.to;
  const [date, setDate] = useState<string | null>(current?.date ?? addDays(appointment.date, 1));
  const [start, setStart] = useState('');
  const slots = useQuery({
    ...slotsQuery(appointment.serviceId, date ?? '', date ?? ''),
    enabled: date !== null,
    placeholderData: undefined,
  });
  const services = new Map([...people].map(([id, { serviceId }]) => [id, serviceId]));
  const free = (slots.data?.days[0]?.slots ?? []).flatMap(({ startTime, available }) => {
    const at = { date: date ?? '', startTime };
    const left = seatsLeft(plan, services, appointment.serviceId, at, available);
    return left > 0 ? [{ startTime, left }] : [];
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (to: SlotTime) => {
      const others = plan.moves.filter(({ appointmentId }) => appointmentId !== appointment.id);
      const moves = [...others, { appointmentId: appointment.id, to }].map((move) => ({
        appointmentId: move.appointmentId,
        to: move.to,
      }));
      const chosen = chosenOf(plan).set(appointment.id, to);
      return planOf(await previewMoves(closureId, moves), chosen);
    },
    onSuccess: onPlan,
  });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (date && start && !isPending) mutate({ date, startTime: start });
      }}
    >
      <Stack gap="sm">
        <ThaiDateInput
          label={words.date}
          value={date}
          minDate={hospitalToday()}
          onChange={(day) => {
            setDate(day);
            setStart('');
          }}
          data-autofocus
        />
        {slots.error && <ErrorAlert error={slots.error} onRetry={slots.refetch} />}
        <NativeSelect
          label={words.slot}
          value={start}
          disabled={free.length === 0}
          description={slots.data && free.length === 0 ? words.noFree : undefined}
          onChange={({ currentTarget: { value } }) => setStart(value)}
        >
          <option value="">{words.chooseSlot}</option>
          {free.map(({ startTime, left }) => (
            <option key={startTime} value={startTime}>
              {words.slotFree(startTime, left)}
            </option>
          ))}
        </NativeSelect>
        {error && <ErrorAlert error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {cancelLabel}
          </Button>
          <Button type="submit" loading={isPending} disabled={!start}>
            {words.use}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Who has to be called, with the number to call. */
function CallList({ people, chooser }: { people: Appointment[]; chooser?: (one: Appointment) => ReactNode }) {
  const t = useT();
  const words = t.schedule.move;
  return (
    <section aria-label={words.callList}>
      <Text fw={600}>
        <IconPhone size={15} aria-hidden /> {words.unplaced(people.length)}
      </Text>
      <Text size="sm" c="dimmed">
        {words.unplacedHint}
      </Text>
      <table className={classes.table} aria-label={words.callList}>
        <thead>
          <tr>
            <th scope="col">{words.patient}</th>
            <th scope="col">{words.phone}</th>
            <th scope="col">{words.from}</th>
            {chooser && <td className={classes.screenOnly} />}
          </tr>
        </thead>
        <tbody>
          {people.map((one) => (
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
              {chooser && <td className={classes.screenOnly}>{chooser(one)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Outcome({ result, people, onDone }: { result: Result; people: People; onDone: () => void }) {
  const t = useT();
  const words = t.schedule.move;
  return (
    <Stack gap="sm">
      <Alert role="status" color="green" variant="light" p="xs" icon={<IconCheck aria-hidden />}>
        <Text size="sm" fw={600}>
          {words.done(result.moved.length)}
        </Text>
        {result.unplaced.length === 0 && <Text size="sm">{words.doneHint}</Text>}
      </Alert>
      <table className={classes.table} aria-label={words.table}>
        <thead>
          <tr>
            <th scope="col">{words.patient}</th>
            <th scope="col">{words.from}</th>
            <th scope="col">{words.to}</th>
          </tr>
        </thead>
        <tbody>
          {result.moved.map(({ appointmentId, to }) => {
            const appointment = people.get(appointmentId);
            return (
              appointment && (
                <tr key={appointmentId}>
                  <td>
                    <Person appointment={appointment} />
                  </td>
                  <td data-label={words.from}>
                    <When at={appointment} />
                  </td>
                  <td data-label={words.to}>
                    <When at={to} />
                  </td>
                </tr>
              )
            );
          })}
        </tbody>
      </table>
      {result.unplaced.length > 0 && <CallList people={result.unplaced} />}
      <Group justify="flex-end" gap="xs" className={classes.footer}>
        <PrintButton />
        <Button onClick={onDone} data-autofocus>
          {words.finish}
        </Button>
      </Group>
    </Stack>
  );
}
