import { Alert, Button, Menu, Modal, Stack, Text, Textarea } from '@mantine/core';
import { IconChevronUp } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Appointment, type AppointmentStatus, appointmentKeys } from '@/entities/appointment/api';
import { orderedStatuses } from '@/entities/appointment/status-order';
import { type StatusActions, undoOf } from '@/entities/appointment/use-status-actions';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { ErrorAlert } from '@/ui/error-alert';
import print from '@/ui/print.module.css';
import { dismissUndo, showDone } from '@/ui/toast';
import { useDialog } from '@/ui/use-dialog';
import { useWrite } from '@/ui/use-write';
import { type BulkMarked, markSeveral } from './api';
import classes from './list.module.css';

/** The statuses that are allowed for all rows, cancelling last. */
function commonStatuses(rows: Appointment[]): AppointmentStatus[] {
  const [first] = rows;
  if (!first) return [];
  return orderedStatuses(first).filter((status) =>
    rows.every(({ allowedStatuses }) => allowedStatuses.includes(status)),
  );
}

interface BulkBarProps {
  rows: Appointment[];
  onClear: () => void;
  onFreed: StatusActions['seatsFreed'];
}

/** Sets one status for several appointments, and lists those that cannot be changed. */
export function BulkBar({ rows, onClear, onFreed }: BulkBarProps) {
  const t = useT();
  const words = t.appointment.list;
  const dialog = useDialog<AppointmentStatus>();
  const choices = commonStatuses(rows);
  /** After a change: the appointments whose seats are free now. */
  const freed = useRef<Appointment[]>(null);
  const close = () => {
    dialog.close();
    if (!freed.current) return;
    onClear();
    void onFreed(freed.current);
  };
  return (
    <div className={`${classes.bulk} ${print.screen}`} role="status">
      <Text size="sm" fw={600}>
        {words.selected(rows.length)}
      </Text>
      <Menu position="top-start" shadow="md">
        <Menu.Target>
          <Button size="compact-md" rightSection={<IconChevronUp size={14} aria-hidden />}>
            {words.markAll}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {choices.map((status) => (
            <Menu.Item key={status} onClick={() => dialog.open(status)}>
              {t.appointment.statuses[status]}
            </Menu.Item>
          ))}
          {choices.length === 0 && <Menu.Label>{words.bulkNone}</Menu.Label>}
        </Menu.Dropdown>
      </Menu>
      <Button size="compact-md" variant="default" onClick={onClear}>
        {words.clearSelection}
      </Button>
      <Modal
        opened={dialog.opened}
        onClose={close}
        title={dialog.subject && words.bulkTitle(t.appointment.statuses[dialog.subject], rows.length)}
        centered
        returnFocus={false}
      >
        {dialog.subject && (
          <BulkForm
            rows={rows}
            status={dialog.subject}
            onMarked={(now) => {
              freed.current = now;
            }}
            onClose={close}
          />
        )}
      </Modal>
    </div>
  );
}

interface BulkFormProps {
  rows: Appointment[];
  status: AppointmentStatus;
  onMarked: (freed: Appointment[]) => void;
  onClose: () => void;
}

function BulkForm({ rows, status, onMarked, onClose }: BulkFormProps) {
  const t = useT();
  const words = t.appointment.list;
  const queryClient = useQueryClient();
  const [reason, setReason] = useState('');
  const [failed, setFailed] = useState<BulkMarked['failed']>([]);
  const { mutate, isPending, error } = useWrite({
    mutationFn: () =>
      markSeveral(
        rows.map(({ id }) => id),
        status,
        reason.trim(),
      ),
    onSuccess: (done) => {
      void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
      if (done.updated > 0) showDone(words.bulkDone(done.updated));
      for (const row of rows) dismissUndo(undoOf(row));
      const failures = new Set(done.failed.map(({ id }) => id));
      const marked = rows.filter(({ id }) => !failures.has(id));
      onMarked(status === 'CANCELLED' ? marked.filter(({ holdsSeat }) => holdsSeat) : []);
      setFailed(done.failed);
      if (done.failed.length === 0) onClose();
    },
  });
  const needsReason = rows.some(({ reasonStatuses }) => reasonStatuses.includes(status));
  const named = (id: number) => rows.find((row) => row.id === id);
  if (failed.length > 0) {
    return (
      <Stack gap="md">
        <Alert color="orange" role="alert" title={words.bulkFailed(failed.length)}>
          <ul className={classes.failed}>
            {failed.map(({ id, message }) => {
              const row = named(id);
              return (
                <li key={id}>
                  {row ? `${fullName(row.patient)} (${row.number})` : t.audit.numbered(id)}: {message}
                </li>
              );
            })}
          </ul>
        </Alert>
        <Button onClick={onClose}>{t.action.close}</Button>
      </Stack>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) mutate();
      }}
    >
      <Stack gap="md">
        <Text size="sm">{words.bulkText}</Text>
        <Textarea
          label={t.appointment.reason}
          withAsterisk={needsReason}
          required={needsReason}
          maxLength={300}
          rows={2}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {error && <ErrorAlert error={error} />}
        <Button type="submit" loading={isPending} color={status === 'CANCELLED' ? 'red' : undefined}>
          {words.bulkConfirm}
        </Button>
      </Stack>
    </form>
  );
}
