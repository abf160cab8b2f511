import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { IconLock, IconLockOpen, IconRotate } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { ApiError } from '@/api/error';
import type { Service } from '@/entities/service/api';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { formatDateRange, formatLongDate } from '@/lib/thai-date';
import { Confirm } from '@/ui/confirm';
import { ErrorAlert } from '@/ui/error-alert';
import { LinkButton } from '@/ui/link-button';
import { useWrite } from '@/ui/use-write';
import type { Closure } from './api';
import { useCapacity } from './use-capacity';
import type { Cell, Week } from './week';
import { loadText } from './week-grid';

const MAX_CAPACITY = 1000;

interface SlotEditorProps {
  service: Service;
  week: Week;
  /** The cells that are selected in the grid. */
  cells: Cell[];
  /** The closure of the cell, if there is only one. */
  closure: Closure | undefined;
  onCloseTimes: () => void;
  onOpenAgain: (closure: Closure) => void;
  onDone: () => void;
}

/** A change to fewer seats than are booked, which has to be confirmed. */
interface Below {
  /** The value to send; null restores the weekly hours. */
  capacity: number | null;
  /** The capacity of a slot after the change. */
  newCapacity: number;
  booked: number;
  slots: number;
}

/** Changes the capacity of one or several slots, links to their appointments, and closes them. */
export function SlotEditor({ opened, ...body }: SlotEditorProps & { opened: boolean }) {
  const t = useT();
  const { language } = useLanguage();
  const { cells } = body;
  const [one] = cells;
  const dates = cells.map(({ date }) => date).sort();
  const title =
    cells.length === 1 && one
      ? t.schedule.editor.one(formatLongDate(one.date, language), one.startTime, one.endTime)
      : t.schedule.editor.manyOf(cells.length, formatDateRange(dates[0] ?? '', dates.at(-1) ?? '', language));
  return (
    <Modal opened={opened} onClose={body.onDone} title={title} centered returnFocus={false}>
      <EditorBody {...body} />
    </Modal>
  );
}

const isChangeable = ({ load, slot }: Cell) => slot !== null && load !== 'past' && load !== 'closed';

function EditorBody({ service, week, cells, closure, onCloseTimes, onOpenAgain, onDone }: SlotEditorProps) {
  const t = useT();
  const can = useCan();
  const mayClose = can('SERVICE_SCHEDULE.UPDATE');
  const change = useCapacity(service.id, week);
  const changeable = cells.filter(isChangeable);
  const [one] = cells;
  const single = cells.length === 1 && one ? one : null;
  const capacities = new Set(changeable.map(({ slot }) => slot?.capacity ?? 0));
  const [typed, setTyped] = useState<number | string>(
    capacities.size === 1 ? ([...capacities][0] ?? '') : '',
  );
  const [fault, setFault] = useState(false);
  const [below, setBelow] = useState<Below | null>(null);
  const { mutate, isPending, error } = useWrite({
    mutationFn: (capacity: number | null) => change(changeable, capacity, false),
    onSuccess: onDone,
    onError: (failure, capacity) => {
      // A seat was booked while this was open, or the weekly hours have fewer seats. The server returns both numbers.
      if (failure instanceof ApiError && failure.code === 'CAPACITY_BELOW_BOOKED')
        setBelow({
          capacity,
          newCapacity: Number(failure.details.capacity),
          booked: Number(failure.details.booked),
          slots: 1,
        });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = typeof typed !== 'number' || !Number.isInteger(typed) || typed < 0 || typed > MAX_CAPACITY;
    setFault(wrong);
    if (wrong || isPending) return;
    const fuller = changeable.flatMap(({ slot }) => (slot && slot.booked > typed ? [slot.booked] : []));
    if (fuller.length === 0) mutate(typed);
    else setBelow({ capacity: typed, newCapacity: typed, booked: Math.max(...fuller), slots: fuller.length });
  };
  const overridden = changeable.some(({ slot }) => slot?.overridden);
  const shownError = error instanceof ApiError && error.code === 'CAPACITY_BELOW_BOOKED' ? null : error;
  const mayChange = can('SLOT.UPDATE_CAPACITY') && changeable.length > 0;
  return (
    <Stack gap="sm">
      {single && <SlotFacts cell={single} />}
      {mayChange && (
        <form onSubmit={submit} noValidate>
          <Group align="flex-start" gap="xs" wrap="nowrap">
            <NumberInput
              flex={1}
              label={single ? t.schedule.editor.capacity : t.schedule.editor.capacityEach}
              placeholder={capacities.size > 1 ? t.schedule.editor.mixed : undefined}
              description={
                changeable.length < cells.length
                  ? t.schedule.editor.someSkipped(cells.length - changeable.length)
                  : undefined
              }
              inputWrapperOrder={['label', 'input', 'error', 'description']}
              value={typed}
              onChange={(value) => {
                setTyped(value);
                setFault(false);
              }}
              error={fault && t.schedule.editor.capacityInvalid}
              min={0}
              max={MAX_CAPACITY}
              clampBehavior="none"
              allowDecimal={false}
              allowNegative={false}
              data-autofocus
              // Selected at once, so that typing replaces the number: the focus event of the input comes later.
              onFocusCapture={(event) => event.currentTarget.select()}
            />
            <Button type="submit" loading={isPending} mt={25}>
              {t.schedule.editor.save}
            </Button>
          </Group>
        </form>
      )}
      {shownError && <ErrorAlert error={shownError} />}
      <Group gap="xs">
        {mayChange && overridden && (
          <Button
            variant="default"
            leftSection={<IconRotate size={16} aria-hidden />}
            disabled={isPending}
            onClick={() => mutate(null)}
          >
            {t.schedule.editor.toDefault}
          </Button>
        )}
        {mayClose && closure && (
          <Button
            variant="default"
            leftSection={<IconLockOpen size={16} aria-hidden />}
            onClick={() => onOpenAgain(closure)}
          >
            {t.schedule.editor.open}
          </Button>
        )}
        {mayClose && changeable.length > 0 && (
          <Button variant="default" leftSection={<IconLock size={16} aria-hidden />} onClick={onCloseTimes}>
            {single ? t.schedule.editor.close : t.schedule.editor.closeMany}
          </Button>
        )}
      </Group>
      <BookedLink service={service} cells={cells} />
      <Confirm
        opened={below !== null}
        onClose={() => setBelow(null)}
        title={t.schedule.editor.belowTitle}
        confirmLabel={t.schedule.editor.belowConfirm}
        onConfirm={async () => {
          if (!below) return;
          await change(changeable, below.capacity, true);
          onDone();
        }}
      >
        {below && (
          <Text size="sm">
            {below.slots > 1
              ? t.schedule.editor.belowMany(below.slots, below.booked, below.newCapacity)
              : t.schedule.editor.belowText(below.booked, below.newCapacity)}
          </Text>
        )}
      </Confirm>
    </Stack>
  );
}

function SlotFacts({ cell }: { cell: Cell }) {
  const t = useT();
  const { slot, load, reason } = cell;
  const facts = [
    slot && t.schedule.booked(slot.booked, slot.capacity),
    load === 'closed' && reason ? t.schedule.closedFor(reason) : loadText(t, cell),
    slot && slot.waitlisted > 0 && t.schedule.waiting(slot.waitlisted),
  ].filter(Boolean);
  return (
    <div>
      <Text size="sm" fw={500}>
        {facts.join(' · ')}
      </Text>
      {slot?.overridden && (
        <Text size="xs" c="dimmed">
          {t.schedule.editor.toDefaultHint}
        </Text>
      )}
      {load === 'past' && (
        <Text size="xs" c="dimmed">
          {t.schedule.editor.pastOnly}
        </Text>
      )}
      {load === 'closed' && (
        <Text size="xs" c="dimmed">
          {t.schedule.editor.closedOnly}
        </Text>
      )}
    </div>
  );
}

/** A link to the appointments of the selected days. */
function BookedLink({ service, cells }: { service: Service; cells: Cell[] }) {
  const t = useT();
  const mayList = useCan()('APPOINTMENT.SHOW');
  const booked = cells.reduce((sum, { slot }) => sum + (slot?.booked ?? 0), 0);
  const dates = cells.map(({ date }) => date).sort();
  if (booked === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t.schedule.editor.nobody}
      </Text>
    );
  }
  if (!mayList) return null;
  return (
    <LinkButton
      to="/app/appointment/list"
      search={{ from: dates[0], to: dates.at(-1), service: service.id }}
      variant="light"
    >
      {t.schedule.editor.seeBooked(booked)}
    </LinkButton>
  );
}
