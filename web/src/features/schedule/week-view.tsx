import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconCalendarOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Service } from '@/entities/service/api';
import { serviceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { formatDateRange, formatDateTime, hospitalToday } from '@/lib/thai-date';
import { DaySwitcher } from '@/ui/day-switcher';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import { Legend, Swatch } from '@/ui/legend';
import { LinkButton } from '@/ui/link-button';
import print from '@/ui/print.module.css';
import { useDialog } from '@/ui/use-dialog';
import { useKeyboard } from '@/ui/use-keyboard';
import { usePhone } from '@/ui/use-phone';
import { type Closure, closuresQuery, slotsQuery } from './api';
import { ClosureDialog } from './closure-form';
import type { ClosureDraft } from './closure-values';
import { RemoveClosure } from './remove-closure';
import { SlotEditor } from './slot-editor';
import { cellsIn, closureOf, covers, type Load, type Selection, weekGrid, weekOf } from './week';
import { WeekGrid } from './week-grid';

const route = getRouteApi('/_signed-in/app/serviceSchedule');
const LOADS: Load[] = ['free', 'busy', 'full', 'over', 'closed', 'past'];

/** A week of a service with the load of each slot. Slots can be changed and closed. Phones show one day at a time. */
export function WeekView({ service, date }: { service: Service; date: string }) {
  const t = useT();
  const { language } = useLanguage();
  const can = useCan();
  const phone = usePhone();
  const view = useRef<HTMLDivElement>(null);
  const dates = weekOf(date);
  const [first = date, last = date] = [dates[0], dates.at(-1)];
  const slots = useQuery(slotsQuery(service.id, first, last));
  const closures = useQuery(closuresQuery(first, last, service.id));
  // Stays set while the editor closes, so that its text does not change before it is gone.
  const [chosen, setChosen] = useState<Selection | null>(null);
  const [editing, setEditing] = useState(false);
  const navigate = route.useNavigate();
  const move = (closureId: number) => void navigate({ search: (search) => ({ ...search, move: closureId }) });
  const closing = useDialog<ClosureDraft>();
  const removing = useDialog<Closure>();
  // The slots of the previous service must not be shown under the name of this one.
  const answer = slots.data?.serviceId === service.id ? slots.data : undefined;
  if (!answer) {
    if (slots.error) return <ErrorAlert error={slots.error} onRetry={slots.refetch} />;
    return <Skeleton h={420} role="status" aria-label={t.app.loading} />;
  }
  const whole = weekGrid(service, answer.days, closures.data ?? []);
  const week = phone ? { ...whole, days: whole.days.filter((day) => day.date === date) } : whole;
  const cells = chosen ? cellsIn(week, chosen) : [];
  const [cell] = cells;
  const closure =
    cells.length === 1 && cell?.load === 'closed'
      ? closures.data?.find((one) => covers(one, service.id, cell.date, cell.startTime, cell.endTime))
      : undefined;
  const finish = () => {
    setEditing(false);
    // After the dialog has released the focus: back to the cell.
    setTimeout(() => view.current?.querySelector<HTMLElement>('[role="grid"] [tabindex="0"]')?.focus());
  };
  const range = formatDateRange(first, last, language);
  return (
    <Stack gap="xs" ref={view}>
      {phone && (
        <DaySwitcher
          label={t.schedule.days}
          dates={dates}
          date={date}
          onChange={(day) => void navigate({ search: (search) => ({ ...search, date: day }), replace: true })}
        />
      )}
      {slots.error && <ErrorAlert error={slots.error} onRetry={slots.refetch} />}
      {week.times.length === 0 ? (
        <EmptyState
          icon={IconCalendarOff}
          title={t.schedule.noSlots}
          action={
            can('SERVICE_SCHEDULE.UPDATE') && (
              <LinkButton
                from="/app/serviceSchedule"
                to="."
                search={(search) => ({ ...search, panel: 'hours' as const })}
              >
                {t.schedule.hours}
              </LinkButton>
            )
          }
        >
          {t.schedule.noSlotsHint}
        </EmptyState>
      ) : (
        <>
          <WeekGrid
            // Another service or week starts with its first cell.
            key={`${service.id} ${week.days[0]?.date}`}
            week={week}
            today={hospitalToday()}
            label={t.schedule.grid(serviceName(service, language), range)}
            busy={slots.isPlaceholderData}
            onOpen={(selection) => {
              if (cellsIn(week, selection).length === 0) return;
              setChosen(selection);
              setEditing(true);
            }}
          />
          <LoadLegend updatedAt={formatDateTime(new Date(slots.dataUpdatedAt), language)} />
        </>
      )}
      <SlotEditor
        service={service}
        week={week}
        opened={editing}
        cells={cells}
        closure={closure}
        onDone={finish}
        onOpenAgain={(one) => {
          finish();
          removing.open(one);
        }}
        onCloseTimes={() => {
          if (chosen) closing.open({ ...closureOf(week, chosen), serviceId: service.id });
          setEditing(false);
        }}
      />
      <ClosureDialog dialog={closing} onMove={move} />
      <RemoveClosure dialog={removing} />
    </Stack>
  );
}

function LoadLegend({ updatedAt }: { updatedAt: string }) {
  const t = useT();
  const keyboard = useKeyboard();
  const can = useCan();
  const [capacity, hours] = [can('SLOT.UPDATE_CAPACITY'), can('SERVICE_SCHEDULE.UPDATE')];
  const rights = capacity
    ? hours
      ? keyboard
        ? t.schedule.hint.keys
        : t.schedule.hint.touch
      : t.schedule.capacityOnly
    : hours
      ? t.schedule.closuresOnly
      : t.schedule.readOnly;
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Legend label={t.schedule.legend}>
          {LOADS.map((load) => (
            <li key={load}>
              <Swatch data-load={load} />
              {t.schedule.loads[load]}
            </li>
          ))}
        </Legend>
        <Text size="xs" c="dimmed">
          {t.schedule.refreshed(updatedAt)}
        </Text>
      </Group>
      <Text size="xs" c="dimmed" className={print.screen}>
        {rights}
      </Text>
    </>
  );
}
