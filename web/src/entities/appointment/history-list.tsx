import { Drawer, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { allServicesQuery } from '@/entities/service/api';
import { serviceName } from '@/entities/service/service-name';
import { staffQuery } from '@/entities/user/api';
import { useLanguage, useT } from '@/i18n/provider';
import { formatDateTime } from '@/lib/thai-date';
import { ChangeList } from '@/ui/change-list';
import { ErrorAlert } from '@/ui/error-alert';
import { type Appointment, appointmentQuery, type HistoryEntry } from './api';
import { historyChanges, type Names } from './history';
import classes from './history-list.module.css';

/** The names of services and staff; their ids if unknown. */
export function useNames(): Names {
  const t = useT();
  const { language } = useLanguage();
  const { data: services = [] } = useQuery(allServicesQuery);
  const { data: staff = [] } = useQuery(staffQuery);
  const named = (list: { id: number; name: string }[]) => (id: number) =>
    list.find((one) => one.id === id)?.name ?? t.audit.numbered(id);
  return {
    t,
    language,
    service: named(services.map((one) => ({ id: one.id, name: serviceName(one, language) }))),
    staff: named(staff),
  };
}

/** The history of an appointment, newest first: time, user, changes, reason. */
export function HistoryList({ history }: { history: HistoryEntry[] }) {
  const names = useNames();
  const { t, language } = names;
  const words = t.appointment.history;
  return (
    <ol className={classes.history} aria-label={t.appointment.edit.history}>
      {history.toReversed().map((entry) => {
        const changes = historyChanges(names, entry);
        return (
          <li key={entry.id}>
            <div className={classes.historyTop}>
              <Text span size="sm" fw={600}>
                {words[entry.action]}
              </Text>
              <Text span size="sm" c="dimmed" className="tabular">
                {formatDateTime(entry.at, language)} · {entry.actorId ? entry.actor : words.system}
              </Text>
            </div>
            {changes.length > 0 && <ChangeList changes={changes} />}
            {entry.reason && <Text size="sm">{words.reason(entry.reason)}</Text>}
          </li>
        );
      })}
    </ol>
  );
}

interface HistoryDrawerProps {
  appointment: Appointment | null;
  opened: boolean;
  onClose: () => void;
}

export function HistoryDrawer({ appointment, opened, onClose }: HistoryDrawerProps) {
  const t = useT();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size="md"
      title={t.appointment.history.of(appointment?.number ?? '')}
      closeButtonProps={{ 'aria-label': t.app.close }}
    >
      {appointment && <History id={appointment.id} />}
    </Drawer>
  );
}

function History({ id }: { id: number }) {
  const { data, error, refetch } = useQuery(appointmentQuery(id));
  if (error && !data) return <ErrorAlert error={error} onRetry={refetch} />;
  return data ? <HistoryList history={data.history} /> : <Skeleton h={120} />;
}
