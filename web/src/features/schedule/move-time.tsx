import { Button, Group, Modal, NativeSelect, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Appointment } from '@/entities/appointment/api';
import { isWalkIn } from '@/entities/appointment/walk-in';
import { useT } from '@/i18n/provider';
import { addDays, hospitalToday } from '@/lib/thai-date';
import { ErrorAlert } from '@/ui/error-alert';
import print from '@/ui/print.module.css';
import { ThaiDateInput } from '@/ui/thai-date-input';
import { previewMoves, type SlotTime, slotsQuery } from './api';
import { chosenOf, type MovePlan, planOf, seatsLeft } from './move-plan';

/** A plan while it is edited. */
export interface Planning {
  closureId: number;
  plan: MovePlan;
  people: Map<number, Appointment>;
  disabled: boolean;
  onPlan: (plan: MovePlan) => void;
}

interface ChangeTimeProps extends Planning {
  appointment: Appointment;
  label: string;
  name: string;
}

/** Chooses another time for one appointment; the server checks it at once. */
export function ChangeTime({
  closureId,
  plan,
  people,
  appointment,
  label,
  name,
  disabled,
  onPlan,
}: ChangeTimeProps) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        className={print.screen}
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
        />
      </Modal>
    </>
  );
}

interface TimeChooserProps extends Omit<ChangeTimeProps, 'label' | 'name' | 'disabled'> {
  onCancel: () => void;
}

function TimeChooser({ closureId, plan, people, appointment, onCancel, onPlan }: TimeChooserProps) {
  const t = useT();
  const words = t.schedule.move;
  const current = plan.moves.find(({ appointmentId }) => appointmentId === appointment.id)?.to;
  const [date, setDate] = useState<string | null>(current?.date ?? addDays(appointment.date, 1));
  const [start, setStart] = useState('');
  const slots = useQuery({
    ...slotsQuery(appointment.serviceId, date ?? '', date ?? '', isWalkIn(appointment)),
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
            {t.action.back}
          </Button>
          <Button type="submit" loading={isPending} disabled={!start}>
            {words.use}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
