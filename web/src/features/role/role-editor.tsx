import { Alert, Button, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { currentOf } from '@/api/error';
import type { PermissionInfo } from '@/entities/role/api';
import { meQuery, usePermissions } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { RecordConflict } from '@/ui/record-conflict';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { focusBack } from '@/ui/use-dialog';
import type { Role } from './api';
import { asCode, bodyOf, type Draft, draftOf, isSame, problemsOf } from './draft';
import { PermissionMatrix } from './permission-matrix';
import { changesText, SaveBar } from './save-bar';
import { fieldError, useRoleSave } from './use-role-save';

interface RoleEditorProps {
  /** The saved role; undefined for a new one. */
  role?: Role;
  /** The initial values of a new role. */
  start: Draft;
  /** A note about the initial values. */
  note?: string;
  catalogue: readonly PermissionInfo[];
  onSaved: (role: Role) => unknown;
  onCancelNew?: () => void;
}

/** The user's edit: the role it is based on and the changed values. Null until something is changed. */
interface Work {
  base: Role | null;
  draft: Draft;
}

/** Removing one of these from the user's own role locks the user out of this page, or of changing it back. */
const NEEDED_HERE = ['SIDEBAR.USERS', 'ROLE.SHOW', 'ROLE.UPDATE'] as const;

export function RoleEditor({ role, start, note, catalogue, onSaved, onCancelNew }: RoleEditorProps) {
  const t = useT();
  const held = usePermissions();
  const { data: me } = useQuery(meQuery);
  const [work, setWork] = useState<Work | null>(null);
  const [tried, setTried] = useState(false);
  const nameInput = useRef<HTMLInputElement>(null);
  const labelInput = useRef<HTMLInputElement>(null);
  const done = useRef(false);

  // Changes by other users show until the user starts to edit.
  const base = work ? work.base : (role ?? null);
  const saved = base ? draftOf(base) : null;
  const draft = work?.draft ?? saved ?? start;
  const mayEdit = held.includes(role ? 'ROLE.UPDATE' : 'ROLE.CREATE');
  const exceedsOwn = role?.permissions.some((permission) => !held.includes(permission)) ?? false;
  const readOnly = !mayEdit || exceedsOwn;

  const save = useRoleSave({
    catalogue,
    onSaved: (result) => {
      done.current = true;
      setWork(null);
      setTried(false);
      showDone(role ? t.role.saved(result.label) : t.role.created(result.label));
      return onSaved(result);
    },
    onFailed: (error) => {
      const input = fieldError(error, 'label') ? labelInput : fieldError(error, 'name') ? nameInput : null;
      input?.current?.focus();
    },
    onSettled: (current, body, saves) => {
      setWork(saves ? { base: current, draft: draftOf(body) } : null);
      if (!saves) void onSaved(current);
    },
  });

  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    done.current = false;
    setWork(isSame(next, saved ?? start) ? null : { base, draft: next });
    if (save.error) save.reset();
  };
  const problems = problemsOf(draft, t);
  const nameError = (tried ? problems.name : undefined) ?? fieldError(save.error, 'name');
  const labelError = (tried ? problems.label : undefined) ?? fieldError(save.error, 'label');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (problems.label) return labelInput.current?.focus();
    if (problems.name) return nameInput.current?.focus();
    save.send(base, bodyOf(draft, catalogue));
  };
  const discard = () => {
    setWork(null);
    setTried(false);
    save.reset();
    if (role) focusBack('role-title');
    else onCancelNew?.();
  };

  const closeConflict = () => {
    save.conflict?.close();
    save.reset();
  };

  const own = role !== undefined && me?.roleId === role.id;
  const losesPage =
    own && NEEDED_HERE.some((name) => saved?.permissions.has(name) && !draft.permissions.has(name));
  const notice = !mayEdit ? t.role.readOnly : exceedsOwn ? t.role.mightier : own ? t.role.ownRole : note;
  const progress = { before: saved, draft, catalogue, userCount: role?.userCount ?? 0 };
  const shownError = currentOf(save.error) || nameError || labelError ? null : save.error;
  return (
    <form noValidate onSubmit={submit}>
      <UnsavedGuard
        unsaved={() => work !== null && !done.current}
        leaves={(from, to) => openIn(from) !== openIn(to)}
      />
      <Stack gap="sm">
        {notice && (
          <Alert variant="light" p="xs" icon={<IconInfoCircle aria-hidden />}>
            <Text size="sm">{notice}</Text>
          </Alert>
        )}
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            ref={labelInput}
            label={t.role.label}
            description={readOnly ? undefined : t.role.labelHint}
            withAsterisk={!readOnly}
            readOnly={readOnly}
            value={draft.label}
            error={labelError}
            onChange={(event) => change({ label: event.currentTarget.value })}
          />
          <TextInput
            ref={nameInput}
            label={t.role.name}
            description={readOnly ? undefined : role?.system ? t.role.nameFixed : t.role.nameHint}
            withAsterisk={!readOnly && !role?.system}
            readOnly={readOnly || role?.system}
            autoCapitalize="characters"
            spellCheck={false}
            value={draft.name}
            error={nameError}
            onChange={(event) => change({ name: asCode(event.currentTarget.value) })}
          />
        </SimpleGrid>
        <PermissionMatrix
          catalogue={catalogue}
          chosen={draft.permissions}
          granted={saved?.permissions ?? new Set()}
          held={held}
          readOnly={readOnly}
          onChange={(permissions) => change({ permissions })}
        />
      </Stack>
      {/* The live region exists before its text: screen readers do not announce a region inserted together with
         its text. */}
      <span className="heard" role="status">
        {work && changesText(t, progress)}
      </span>
      {!readOnly && (work || !role) && (
        <SaveBar {...progress} warnings={losesPage ? [t.role.losesPage] : []} error={shownError}>
          <Button variant="default" onClick={discard}>
            {role ? t.role.discard : t.role.cancelNew}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {role ? t.role.save : t.role.create}
          </Button>
        </SaveBar>
      )}
      <RecordConflict
        conflict={save.conflict && { ...save.conflict, close: closeConflict }}
        label={(field) => t.role[field === 'name' ? 'name' : 'label']}
        textsOf={({ name, label }) => ({ name, label })}
      />
    </form>
  );
}

/** The role in the address. */
function openIn(search: { tab?: unknown; role?: unknown; copy?: unknown; view?: unknown }): string {
  return [search.tab, search.role, search.copy, search.view].map(String).join();
}
