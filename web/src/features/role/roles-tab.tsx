import { Button, Group, SegmentedControl, Skeleton, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconChevronLeft, IconPlus, IconShieldQuestion } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type PermissionInfo, permissionsCatalogueQuery } from '@/entities/role/api';
import { useCan, usePermissions } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import { LinkButton } from '@/ui/link-button';
import print from '@/ui/print.module.css';
import { focusBack } from '@/ui/use-dialog';
import { type Role, rolesQuery } from './api';
import { copyOf, EMPTY_DRAFT } from './draft';
import classes from './role.module.css';
import { RoleCompare } from './role-compare';
import { RoleEditor } from './role-editor';
import { RoleHeader } from './role-header';
import { RoleList } from './role-list';

const route = getRouteApi('/_signed-in/app/user-management/');

/** The roles and their permissions: one beside the list, or all compared. */
export function RolesTab() {
  const t = useT();
  const can = useCan();
  const { view } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: roles, ...rolesState } = useQuery(rolesQuery);
  const { data: catalogue, ...catalogueState } = useQuery(permissionsCatalogueQuery);
  if (!roles || !catalogue) {
    const failed =
      !roles && rolesState.error ? rolesState : !catalogue && catalogueState.error ? catalogueState : null;
    return failed ? <ErrorAlert error={failed.error} onRetry={failed.refetch} /> : <RolesSkeleton />;
  }
  return (
    <>
      <Group justify="space-between" gap="xs" mb="md" className={print.screen}>
        <SegmentedControl
          aria-label={t.role.view}
          value={view ?? 'one'}
          data={[
            { value: 'one', label: t.role.byRole },
            { value: 'compare', label: t.role.compare },
          ]}
          onChange={(next) =>
            void navigate({ search: { tab: 'roles', view: next === 'compare' ? 'compare' : undefined } })
          }
        />
        {can('ROLE.CREATE') && (
          <LinkButton
            to="/app/user-management"
            search={{ tab: 'roles', role: 'new' }}
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            {t.role.add}
          </LinkButton>
        )}
      </Group>
      {rolesState.error && <ErrorAlert error={rolesState.error} onRetry={rolesState.refetch} />}
      {view === 'compare' ? (
        <RoleCompare roles={roles} catalogue={catalogue} />
      ) : (
        <ListAndRole roles={roles} catalogue={catalogue} />
      )}
    </>
  );
}

/** Side by side if there is enough space; otherwise the list or the role. */
function ListAndRole({ roles, catalogue }: { roles: Role[]; catalogue: PermissionInfo[] }) {
  const t = useT();
  const { role: requested } = route.useSearch();
  const wide = useMediaQuery('(min-width: 60em)', true, { getInitialValueInEffect: false });
  const open = requested ?? (wide ? roles[0]?.id : undefined);
  return (
    <div className={classes.columns}>
      {(wide || open === undefined) && (
        <aside className={classes.aside}>
          <RoleList roles={roles} openId={open === 'new' ? undefined : open} />
        </aside>
      )}
      {open !== undefined && (
        <div>
          {!wide && (
            <LinkButton
              to="/app/user-management"
              search={{ tab: 'roles' }}
              variant="subtle"
              size="compact-sm"
              mb="xs"
              leftSection={<IconChevronLeft size={16} aria-hidden />}
            >
              {t.role.back}
            </LinkButton>
          )}
          {open === 'new' ? (
            <NewRole roles={roles} catalogue={catalogue} />
          ) : (
            <OneRole id={open} roles={roles} catalogue={catalogue} />
          )}
        </div>
      )}
    </div>
  );
}

function NewRole({ roles, catalogue }: { roles: Role[]; catalogue: PermissionInfo[] }) {
  const t = useT();
  const held = usePermissions();
  const navigate = route.useNavigate();
  const { copy } = route.useSearch();
  const source = roles.find(({ id }) => id === copy);
  const start = source ? copyOf(source, held, t) : EMPTY_DRAFT;
  const left = source ? source.permissions.length - start.permissions.size : 0;
  return (
    <>
      <Title order={2} mb="sm">
        {source ? t.role.copyTitle(source.label) : t.role.newTitle}
      </Title>
      <RoleEditor
        key={`new ${copy}`}
        start={start}
        note={left > 0 ? t.role.notCopied(left) : undefined}
        catalogue={catalogue}
        onSaved={async (role) => {
          await navigate({ search: { tab: 'roles', role: role.id }, replace: true });
          focusBack('role-title');
        }}
        onCancelNew={() => void navigate({ search: { tab: 'roles', role: copy } })}
      />
    </>
  );
}

function OneRole({ id, roles, catalogue }: { id: number; roles: Role[]; catalogue: PermissionInfo[] }) {
  const t = useT();
  const navigate = route.useNavigate();
  const role = roles.find((known) => known.id === id);
  if (!role) {
    return (
      <EmptyState
        icon={IconShieldQuestion}
        title={t.role.gone}
        action={<Button onClick={() => void navigate({ search: { tab: 'roles' } })}>{t.role.choose}</Button>}
      >
        {t.role.goneHint}
      </EmptyState>
    );
  }
  return (
    <>
      <RoleHeader role={role} onDeleted={() => navigate({ search: { tab: 'roles' }, replace: true })} />
      <RoleEditor
        key={role.id}
        role={role}
        start={EMPTY_DRAFT}
        catalogue={catalogue}
        onSaved={() => focusBack('role-title')}
      />
    </>
  );
}

function RolesSkeleton() {
  const t = useT();
  return (
    <div className={classes.columns} role="status" aria-label={t.app.loading}>
      <Skeleton h={360} />
      <Skeleton h={480} />
    </div>
  );
}
