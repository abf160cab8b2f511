import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Permission } from '@/api/client';
import { PermissionsProvider, permissionsQuery, useCan, usePermissions } from './session';

const ROWS = [1, 2, 3, 4, 5];

function Row({ id }: { id: number }) {
  return useCan()('PATIENT.CREATE', 'PATIENT.UPDATE') && <li>{id}</li>;
}

function Count() {
  return <output>{usePermissions().length}</output>;
}

function renderRows(held: Permission[]) {
  const queryClient = new QueryClient();
  queryClient.setQueryData(permissionsQuery.queryKey, held);
  const rows = ROWS.map((id) => <Row key={id} id={id} />);
  render(
    <QueryClientProvider client={queryClient}>
      <PermissionsProvider>
        {rows}
        <Count />
      </PermissionsProvider>
    </QueryClientProvider>,
  );
  return queryClient;
}

test('all rows share one subscription to the permissions', () => {
  const queryClient = renderRows(['PATIENT.UPDATE']);
  expect(screen.getAllByRole('listitem')).toHaveLength(ROWS.length);
  expect(queryClient.getQueryCache().find(permissionsQuery)?.getObserversCount()).toBe(1);
});

test('every row follows a changed role', async () => {
  const queryClient = renderRows(['PATIENT.SHOW']);
  expect(screen.queryAllByRole('listitem')).toHaveLength(0);
  queryClient.setQueryData(permissionsQuery.queryKey, ['PATIENT.SHOW', 'PATIENT.CREATE']);
  expect(await screen.findAllByRole('listitem')).toHaveLength(ROWS.length);
  expect(screen.getByRole('status').textContent).toBe('2');
});
