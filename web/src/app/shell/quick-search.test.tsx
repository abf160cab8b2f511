import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import type { Permission } from '@/api/client';
import { renderPage } from '@/test/app';
import { aPatient } from '@/test/patients';
import { QuickSearch } from './quick-search';

afterEach(() => {
  vi.unstubAllGlobals();
  delete document.documentElement.dataset.search;
});

const PEOPLE = [
  aPatient({ id: 11, firstName: 'กอ', hn: '0000011' }),
  aPatient({ id: 12, firstName: 'ขอ', hn: '0000012' }),
];

async function openSearch(permissions: Permission[] = ['PATIENT.SHOW', 'APPOINTMENT.CREATE']) {
  const asked: string[] = [];
  const search = (body: unknown) => {
    const { q } = body as { q: string };
    asked.push(q);
    return q === '0000012' ? PEOPLE.slice(1) : PEOPLE;
  };
  const router = renderPage({
    at: '/app/profile',
    path: '/app/profile',
    component: () => (
      <>
        <h1>หน้า</h1>
        <QuickSearch />
      </>
    ),
    permissions,
    answers: { '/patients/search': search },
  });
  const user = userEvent.setup();
  await screen.findByRole('heading', { level: 1 });
  await user.keyboard('{Control>}k{/Control}');
  return { router, user, asked };
}

const pathOf = (router: ReturnType<typeof renderPage>) => router.state.location.href;

test('what is typed is asked once, and the arrows go through the links', async () => {
  const { user, asked, router } = await openSearch();
  const box = await screen.findByRole('searchbox');
  await waitFor(() => expect(box).toHaveFocus());
  await user.keyboard('ใจดี');
  await screen.findByRole('link', { name: /^นางกอ/ });
  expect(asked).toEqual(['ใจดี']);
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(screen.getByRole('link', { name: /^นางขอ/ })).toHaveFocus();
  await user.keyboard('{ArrowUp}{ArrowUp}');
  expect(box).toHaveFocus();
  expect(pathOf(router)).toBe('/app/profile');
});

test('a key that was pressed while the app still loaded opens it', async () => {
  document.documentElement.dataset.search = 'asked';
  renderPage({
    at: '/app/profile',
    path: '/app/profile',
    component: QuickSearch,
    permissions: ['PATIENT.SHOW'],
    answers: {},
  });
  await waitFor(() => expect(screen.getByRole('searchbox')).toHaveFocus());
  expect(document.documentElement.dataset.search).toBe('here');
});

test('Enter in the box opens the first; Ctrl Enter books', async () => {
  const { user, router } = await openSearch();
  await waitFor(() => expect(screen.getByRole('searchbox')).toHaveFocus());
  await user.keyboard('ใจดี');
  await screen.findByText('พบ 2 รายการ');
  await user.keyboard('{Control>}{Enter}{/Control}');
  await waitFor(() => expect(pathOf(router)).toBe('/app/appointment/create?patientId=11'));
});

test('a number with its Enter is looked up before anything opens', async () => {
  const { user, router, asked } = await openSearch();
  await waitFor(() => expect(screen.getByRole('searchbox')).toHaveFocus());
  await user.keyboard('ใจดี');
  await screen.findByText('พบ 2 รายการ');
  await user.clear(screen.getByRole('searchbox'));
  await user.keyboard('0000012{Enter}');
  await waitFor(() => expect(pathOf(router)).toBe('/app/patient-management/12/edit'));
  expect(asked.at(-1)).toBe('0000012');
});

test('who may not see patients has no search', async () => {
  await openSearch([]);
  expect(screen.queryByRole('button', { name: 'ค้นหาผู้ป่วย…' })).not.toBeInTheDocument();
  expect(screen.queryByRole('searchbox')).not.toBeInTheDocument();
});
