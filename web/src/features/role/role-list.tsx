import { Text } from '@mantine/core';
import { IconShieldLock } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { TextLink } from '@/ui/text-link';
import type { Role } from './api';
import classes from './role.module.css';

/** The roles: name, code, number of users and permissions. */
export function RoleList({ roles, openId }: { roles: Role[]; openId?: number }) {
  const t = useT();
  const can = useCan();
  return (
    <ul className={classes.roles} aria-label={t.role.list}>
      {roles.map((role) => (
        <li key={role.id} className={classes.role} data-open={role.id === openId || undefined}>
          <Link
            to="/app/user-management"
            search={{ tab: 'roles', role: role.id }}
            className={classes.roleLink}
            aria-current={role.id === openId ? 'true' : undefined}
          >
            {role.label}
          </Link>
          <div className={classes.facts}>
            <span>{role.name}</span>
            {role.system && (
              <span title={t.role.system}>
                <IconShieldLock
                  size={14}
                  role="img"
                  aria-label={t.role.system}
                  style={{ verticalAlign: '-2px' }}
                />
              </span>
            )}
          </div>
          <div className={classes.facts}>
            {can('USER.SHOW') ? (
              <TextLink
                to="/app/user-management"
                search={{ roleId: role.id }}
                className={classes.users}
                inherit
                aria-label={t.role.usersOf(role.label, role.userCount)}
              >
                {t.role.users(role.userCount)}
              </TextLink>
            ) : (
              <Text span inherit>
                {t.role.users(role.userCount)}
              </Text>
            )}
            <span>{t.role.permissions(role.permissions.length)}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}
