import { ActionIcon, Button, Drawer, Group, Menu, NumberInput, Stack, Text } from '@mantine/core';
import { IconCopy, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { currentOf } from '@/api/error';
import { type Service, serviceKeys } from '@/entities/service/api';
import { serviceName } from '@/entities/service/service-name';
import { useLanguage, useT } from '@/i18n/provider';
import { weekdayName } from '@/lib/thai-date';
import { ChangeList } from '@/ui/change-list';
import { ClockInput } from '@/ui/clock-input';
import { closeOnEscape } from '@/ui/close-on-escape';
import foot from '@/ui/drawer-foot.module.css';
import { ErrorAlert } from '@/ui/error-alert';
import { RecordConflict } from '@/ui/record-conflict';
import { ThaiDateInput } from '@/ui/thai-date-input';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useVersionedSave } from '@/ui/use-versioned-save';
import { useWrite } from '@/ui/use-write';
import { type ScheduleRow, scheduleKeys, updateHours } from './api';
import {
  copyTo,
  dayTexts,
  emptyRow,
  type Field,
  faultsOf,
  type HoursRow,
  hoursChanges,
  rowName,
  rowsOf,
  rowsOn,
  scheduleOf,
  tooMany,
  WEEKDAYS,
  weekdayFields,
  yieldOf,
} from './hours';
import classes from './hours.module.css';

const route = getRouteApi('/_signed-in/app/serviceSchedule');

/** The weekly hours of the service, opened by the address. */
export function HoursDrawer({ service }: { service: Service }) {
  const t = useT();
  const { language } = useLanguage();
  const { panel } = route.useSearch();
  const navigate = route.useNavigate();
  const close = () => void navigate({ search: ({ panel: _, ...search }) => search });
  return (
    <Drawer
      opened={panel === 'hours'}
      onClose={close}
      closeOnEscape={false}
      onKeyDown={closeOnEscape(close)}
      position="right"
      size={860}
      padding="md"
      title={t.schedule.weekly.title(serviceName(service, language))}
    >
      <HoursForm key={service.id} service={service} onDone={close} />
    </Drawer>
  );
}

/** Edits the rows. In a conflict each weekday is one field. */
function HoursForm({ service, onDone }: { service: Service; onDone: () => void }) {
  const t = useT();
  const { language } = useLanguage();
  const queryClient = useQueryClient();
  const words = t.schedule.weekly;
  const [base, setBase] = useState(service);
  const [rows, setRows] = useState(() => rowsOf(service.schedule));
  const [shown, setShown] = useState(false);
  const saved = useRef(false);
  const faults = faultsOf(t, language, rows);
  const changes = hoursChanges(t, language, base.schedule, scheduleOf(rows));

  const versioned = useVersionedSave({
    valuesOf: ({ schedule }: Service) => schedule,
    fields: weekdayFields(t, language),
    changeOf: ({ id, version }, schedule: ScheduleRow[]) => ({ id, version, schedule }),
    update: updateHours,
    onSettled: (theirs, schedule, resend) => {
      setBase(theirs);
      setRows(rowsOf(schedule));
      if (resend) mutate({ from: theirs, schedule });
    },
  });
  const { mutate, isPending, error } = useWrite({
    mutationFn: ({ from, schedule }: { from: Service; schedule: ScheduleRow[] }) =>
      versioned.save(from, schedule),
    onSuccess: () => {
      showDone(words.saved(serviceName(service, language)));
      saved.current = true;
      void queryClient.invalidateQueries({ queryKey: serviceKeys.all });
      void queryClient.invalidateQueries({ queryKey: scheduleKeys.slots });
      onDone();
    },
    onError: (failure, { from, schedule }) => versioned.onError(failure, from, schedule),
  });
  const save = () => {
    setShown(true);
    if (isPending || faults.size > 0 || tooMany(rows)) return;
    mutate({ from: base, schedule: scheduleOf(rows) });
  };
  const change = (key: string, part: Partial<HoursRow>) =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const shownError = currentOf<Service>(error) ? null : error;
  return (
    <form
      noValidate
      aria-label={words.title(serviceName(service, language))}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {words.text}
        </Text>
        {WEEKDAYS.map((weekday) => (
          <Weekday
            key={weekday}
            weekday={weekday}
            rows={rows}
            faultOf={(row, field) => faultShown(faults.get(row.key)?.[field], row, field, shown)}
            onChange={change}
            onAdd={() => setRows([...rows, emptyRow(weekday, rows, service)])}
            onRemove={(key) => setRows(rows.filter((row) => row.key !== key))}
            onCopy={(row, to) => setRows(copyTo(rows, row, to))}
          />
        ))}
        <section className={foot.foot} aria-label={words.changes}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" fw={600} role="status">
              {faults.size > 0 && shown
                ? words.toFix
                : tooMany(rows)
                  ? words.tooMany
                  : changes.length > 0
                    ? words.changes
                    : words.nothingChanged}
            </Text>
            <Group gap="xs">
              <Button variant="default" onClick={onDone}>
                {t.action.back}
              </Button>
              <Button type="submit" loading={isPending} disabled={changes.length === 0}>
                {words.save}
              </Button>
            </Group>
          </Group>
          {changes.length > 0 && faults.size === 0 && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it has to be reachable by keyboard.
            <section className={classes.changes} tabIndex={0} aria-label={words.changes}>
              <ChangeList changes={changes} />
            </section>
          )}
          {shownError && <ErrorAlert error={shownError} />}
        </section>
      </Stack>
      <RecordConflict
        conflict={versioned.conflict}
        label={(day) => weekdayName(Number(day), language)}
        textsOf={(schedule) => withClosedDays(dayTexts(t, language, schedule), words.closedDay)}
      />
      <UnsavedGuard
        unsaved={() => !saved.current && changes.length > 0}
        leaves={(from, to) => formIn(from) !== formIn(to)}
      />
    </form>
  );
}

const formIn = ({ panel, service }: { panel?: unknown; service?: unknown }) => `${panel} ${service}`;

/** An empty input is an error only after the first attempt to save; a wrong value at once. */
function faultShown(fault: string | undefined, row: HoursRow, field: Field, tried: boolean) {
  return row[field] === '' && !tried ? undefined : fault;
}

/** The texts of all weekdays; those without hours are closed. */
function withClosedDays(texts: Record<string, string>, closed: string): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([day, text]) => [day, text || closed]));
}

interface WeekdayProps {
  weekday: number;
  rows: HoursRow[];
  faultOf: (row: HoursRow, field: Field) => string | undefined;
  onChange: (key: string, part: Partial<HoursRow>) => void;
  onAdd: () => void;
  onRemove: (key: string) => void;
  onCopy: (row: HoursRow, weekdays: number[]) => void;
}

function Weekday({ weekday, rows, faultOf, onChange, onAdd, onRemove, onCopy }: WeekdayProps) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.schedule.weekly;
  const day = weekdayName(weekday, language);
  const here = rowsOn(rows, weekday);
  return (
    <fieldset className={classes.weekday}>
      <legend className={classes.legend}>{day}</legend>
      {here.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.closedDay}
        </Text>
      )}
      {here.map((row) => (
        <Row
          key={row.key}
          row={row}
          name={rowName(t, language, rows, row)}
          faultOf={(field) => faultOf(row, field)}
          onChange={(part) => onChange(row.key, part)}
          onRemove={() => onRemove(row.key)}
          onCopy={(weekdays) => onCopy(row, weekdays)}
        />
      ))}
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconPlus size={14} aria-hidden />}
        aria-label={words.addRow(day)}
        onClick={onAdd}
      >
        {words.add}
      </Button>
    </fieldset>
  );
}

interface RowProps {
  row: HoursRow;
  name: string;
  faultOf: (field: Field) => string | undefined;
  onChange: (part: Partial<HoursRow>) => void;
  onRemove: () => void;
  onCopy: (weekdays: number[]) => void;
}

function Row({ row, name, faultOf, onChange, onRemove, onCopy }: RowProps) {
  const t = useT();
  const words = t.schedule.weekly;
  const gives = yieldOf(row);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset inside a fieldset, without a legend to show.
    <div role="group" aria-label={name} className={classes.row}>
      <ClockInput
        label={words.start}
        className={classes.clock}
        value={row.startTime}
        error={faultOf('startTime')}
        onChange={(startTime) => onChange({ startTime })}
      />
      <ClockInput
        label={words.end}
        className={classes.clock}
        value={row.endTime}
        error={faultOf('endTime')}
        onChange={(endTime) => onChange({ endTime })}
      />
      <NumberInput
        label={words.minutes}
        className={classes.number}
        hideControls
        allowDecimal={false}
        allowNegative={false}
        value={row.slotMinutes}
        error={faultOf('slotMinutes')}
        onChange={(slotMinutes) => onChange({ slotMinutes })}
      />
      <NumberInput
        label={words.capacity}
        className={classes.number}
        hideControls
        allowDecimal={false}
        allowNegative={false}
        value={row.capacity}
        error={faultOf('capacity')}
        onChange={(capacity) => onChange({ capacity })}
      />
      <ThaiDateInput
        label={words.validFrom}
        className={classes.date}
        placeholder={words.always}
        value={row.validFrom}
        onChange={(validFrom) => onChange({ validFrom })}
      />
      <ThaiDateInput
        label={words.validTo}
        className={classes.date}
        placeholder={words.always}
        value={row.validTo}
        error={faultOf('validTo')}
        onChange={(validTo) => onChange({ validTo })}
      />
      <div className={classes.tools}>
        <CopyMenu name={name} row={row} onCopy={onCopy} />
        <ActionIcon
          variant="subtle"
          color="red"
          c="var(--mantine-color-error)"
          size="lg"
          aria-label={words.remove(name)}
          onClick={onRemove}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </div>
      {gives && (
        <Text size="xs" c="dimmed" className={classes.gives}>
          {words.slots(gives.slots, gives.seats)}
        </Text>
      )}
    </div>
  );
}

function CopyMenu({ name, row, onCopy }: Pick<RowProps, 'name' | 'row' | 'onCopy'>) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.schedule.weekly;
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={words.copy(name)}>
          <IconCopy size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onCopy([1, 2, 3, 4, 5])}>{words.copyWeekdays}</Menu.Item>
        <Menu.Item onClick={() => onCopy(WEEKDAYS)}>{words.copyEveryDay}</Menu.Item>
        <Menu.Divider />
        {WEEKDAYS.filter((weekday) => weekday !== row.weekday).map((weekday) => (
          <Menu.Item key={weekday} onClick={() => onCopy([weekday])}>
            {weekdayName(weekday, language)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
