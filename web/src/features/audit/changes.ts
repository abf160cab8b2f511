import { formatNumber } from '@/lib/number';
import { formatDate, formatDateTime, isIsoDate } from '@/lib/thai-date';
import type { Change } from '@/ui/change-list';
import type { AuditEntry } from './api';
import { type Names, named } from './entry-text';
import { fieldNames, valueNames } from './field-names';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Returns the changes of an entry as text: fields by name, values translated, lists as added and removed items. */
export function changesOf(entry: AuditEntry, words: Names): Change[] {
  const fields = fieldNames(words.t, entry.entity);
  const order = Object.keys(fields);
  const place = (field: string) => (order.includes(field) ? order.indexOf(field) : order.length);
  return Object.entries(entry.changes)
    .filter(([field]) => !(field === 'roleId' && 'role' in entry.changes))
    .sort(([a], [b]) => place(a) - place(b) || a.localeCompare(b))
    .flatMap(([field, { before, after }]) =>
      changeOf(
        { key: field, label: named(fields, field) ?? field, entity: entry.entity, field, before, after },
        words,
      ),
    );
}

interface FieldChange {
  key: string;
  label: string;
  entity: string;
  field: string;
  before: unknown;
  after: unknown;
}

function changeOf(change: FieldChange, words: Names): Change[] {
  const { key, label, entity, field, before, after } = change;
  if (Array.isArray(before) || Array.isArray(after)) {
    const [old, now] = [asList(before), asList(after)];
    const added = without(now, old).map((item) => valueText(entity, field, item, words));
    const removed = without(old, now).map((item) => valueText(entity, field, item, words));
    // The same items in another order: show both orders, since nothing was added or removed.
    if (added.length + removed.length > 0) return [{ key, label, kind: 'list', added, removed }];
  }
  if (isPlain(before ?? after) && isPlain(after ?? before)) {
    const inner = { ...asRecord(before), ...asRecord(after) };
    return Object.keys(inner).flatMap((name) => {
      const part = { before: asRecord(before)[name], after: asRecord(after)[name] };
      if (JSON.stringify(part.before) === JSON.stringify(part.after)) return [];
      const names = fieldNames(words.t, entity);
      const partLabel = `${label} › ${named(names, `${field}.${name}`) ?? named(names, name) ?? name}`;
      return changeOf({ key: `${key}.${name}`, label: partLabel, entity, field: name, ...part }, words);
    });
  }
  const text = (value: unknown) => valueText(entity, field, value, words);
  return [{ key, label, kind: 'value', before: text(before), after: text(after) }];
}

/** Returns a value as text; empty for none. */
export function valueText(entity: string, field: string, value: unknown, words: Names): string {
  const { t, language } = words;
  if (value === null || value === undefined || value === '') return '';
  if (typeof value === 'boolean') return value ? t.audit.yes : t.audit.no;
  if (Array.isArray(value)) return value.map((item) => valueText(entity, field, item, words)).join(', ');
  if (typeof value === 'number') {
    return named(valueNames(t, entity, field), String(value)) ?? numberText(field, value, words);
  }
  if (typeof value === 'object') return objectText(entity, asRecord(value), words);
  const text = String(value);
  if (/^•+$/.test(text)) return t.audit.hidden;
  if (field === 'permissions') return words.permission(text);
  if (INSTANT.test(text)) return formatDateTime(text, language);
  if (isIsoDate(text)) return formatDate(text, language);
  return named(valueNames(t, entity, field), text) ?? text;
}

function numberText(field: string, value: number, { t, role }: Names): string {
  if (field === 'roleId') return role(value) ?? t.audit.numbered(value);
  if (/Ids?$/.test(field)) return t.audit.numbered(value);
  return formatNumber(value, 2);
}

/** A referenced record is shown by its name; any other object by its fields. */
function objectText(entity: string, value: Record<string, unknown>, words: Names): string {
  const name = value.label ?? value.name;
  if (typeof name === 'string' && name !== '') {
    const relation = valueText(entity, 'relation', value.relation, words);
    return relation ? `${name} (${relation})` : name;
  }
  const fields = fieldNames(words.t, entity);
  return Object.entries(value)
    .map(([field, part]) => [named(fields, field) ?? field, valueText(entity, field, part, words)])
    .filter(([, text]) => text !== '')
    .map(([label, text]) => `${label} ${text}`)
    .join(', ');
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Reports whether an object is part of the record, not a reference to another one. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !('label' in value) && !('name' in value);
}

function without(items: unknown[], others: unknown[]): unknown[] {
  const known = new Set(others.map((other) => JSON.stringify(other)));
  return items.filter((item) => !known.has(JSON.stringify(item)));
}
