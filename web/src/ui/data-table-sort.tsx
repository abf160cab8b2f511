import { ActionIcon, Group, NativeSelect, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { useT } from '@/i18n/provider';
import classes from './data-table.module.css';
import type { Column } from './data-table-column';

interface SortButtonProps {
  field: string;
  title: string;
  sort: string;
  onChange: (sort: string) => void;
}

/** The title of a column. It sorts by the column, or reverses the order. */
export function SortButton({ field, title, sort, onChange }: SortButtonProps) {
  const t = useT();
  const order = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : null;
  const Icon = order === 'ascending' ? IconArrowUp : order === 'descending' ? IconArrowDown : IconArrowsSort;
  return (
    <UnstyledButton
      className={classes.sort}
      data-sorted={order !== null || undefined}
      onClick={() => onChange(order === 'ascending' ? `-${field}` : field)}
    >
      {title}
      <Icon size={14} stroke={1.8} aria-hidden />
      {order && <span className="heard">{t.table[order]}</span>}
    </UnstyledButton>
  );
}

interface SortSelectProps<Row> {
  columns: Column<Row>[];
  sort: string;
  onChange: (sort: string) => void;
}

/** Sorts cards, which have no column titles. */
export function SortSelect<Row>({ columns, sort, onChange }: SortSelectProps<Row>) {
  const t = useT();
  const descending = sort.startsWith('-');
  const field = descending ? sort.slice(1) : sort;
  const named = columns.some((column) => column.sort === field);
  return (
    <Group gap="xs" wrap="nowrap" mb="sm">
      <NativeSelect
        flex={1}
        aria-label={t.table.sortBy}
        value={named ? field : ''}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {!named && <option value="">{t.table.sortBy}</option>}
        {columns.map((column) => (
          <option key={column.key} value={column.sort}>
            {t.table.sortedBy(column.title)}
          </option>
        ))}
      </NativeSelect>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={descending ? t.table.descending : t.table.ascending}
        onClick={() => onChange(descending ? field : `-${field}`)}
      >
        {descending ? <IconArrowDown size={18} aria-hidden /> : <IconArrowUp size={18} aria-hidden />}
      </ActionIcon>
    </Group>
  );
}
