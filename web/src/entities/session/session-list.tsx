import { Badge, Button, Group, Text } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import type { components } from '@/api/schema';
import { useT } from '@/i18n/provider';
import { describeDevice } from '@/lib/user-agent';
import { RelativeTime } from '@/ui/relative-time';
import classes from './session-list.module.css';

export type Session = components['schemas']['Session'];

interface SessionListProps {
  label: string;
  sessions: Session[];
  /** Ends a session; without it the list is read-only. */
  onEnd?: (session: Session) => void;
  ending?: boolean;
}

/** The sessions of a user, by device. */
export function SessionList({ label, sessions, onEnd, ending }: SessionListProps) {
  const t = useT();
  return (
    <ul className={classes.list} aria-label={label}>
      {sessions.map((session) => {
        const device = describeDevice(session.userAgent);
        const Icon = device.kind === 'phone' ? IconDeviceMobile : IconDeviceDesktop;
        const name = t.session.device(device.browser, device.system);
        return (
          // Sessions of other users have no id.
          <li key={session.id || `${session.createdAt} ${session.addr}`} className={classes.item}>
            <Icon size={22} stroke={1.6} aria-hidden className={classes.icon} />
            <div className={classes.text}>
              <Group gap="xs">
                <Text fw={500} size="sm">
                  {name}
                </Text>
                {session.current && (
                  <Badge variant="light" size="sm" radius="sm" tt="none">
                    {t.session.current}
                  </Badge>
                )}
              </Group>
              <Text size="xs" c="dimmed" component="div" className={classes.when}>
                <bdi>{session.addr}</bdi> · {t.session.since} <RelativeTime at={session.createdAt} /> ·{' '}
                {t.session.lastSeen} <RelativeTime at={session.lastSeenAt} />
              </Text>
            </div>
            {onEnd && !session.current && (
              <Button
                variant="default"
                size="compact-sm"
                disabled={ending}
                aria-label={t.session.endNamed(name, session.addr)}
                onClick={() => onEnd(session)}
              >
                {t.session.end}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
