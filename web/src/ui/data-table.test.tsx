import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from '@/api/error';
import { renderInApp } from '@/test/render';
import { DataTable, type PagedQuery } from './data-table';
import type { Column } from './data-table-column';

interface Row {
  id: number;
  name: string;
}
const COLUMNS: Column<Row>[] = [
  { key: 'name', title: 'ชื่อ', sort: 'name', card: 'heading', render: ({ name }) => name },
  { key: 'id', title: 'เลขที่', render: ({ id }) => id },
];
const ITEMS = [
  { id: 1, name: 'กมล' },
  { id: 2, name: 'ขวัญ' },
];

function setUp(query: Partial<PagedQuery<Row>>, { page = 1, sort = 'name' } = {}) {
  const onChange = vi.fn();
  const refetch = vi.fn();
  renderInApp(
    <DataTable
      label="รายชื่อ"
      columns={COLUMNS}
      query={{ data: undefined, error: null, isPlaceholderData: false, refetch, ...query }}
      rowKey={({ id }) => id}
      state={{ sort, page, pageSize: 20 }}
      onChange={onChange}
      empty="ไม่มีเลย"
    />,
  );
  return { onChange, refetch };
}

afterEach(() => vi.unstubAllGlobals());

test('the first load is a skeleton, not an empty list', () => {
  setUp({});
  expect(screen.getByRole('status', { name: 'กำลังโหลด' })).toBeVisible();
  expect(screen.queryByText('ไม่มีเลย')).toBeNull();
});

test('a list that cannot be loaded can be tried again', async () => {
  const { refetch } = setUp({ error: new ApiError({ code: 'X', message: 'พัง', requestId: 'r-1' }) });
  expect(screen.getByRole('alert')).toHaveTextContent('พัง');
  expect(screen.getByRole('alert')).toHaveTextContent('r-1');
  await userEvent.click(screen.getByRole('button', { name: 'ลองอีกครั้ง' }));
  expect(refetch).toHaveBeenCalledOnce();
});

test('rows stay when loading them again fails', () => {
  setUp({ data: { items: ITEMS, total: 2 }, error: new ApiError({ code: 'X', message: 'พัง' }) });
  expect(screen.getByRole('alert')).toBeVisible();
  expect(screen.getByRole('cell', { name: 'กมล' })).toBeVisible();
});

test('no rows show the empty state', () => {
  setUp({ data: { items: [], total: 0 } });
  expect(screen.getByText('ไม่มีเลย')).toBeVisible();
  expect(screen.queryByRole('table')).toBeNull();
});

test('a long list shows its first rows, and the rest of them as soon as those are seen', async () => {
  const items = Array.from({ length: 50 }, (_, id) => ({ id, name: `คนที่ ${id}` }));
  setUp({ data: { items, total: 50 } });
  expect(screen.getByRole('cell', { name: 'คนที่ 11' })).toBeVisible();
  expect(screen.queryByRole('cell', { name: 'คนที่ 12' })).toBeNull();
  expect(await screen.findByRole('cell', { name: 'คนที่ 49' })).toBeVisible();
  expect(screen.getByText('1–20 จาก 50 รายการ')).toBeVisible();
});

test('the range and the pages are counted', async () => {
  const { onChange } = setUp({ data: { items: ITEMS, total: 1240 } }, { page: 2 });
  expect(screen.getByText('21–40 จาก 1,240 รายการ')).toBeVisible();
  expect(screen.getByRole('button', { name: 'หน้า 2' })).toHaveAttribute('aria-current', 'page');
  await userEvent.click(screen.getByRole('button', { name: 'หน้าถัดไป' }));
  expect(onChange).toHaveBeenLastCalledWith({ page: 3 });
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'จำนวนรายการต่อหน้า' }), '50');
  expect(onChange).toHaveBeenLastCalledWith({ pageSize: 50, page: 1 });
});

test.each([
  ['name', '-name'],
  ['-name', 'name'],
  ['-id', 'name'],
])('sorted by %s, the heading sorts by %s, from the first page', async (sort, next) => {
  const { onChange } = setUp({ data: { items: ITEMS, total: 2 } }, { sort });
  const table = screen.getByRole('table', { name: 'รายชื่อ' });
  await userEvent.click(within(table).getByRole('button', { name: /^ชื่อ/ }));
  expect(onChange).toHaveBeenLastCalledWith({ sort: next, page: 1 });
});

const FOUR = [1, 2, 3, 4].map((id) => ({ id, name: `คนที่ ${id}` }));

function Ticking() {
  const [rows, setRows] = useState<Row[]>([]);
  return (
    <DataTable
      label="รายชื่อ"
      columns={COLUMNS}
      query={{ data: { items: FOUR, total: 4 }, error: null, isPlaceholderData: false, refetch: () => {} }}
      rowKey={({ id }) => id}
      state={{ sort: 'name', page: 1, pageSize: 20 }}
      onChange={() => {}}
      empty=""
      selection={{ rows, onChange: setRows, rowLabel: ({ name }) => `เลือก ${name}`, allLabel: 'เลือกทั้งหน้า' }}
    />
  );
}

test('rows are ticked one by one, from one to another with Shift, and all at once', async () => {
  renderInApp(<Ticking />);
  const user = userEvent.setup();
  const box = (id: number) => screen.getByRole('checkbox', { name: `เลือก คนที่ ${id}` });
  const all = screen.getByRole('checkbox', { name: 'เลือกทั้งหน้า' });
  const ticked = () => [1, 2, 3, 4].filter((id) => (box(id) as HTMLInputElement).checked);
  await user.click(box(2));
  expect(ticked()).toEqual([2]);
  expect(all).toBePartiallyChecked();
  await user.keyboard('{Shift>}');
  await user.click(box(4));
  await user.keyboard('{/Shift}');
  expect(ticked()).toEqual([2, 3, 4]);
  await user.click(all);
  expect(ticked()).toEqual([1, 2, 3, 4]);
  expect(all).toBeChecked();
  await user.click(all);
  expect(ticked()).toEqual([]);
});

test('on a phone each row is a card with labelled values', () => {
  vi.stubGlobal('matchMedia', (media: string) => ({
    media,
    matches: media.includes('max-width'),
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  setUp({ data: { items: ITEMS, total: 2 } });
  expect(screen.queryByRole('table')).toBeNull();
  const cards = within(screen.getByRole('list', { name: 'รายชื่อ' })).getAllByRole('listitem');
  expect(cards).toHaveLength(2);
  expect(cards[1]).toHaveTextContent('ขวัญเลขที่2');
});
