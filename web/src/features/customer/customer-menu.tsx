import { Menu } from '@mantine/core';
import { IconLock, IconLockOpen, IconPencil, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { RowMenu } from '@/ui/row-menu';
import type { Customer } from './api';
import { type CustomerActions, menuId } from './use-customer-actions';

/** The actions that the user may perform on a customer. */
export function CustomerMenu({ customer, actions }: { customer: Customer; actions: CustomerActions }) {
  const t = useT();
  const can = useCan();
  const mayUpdate = can('CUSTOMER.UPDATE');
  const mayDelete = can('CUSTOMER.DELETE');
  if (!mayUpdate && !mayDelete) return null;
  const active = customer.status === 'ACTIVE';
  const StatusIcon = active ? IconLock : IconLockOpen;
  return (
    <RowMenu
      id={menuId(customer)}
      label={t.customer.actionsOf(customer.name)}
      items={() => (
        <>
          {mayUpdate && (
            <>
              <Menu.Item
                renderRoot={(props) => (
                  <Link
                    from="/app/patient-management"
                    to="."
                    search={(search) => ({ ...search, customer: customer.id })}
                    {...props}
                  />
                )}
                leftSection={<IconPencil size={16} aria-hidden />}
              >
                {t.action.edit}
              </Menu.Item>
              <Menu.Item
                leftSection={<StatusIcon size={16} aria-hidden />}
                onClick={() => actions.setStatus(customer, active ? 'SUSPENDED' : 'ACTIVE')}
              >
                {active ? t.customer.suspend : t.customer.activate}
              </Menu.Item>
            </>
          )}
          {mayUpdate && mayDelete && <Menu.Divider />}
          {mayDelete && (
            <Menu.Item
              color="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => actions.remove.open(customer)}
            >
              {t.customer.delete}
            </Menu.Item>
          )}
        </>
      )}
    />
  );
}
