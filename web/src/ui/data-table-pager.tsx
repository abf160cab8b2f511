import { Group, NativeSelect, Pagination, Text } from '@mantine/core';
import { useT } from '@/i18n/provider';
import { PAGE_SIZES, type TableState } from './table-search';

interface TablePagerProps {
  label: string;
  total: number;
  state: TableState;
  onChange: (change: Partial<TableState>) => void;
}

/** "1–20 จาก 240 รายการ", the page size, and the pages. */
export function TablePager({ label, total, state: { page, pageSize }, onChange }: TablePagerProps) {
  const t = useT();
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(page * pageSize, total);
  return (
    <Group component="nav" aria-label={t.table.pages(label)} mt="sm" gap="sm" justify="space-between">
      <Group gap="sm">
        <Text size="sm" c="dimmed" className="tabular" role="status">
          {first > total ? t.table.total(total) : t.table.range(first, last, total)}
        </Text>
        {total > PAGE_SIZES[0] && (
          <NativeSelect
            size="xs"
            aria-label={t.table.pageSize}
            value={pageSize}
            data={PAGE_SIZES.map((size) => ({ value: String(size), label: t.table.perPage(size) }))}
            onChange={({ currentTarget }) => {
              const chosen = PAGE_SIZES.find((size) => String(size) === currentTarget.value);
              if (chosen) onChange({ pageSize: chosen, page: 1 });
            }}
          />
        )}
      </Group>
      {(total > pageSize || page > 1) && (
        <Pagination
          size="sm"
          total={Math.ceil(total / pageSize)}
          value={page}
          onChange={(next) => onChange({ page: next })}
          getItemProps={(item) => ({
            'aria-label': t.table.page(item),
            'aria-current': item === page ? 'page' : undefined,
          })}
          getControlProps={(control) => ({
            'aria-label': control === 'previous' ? t.table.previous : t.table.next,
          })}
        />
      )}
    </Group>
  );
}
