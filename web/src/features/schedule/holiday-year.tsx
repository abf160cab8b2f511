import { Button, Checkbox, Group, Modal, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMayMoveClosed } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { formatDate, hospitalToday, shownYear } from '@/lib/thai-date';
import { thaiHolidays } from '@/lib/thai-holidays';
import foot from '@/ui/drawer-foot.module.css';
import { ErrorAlert } from '@/ui/error-alert';
import table from '@/ui/static-table.module.css';
import { ThaiDateInput } from '@/ui/thai-date-input';
import { showDone } from '@/ui/toast';
import { Turner } from '@/ui/turner';
import type { Dialog } from '@/ui/use-dialog';
import { useWrite } from '@/ui/use-write';
import { closuresQuery, createClosure, scheduleKeys } from './api';
import { isThere, type Planned, planOf, toAdd } from './holiday-plan';
import classes from './holidays.module.css';

/** A holiday that was added on a day with appointments. */
interface Booked {
  id: number;
  name: string;
  count: number;
}

interface HolidayYearProps {
  dialog: Dialog<number>;
  onMove: (closureId: number) => void;
}

/** The public holidays of a year, to be checked and added at once. */
export function HolidayYear({ dialog, onMove }: HolidayYearProps) {
  const t = useT();
  return (
    <Modal
      opened={dialog.opened}
      onClose={dialog.close}
      title={t.schedule.holidays.title}
      size="lg"
      returnFocus={false}
    >
      {dialog.subject && <YearBody start={dialog.subject} onDone={dialog.close} onMove={onMove} />}
    </Modal>
  );
}

interface YearBodyProps {
  start: number;
  onDone: () => void;
  onMove: (closureId: number) => void;
}

const planFor = (year: number) => planOf(thaiHolidays(year));

function YearBody({ start, onDone, onMove }: YearBodyProps) {
  const t = useT();
  const { language } = useLanguage();
  const queryClient = useQueryClient();
  const [year, setYear] = useState(start);
  const [plan, setPlan] = useState(() => planFor(start));
  const [progress, setProgress] = useState({ done: 0, total: 0 });
  const [booked, setBooked] = useState<Booked[]>([]);
  const inYear = closuresQuery(`${year}-01-01`, `${year}-12-31`);
  // Start without the choices of another year.
  const existing = useQuery({ ...inYear, placeholderData: undefined });
  const shown = shownYear(`${year}-01-01`, language);
  const words = t.schedule.holidays;
  const go = (to: number) => {
    setYear(to);
    setPlan(planFor(to));
    setBooked([]);
  };
  const { mutate, isPending, error } = useWrite({
    mutationFn: async () => {
      // Another user may have added some in the meantime.
      const now = await queryClient.fetchQuery({ ...inYear, staleTime: 0 });
      const missing = toAdd(plan, year, now);
      const found: Booked[] = [];
      for (const [done, { date, th, en }] of missing.entries()) {
        setProgress({ done, total: missing.length });
        // Patients see the name of a holiday: it is Thai.
        const { id, affected } = await createClosure({
          dateFrom: date,
          dateTo: date,
          kind: 'HOLIDAY',
          reason: th,
          serviceIds: [],
        });
        if (affected > 0) found.push({ id, name: language === 'th' ? th : en, count: affected });
      }
      return { count: missing.length, found };
    },
    onSuccess: ({ count, found }) => {
      showDone(count > 0 ? words.added(count, shown) : words.allThere(shown));
      setBooked(found);
      if (found.length === 0) onDone();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: scheduleKeys.all }),
  });
  const change = (key: string, part: Partial<Planned>) =>
    setPlan(plan.map((holiday) => (holiday.key === key ? { ...holiday, ...part } : holiday)));
  const count = existing.data ? toAdd(plan, year, existing.data).length : 0;
  if (booked.length > 0) return <BookedHolidays booked={booked} onDone={onDone} onMove={onMove} />;
  return (
    <Stack gap="sm">
      <Turner previous={words.previousYear} next={words.nextYear} onTurn={(step) => go(year + step)}>
        <Text fw={600} px="xs" role="status">
          {words.year} {shown}
        </Text>
      </Turner>
      <Text size="sm">{words.text}</Text>
      {existing.error && <ErrorAlert error={existing.error} onRetry={existing.refetch} />}
      {!existing.data && !existing.error && <Skeleton h={300} role="status" aria-label={t.app.loading} />}
      {existing.data && (
        <table className={`${table.table} ${classes.years}`}>
          <thead>
            <tr>
              <td />
              <th scope="col">{words.holiday}</th>
              <th scope="col">{words.date}</th>
            </tr>
          </thead>
          <tbody>
            {plan.map((holiday) => (
              <HolidayRow
                key={`${year} ${holiday.key}`}
                holiday={holiday}
                year={year}
                shown={shown}
                there={holiday.date !== null && isThere(holiday.date, existing.data)}
                onChange={(part) => change(holiday.key, part)}
              />
            ))}
          </tbody>
        </table>
      )}
      {error && <ErrorAlert error={error} />}
      <div className={foot.dialogFoot}>
        {isPending && (
          <Progress
            value={progress.total > 0 ? (100 * progress.done) / progress.total : 0}
            mb="xs"
            aria-label={words.adding(progress.done, progress.total)}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            {t.action.back}
          </Button>
          <Button loading={isPending} disabled={!existing.data || count === 0} onClick={() => mutate()}>
            {count > 0 ? words.add(count) : words.nothing}
          </Button>
        </Group>
      </div>
    </Stack>
  );
}

interface HolidayRowProps {
  holiday: Planned;
  year: number;
  shown: number;
  there: boolean;
  onChange: (part: Partial<Planned>) => void;
}

function HolidayRow({ holiday, year, shown, there, onChange }: HolidayRowProps) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.schedule.holidays;
  const name = language === 'th' ? holiday.th : holiday.en;
  const { date, chosen, moving } = holiday;
  const passed = date !== null && date < hospitalToday();
  return (
    <tr>
      <td>
        <Checkbox
          aria-label={date ? `${name} ${date.slice(8)}/${date.slice(5, 7)}` : name}
          checked={there || (chosen && date !== null)}
          disabled={there || date === null}
          onChange={({ currentTarget: { checked } }) => onChange({ chosen: checked })}
        />
      </td>
      <td>
        <Text size="sm" c={passed && !there ? 'dimmed' : undefined}>
          {name}
        </Text>
        {there ? (
          <span className={classes.note}>
            <IconCheck size={13} aria-hidden /> {words.exists}
          </span>
        ) : (
          moving && (
            <span className={classes.note}>
              <IconAlertTriangle size={13} aria-hidden /> {date ? words.toCheck : words.noDate}
            </span>
          )
        )}
      </td>
      <td>
        {there || !moving ? (
          <Text size="sm" className="tabular">
            {date && formatDate(date, language)}
          </Text>
        ) : (
          <ThaiDateInput
            aria-label={words.dateOf(name)}
            value={date}
            error={date && !date.startsWith(`${year}-`) ? words.wrongYear(shown) : undefined}
            onChange={(day) => onChange({ date: day, chosen: day !== null })}
          />
        )}
      </td>
    </tr>
  );
}

/** The added holidays that have appointments. */
function BookedHolidays({ booked, onDone, onMove }: { booked: Booked[] } & Omit<YearBodyProps, 'start'>) {
  const t = useT();
  const mayMove = useMayMoveClosed();
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600} role="status">
        {t.schedule.holidays.affected}
      </Text>
      <ul className={classes.affected}>
        {booked.map(({ id, name, count }) => (
          <li key={id} className={classes.item}>
            <span className={classes.what}>{t.schedule.holidays.affectedOf(name, count)}</span>
            {mayMove && (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={t.schedule.month.moveNamed(name)}
                onClick={() => {
                  onDone();
                  onMove(id);
                }}
              >
                {t.schedule.month.move}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Group justify="flex-end">
        <Button onClick={onDone}>{t.schedule.holidays.done}</Button>
      </Group>
    </Stack>
  );
}
