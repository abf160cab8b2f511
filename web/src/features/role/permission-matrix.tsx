import { Checkbox, Group, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { type KeyboardEvent, useId, useState } from 'react';
import type { PermissionInfo } from '@/entities/role/api';
import { useLanguage, useT } from '@/i18n/provider';
import { SearchInput } from '@/ui/search-input';
import type { Permission } from './api';
import { groupState, groupsOf, type PermissionGroup, permissionLabel, toggleGroup } from './draft';
import classes from './role.module.css';

interface PermissionMatrixProps {
  catalogue: readonly PermissionInfo[];
  chosen: ReadonlySet<Permission>;
  /** The role's saved permissions. They can be restored even if the user may not grant them. */
  granted: ReadonlySet<Permission>;
  held: readonly Permission[];
  readOnly: boolean;
  onChange: (chosen: ReadonlySet<Permission>) => void;
}

/** Checkboxes for all permissions by group. Arrow keys, Home and End move the focus. */
export function PermissionMatrix(props: PermissionMatrixProps) {
  const { catalogue, chosen, granted, held, readOnly, onChange } = props;
  const t = useT();
  const { language } = useLanguage();
  const [search, setSearch] = useState('');
  const titleId = useId();
  const groups = groupsOf(catalogue, language, search);
  const mayChoose = (permission: Permission) => held.includes(permission) || granted.has(permission);
  return (
    <section aria-labelledby={titleId}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Text component="h3" id={titleId} fw={600}>
          {t.role.matrix}{' '}
          <Text span size="sm" c="dimmed" fw={400} className="tabular" role="status">
            {t.role.granted(chosen.size, catalogue.length)}
          </Text>
        </Text>
        <SearchInput label={t.role.searchPermissions} value={search} onSearch={setSearch} w={240} />
      </Group>
      {groups.length === 0 && <Text c="dimmed">{t.role.noSuchPermission(search)}</Text>}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the checkboxes inside have the focus and the roles. */}
      <div className={classes.matrix} onKeyDown={moveByKey}>
        {groups.map((group) => (
          <GroupBox
            key={group.key}
            group={group}
            chosen={chosen}
            mayChoose={mayChoose}
            readOnly={readOnly}
            onChange={onChange}
          />
        ))}
      </div>
    </section>
  );
}

interface GroupBoxProps {
  group: PermissionGroup;
  chosen: ReadonlySet<Permission>;
  mayChoose: (permission: Permission) => boolean;
  readOnly: boolean;
  onChange: (chosen: ReadonlySet<Permission>) => void;
}

function GroupBox({ group, chosen, mayChoose, readOnly, onChange }: GroupBoxProps) {
  const { language } = useLanguage();
  const t = useT();
  const state = groupState(chosen, group.permissions);
  const count = group.permissions.filter(({ name }) => chosen.has(name)).length;
  const toggle = (name: Permission, on: boolean) =>
    onChange(new Set(on ? [...chosen, name] : [...chosen].filter((other) => other !== name)));
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>
        <Checkbox
          label={
            <>
              {group.label}{' '}
              <span className={`tabular ${classes.code}`}>
                {count}/{group.permissions.length}
              </span>
            </>
          }
          fw={600}
          checked={state === 'all'}
          indeterminate={state === 'some'}
          disabled={readOnly || !group.permissions.some(({ name }) => mayChoose(name))}
          onChange={() => onChange(toggleGroup(chosen, group.permissions, mayChoose))}
        />
      </legend>
      {group.permissions.map((info) => (
        <Checkbox
          key={info.name}
          className={classes.permission}
          label={
            <>
              {permissionLabel(info, language)} <span className={classes.code}>{info.name}</span>{' '}
              {!readOnly && !mayChoose(info.name) && (
                <span className={classes.locked}>
                  <IconLock size={14} aria-hidden /> {t.role.notHeld}
                </span>
              )}
            </>
          }
          checked={chosen.has(info.name)}
          disabled={readOnly || !mayChoose(info.name)}
          onChange={(event) => toggle(info.name, event.currentTarget.checked)}
        />
      ))}
    </fieldset>
  );
}

const STEPS: Record<string, (index: number, last: number) => number> = {
  ArrowDown: (index, last) => Math.min(index + 1, last),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

function moveByKey(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
  const boxes = [
    ...event.currentTarget.querySelectorAll<HTMLInputElement>('input[type="checkbox"]:not(:disabled)'),
  ];
  const index = boxes.indexOf(event.target as HTMLInputElement);
  if (index < 0) return;
  event.preventDefault();
  boxes[step(index, boxes.length - 1)]?.focus();
}
