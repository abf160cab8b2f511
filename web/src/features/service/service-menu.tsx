import { ActionIcon, Menu } from '@mantine/core';
import {
  IconCalendarTime,
  IconCircleCheck,
  IconCircleOff,
  IconCopy,
  IconDeviceTv,
  IconDots,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Service } from '@/entities/service/api';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { menuId, type ServiceActions } from './use-service-actions';

/** The actions that the user may perform on a service. */
export function ServiceMenu({ service, actions }: { service: Service; actions: ServiceActions }) {
  const t = useT();
  const can = useCan();
  const { id, name, active } = service;
  const StateIcon = active ? IconCircleOff : IconCircleCheck;
  if (
    !can('SERVICE_CONFIG.UPDATE', 'SERVICE_CONFIG.CREATE', 'SERVICE_CONFIG.DELETE', 'SERVICE_SCHEDULE.SHOW')
  ) {
    return null;
  }
  return (
    <Menu position="bottom-end" shadow="md" returnFocus>
      <Menu.Target>
        <ActionIcon
          id={menuId(service)}
          variant="subtle"
          color="gray"
          size={28}
          aria-label={t.service.actionsOf(name)}
        >
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {can('SERVICE_CONFIG.UPDATE') && (
          <Menu.Item
            renderRoot={(props) => (
              <Link
                from="/app/global-config"
                to="."
                search={(search) => ({ ...search, service: id })}
                {...props}
              />
            )}
            leftSection={<IconPencil size={16} aria-hidden />}
          >
            {t.action.edit}
          </Menu.Item>
        )}
        {can('SERVICE_SCHEDULE.SHOW') && (
          <Menu.Item
            renderRoot={(props) => <Link to="/app/serviceSchedule" search={{ service: id }} {...props} />}
            leftSection={<IconCalendarTime size={16} aria-hidden />}
          >
            {t.service.hours}
          </Menu.Item>
        )}
        {can('SERVICE_CONFIG.CREATE') && (
          <Menu.Item
            renderRoot={(props) => (
              <Link
                from="/app/global-config"
                to="."
                search={(search) => ({ ...search, service: 'new' as const, copy: id })}
                {...props}
              />
            )}
            leftSection={<IconCopy size={16} aria-hidden />}
          >
            {t.service.copy}
          </Menu.Item>
        )}
        {can('SERVICE_CONFIG.UPDATE') && (
          <Menu.Item
            leftSection={<IconDeviceTv size={16} aria-hidden />}
            onClick={() => actions.displays.open(service)}
          >
            {t.display.manage}
          </Menu.Item>
        )}
        {can('SERVICE_CONFIG.UPDATE') && (
          <Menu.Item
            leftSection={<StateIcon size={16} aria-hidden />}
            onClick={() => actions.setActive(service, !active)}
          >
            {active ? t.service.deactivate : t.service.activate}
          </Menu.Item>
        )}
        {can('SERVICE_CONFIG.DELETE') && (
          <>
            <Menu.Divider />
            <Menu.Item
              color="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => actions.remove.open(service)}
            >
              {t.service.delete}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
