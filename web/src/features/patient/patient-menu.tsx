import { ActionIcon, Menu, type MenuItemProps } from '@mantine/core';
import { IconDots, IconHistory, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { createLink, useNavigate } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';
import { type Patient, patientKeys } from '@/entities/patient/api';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { ReasonDialog } from '@/ui/reason-dialog';
import { showDone } from '@/ui/toast';
import { useDialog } from '@/ui/use-dialog';
import { deletePatient } from './api';

const MENU_ID = 'patient-menu';

const MenuLink = createLink(
  (props: MenuItemProps & Omit<ComponentPropsWithRef<'a'>, keyof MenuItemProps>) => (
    <Menu.Item component="a" {...props} />
  ),
);

/** Less frequent actions; nothing if none of them is allowed. */
export function PatientMenu({ patient }: { patient: Patient }) {
  const t = useT();
  const can = useCan();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useDialog<Patient>(() => MENU_ID);
  const mayAudit = can('AUDIT.SHOW') && can('SIDEBAR.GLOBAL_CONFIG');
  if (!mayAudit && !can('PATIENT.DELETE')) return null;
  const name = fullName(patient);
  const confirmDelete = async (reason: string) => {
    await deletePatient(patient.id, reason);
    showDone(t.patient.deleted(name));
    await navigate({ to: '/app/patient-management', ignoreBlocker: true });
    queryClient.removeQueries({ queryKey: patientKeys.one(patient.id) });
    return queryClient.invalidateQueries({ queryKey: patientKeys.all });
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon id={MENU_ID} variant="default" size={36} aria-label={t.patient.more(name)}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayAudit && (
            <MenuLink
              to="/app/global-config"
              search={{ tab: 'audit', entity: 'patient', entityId: String(patient.id) }}
              leftSection={<IconHistory size={16} aria-hidden />}
            >
              {t.patient.audit}
            </MenuLink>
          )}
          {can('PATIENT.DELETE') && (
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => remove.open(patient)}
            >
              {t.patient.delete}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ReasonDialog
        opened={remove.opened}
        onClose={remove.close}
        title={t.patient.deleteTitle(name)}
        text={t.patient.deleteText(name, patient.hn)}
        confirmLabel={t.patient.delete}
        danger
        onConfirm={confirmDelete}
      />
    </>
  );
}
