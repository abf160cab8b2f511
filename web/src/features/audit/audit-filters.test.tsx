import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { renderInApp } from '@/test/render';
import { answerWith, success } from '@/test/server';
import type { AuditSearch } from './api';
import { AuditFilters, NO_FILTERS } from './audit-filters';

afterEach(() => vi.unstubAllGlobals());

/** The filters with the address that they change, as on the page. */
function Filters({ onAsked }: { onAsked: (search: AuditSearch) => void }) {
  const [search, setSearch] = useState(NO_FILTERS);
  return (
    <AuditFilters
      search={search}
      onChange={(part) => {
        setSearch({ ...search, ...part });
        onAsked({ ...search, ...part });
      }}
    />
  );
}

test('typing a record number continues after a search', async () => {
  answerWith(success([]));
  const asked = vi.fn();
  renderInApp(<Filters onAsked={asked} />);
  const input = screen.getByRole('textbox', { name: 'เลขที่ข้อมูล' });
  await userEvent.type(input, '12');
  await waitFor(() => expect(asked).toHaveBeenLastCalledWith({ ...NO_FILTERS, entityId: '12' }));
  await userEvent.keyboard('3');
  expect(input).toHaveFocus();
  expect(input).toHaveValue('123');
  await waitFor(() => expect(asked).toHaveBeenLastCalledWith({ ...NO_FILTERS, entityId: '123' }));
});
