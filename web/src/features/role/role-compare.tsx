import { Button, Switch, Text } from '@mantine/core';
import { IconCheck, IconEqual, IconMinus } from '@tabler/icons-react';
import { useState } from 'react';
import type { PermissionInfo } from '@/entities/role/api';
import { useLanguage, useT } from '@/i18n/provider';
import { EmptyState } from '@/ui/empty-state';
import print from '@/ui/print.module.css';
import { TextLink } from '@/ui/text-link';
import type { Role } from './api';
import { groupsOf, permissionLabel } from './draft';
import classes from './role.module.css';

/** How many roles fit side by side on a portrait page. */
const ROLES_PER_PAGE = 9;

/** A read-only table of all roles and permissions. */
export function RoleCompare({ roles, catalogue }: { roles: Role[]; catalogue: readonly PermissionInfo[] }) {
  const t = useT();
  const { language } = useLanguage();
  const [onlyDifferences, setOnlyDifferences] = useState(false);
  const differs = ({ name }: PermissionInfo) =>
    new Set(roles.map((role) => role.permissions.includes(name))).size > 1;
  const groups = groupsOf(onlyDifferences ? catalogue.filter(differs) : catalogue, language);
  return (
    <>
      <Switch
        className={print.screen}
        mb="sm"
        label={t.role.onlyDifferences}
        checked={onlyDifferences}
        onChange={(event) => setOnlyDifferences(event.currentTarget.checked)}
      />
      {groups.length === 0 ? (
        <EmptyState
          icon={IconEqual}
          title={t.role.noDifferences}
          action={<Button onClick={() => setOnlyDifferences(false)}>{t.role.showAll}</Button>}
        />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
        <section className={classes.compare} tabIndex={0} aria-label={t.role.compare}>
          <table data-wide-paper={roles.length > ROLES_PER_PAGE || undefined}>
            <thead>
              <tr>
                <th scope="col">{t.role.permission}</th>
                {roles.map((role) => (
                  <th key={role.id} scope="col">
                    <TextLink to="/app/user-management" search={{ tab: 'roles', role: role.id }}>
                      {role.label}
                    </TextLink>
                    <Text size="xs" c="dimmed" className="tabular">
                      {role.permissions.length}/{catalogue.length}
                    </Text>
                  </th>
                ))}
              </tr>
            </thead>
            {groups.map((group) => (
              <tbody key={group.key}>
                <tr>
                  <th scope="rowgroup" colSpan={roles.length + 1}>
                    {group.label}
                  </th>
                </tr>
                {group.permissions.map((info) => (
                  <tr key={info.name}>
                    <th scope="row">
                      {permissionLabel(info, language)} <span className={classes.code}>{info.name}</span>
                    </th>
                    {roles.map((role) => (
                      <Mark key={role.id} has={role.permissions.includes(info.name)} />
                    ))}
                  </tr>
                ))}
              </tbody>
            ))}
          </table>
        </section>
      )}
    </>
  );
}

function Mark({ has }: { has: boolean }) {
  const t = useT();
  return (
    <td>
      {has ? (
        <IconCheck size={18} stroke={2.4} className={classes.yes} aria-hidden />
      ) : (
        <IconMinus size={14} className={classes.no} aria-hidden />
      )}
      <span className="heard">{has ? t.role.has : t.role.hasNot}</span>
    </td>
  );
}
