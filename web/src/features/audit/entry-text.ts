import { useQuery } from '@tanstack/react-query';
import { roleChoicesQuery } from '@/entities/role/api';
import { usePermissionName } from '@/entities/session/permission-name';
import { useCan } from '@/entities/session/session';
import type { Language } from '@/i18n/language';
import { useLanguage, useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { actorName } from '@/lib/actor-name';
import { formatDate, formatDateRange } from '@/lib/thai-date';
import type { AuditEntry, AuditSearch } from './api';

/** Display names of the log's codes. Unknown codes are shown as they are. */
export interface Names {
  t: Messages;
  language: Language;
  permission: (name: string) => string;
  role: (id: number) => string | undefined;
}

/** Names of permissions and roles, as far as the user may read them. */
export function useNames(): Names {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const permission = usePermissionName();
  const { data: roles = [] } = useQuery({ ...roleChoicesQuery, enabled: can('ROLE.SHOW', 'USER.SHOW') });
  return {
    t,
    language,
    permission,
    role: (id) => roles.find((role) => role.id === id)?.label,
  };
}

/** Looks up a text by a code that may not be in the catalogue. */
export function named(texts: Partial<Record<string, string>>, code: string): string | undefined {
  return Object.hasOwn(texts, code) ? texts[code] : undefined;
}

export function actionName(t: Messages, action: string): string {
  return named(t.audit.actions, action) ?? action;
}

export function entityName(t: Messages, entity: string): string {
  return named(t.audit.entities, entity) ?? entity;
}

/** "แก้ไขผู้ใช้งาน สมชาย เกียรติขจร". The subject is omitted if users changed themselves. */
export function sentence(t: Messages, entry: AuditEntry): string {
  const subject =
    entry.entity === 'operation'
      ? (named(t.audit.operations, entry.entityId) ?? entry.subject)
      : entry.subject;
  const own = /^(auth\.|user\.register$)/.test(entry.action) && subject === entry.actorName;
  return [actionName(t, entry.action), own ? '' : subject].filter(Boolean).join(' ');
}

/** Why an action was denied or failed. A denied one lists the permissions of which one was needed. */
export function reasonOf(
  words: Names,
  { action, reason }: AuditEntry,
): { label: string; text: string } | null {
  const { t, permission } = words;
  if (!reason) return null;
  if (action === 'access.refused') {
    return { label: t.audit.needed, text: reason.split('|').map(permission).join(` ${t.error.or} `) };
  }
  return { label: t.audit.reason, text: named(t.audit.reasons, reason) ?? reason };
}

/** The filters of a printed log. With a user filter, all entries have the same actor. */
export function filtersText(
  { t, language }: Names,
  { actor, entity, entityId, action, outcome, from, to }: AuditSearch,
  first: AuditEntry | undefined,
): string {
  const group = named(t.audit.actionGroups, action.replace(/\.$/, ''));
  const dates =
    from && to
      ? formatDateRange(from, to, language)
      : [
          from && `${t.date.from} ${formatDate(from, language)}`,
          to && `${t.date.to} ${formatDate(to, language)}`,
        ]
          .filter(Boolean)
          .join(' ');
  return [
    actor && (first ? actorName(t, first) : t.audit.unknownPerson(actor)),
    [entity && entityName(t, entity), entityId].filter(Boolean).join(' '),
    action && (group ? t.audit.wholeGroup(group) : actionName(t, action)),
    outcome && t.audit.outcomes[outcome],
    dates,
  ]
    .filter(Boolean)
    .join(' · ');
}
