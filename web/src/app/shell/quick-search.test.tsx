import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import type { Permission } from '@/api/client';
import { renderPage } from '@/test/app';
import { aPatient } from '@/test/patients';
import { QuickSearch } from './quick-search';

afterEach(() => {
  vi.unstubAllGlobals();
  delete document.documentElement.dataset.search;
  document.querySelector('#early-search')?.remove();
});

const PEOPLE = [
  aPatient({ id: 11, firstName: 'กอ', hn: '0000011' }),
  aPatient({ id: 12, firstName: 'ขอ', hn: '0000012' }),
];

/** Creates the input that public/boot.js leaves for the search. */
function pressEarly(text: string, enter?: string) {
  const input = document.createElement('input');
  Object.assign(input, { id: 'early-search', value: text });
  if (enter) input.dataset.enter = enter;
  document.body.append(input);
}

async function openSearch(permissions: Permission[] = ['PATIENT.SHOW', 'APPOINTMENT.CREATE'], press = true) {
  const asked: string[] = [];
  let held: Promise<unknown> | null = null;
  const search = (body: unknown) => {
    const { q } = body as { q: string };
    asked.push(q);
    const answer = held;
    held = null;
    return answer ?? (q === '0000012' ? PEOPLE.slice(1) : PEOPLE);
  };
  /** Delays the next response until the returned function is called with it. */
  const hold = () => {
    let give: (people: unknown) => void = () => {};
    held = new Promise((resolve) => {
      give = resolve;
    });
    return (people: unknown) => give(people);
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
  if (press) await user.keyboard('{Control>}k{/Control}');
  return { router, user, asked, hold };
}

const pathOf = (router: ReturnType<typeof renderPage>) => router.state.location.href;

test('searches once for the typed text; arrow keys move through the links', async () => {
  const { user, asked, router } = await openSearch();
  const box = await screen.findByRole('searchbox');
  await waitFor(() => expect(box).toHaveFocus());
  // Synchronous input events, so that a slow machine does not exceed the debounce delay.
  for (const value of ['ใ', 'ใจ', 'ใจดี']) fireEvent.input(box, { target: { value } });
  await screen.findByRole('link', { name: /^นางกอ/ });
  expect(asked).toEqual(['ใจดี']);
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(screen.getByRole('link', { name: /^นางขอ/ })).toHaveFocus();
  await user.keyboard('{ArrowUp}{ArrowUp}');
  expect(box).toHaveFocus();
  expect(pathOf(router)).toBe('/app/profile');
});

test('Ctrl K pressed while the app loads opens the search', async () => {
  pressEarly('000001');
  renderPage({
    at: '/app/profile',
    path: '/app/profile',
    component: QuickSearch,
    permissions: ['PATIENT.SHOW'],
    answers: { '/patients/search': () => PEOPLE },
  });
  const box = await screen.findByRole('searchbox', { name: 'ค้นหาผู้ป่วย' });
  await waitFor(() => expect(box).toHaveFocus());
  expect(box).toHaveValue('000001');
  expect(document.querySelector('#early-search')).toBeNull();
  expect(document.documentElement.dataset.search).toBe('here');
  expect(await screen.findByText('พบ 2 รายการ')).toBeInTheDocument();
});

test('early input with Enter is acted on; for a user who may not search it is dropped', async () => {
  pressEarly('0000012', 'book');
  const { router } = await openSearch();
  await waitFor(() => expect(pathOf(router)).toBe('/app/appointment/create?patientId=12'));
  cleanup();
  delete document.documentElement.dataset.search;
  pressEarly('0000012', 'open');
  await openSearch([]);
  await waitFor(() => expect(document.querySelector('#early-search')).toBeNull());
});

test('the box is rendered and focused before the keydown handler returns', async () => {
  await openSearch(undefined, false);
  // Not userEvent, which is asynchronous: a scanner sends the next key at once.
  fireEvent.keyDown(document.documentElement, { key: 'k', code: 'KeyK', ctrlKey: true });
  expect(document.activeElement).toBe(screen.getByRole('searchbox'));
});

test('Enter acts only on results for the current text', async () => {
  const { user, router, hold } = await openSearch();
  await user.keyboard('ใจดี');
  await screen.findByText('พบ 2 รายการ');
  const answer = hold();
  // The previous results are still visible.
  await user.keyboard('x{Control>}{Enter}{/Control}');
  expect(screen.getByText('กำลังค้นหา')).toBeInTheDocument();
  expect(screen.getByRole('list')).toHaveAttribute('inert');
  // Another key cancels it, even if the response has a single match.
  await user.keyboard('{Backspace}');
  await act(async () => answer(PEOPLE.slice(1)));
  await screen.findByText('พบ 2 รายการ');
  expect(pathOf(router)).toBe('/app/profile');
});

test('Enter before the results have arrived selects none of several', async () => {
  const { user, router } = await openSearch();
  await user.keyboard('ใจดี{Enter}');
  await screen.findByText('พบ 2 รายการ');
  expect(pathOf(router)).toBe('/app/profile');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(pathOf(router)).toBe('/app/patient-management/11/edit'));
});

test('Enter in the box opens the first; Ctrl Enter books', async () => {
  const { user, router } = await openSearch();
  await waitFor(() => expect(screen.getByRole('searchbox')).toHaveFocus());
  await user.keyboard('ใจดี');
  await screen.findByText('พบ 2 รายการ');
  await user.keyboard('{Control>}{Enter}{/Control}');
  await waitFor(() => expect(pathOf(router)).toBe('/app/appointment/create?patientId=11'));
});

test('a number with its Enter is searched before anything opens', async () => {
  const { user, router, asked } = await openSearch();
  await waitFor(() => expect(screen.getByRole('searchbox')).toHaveFocus());
  await user.keyboard('ใจดี');
  await screen.findByText('พบ 2 รายการ');
  await user.clear(screen.getByRole('searchbox'));
  await user.keyboard('0000012{Enter}');
  await waitFor(() => expect(pathOf(router)).toBe('/app/patient-management/12/edit'));
  expect(asked.at(-1)).toBe('0000012');
});

test('users who may not see patients have no search', async () => {
  await openSearch([]);
  expect(screen.queryByRole('button', { name: 'ค้นหาผู้ป่วย…' })).not.toBeInTheDocument();
  expect(screen.queryByRole('searchbox')).not.toBeInTheDocument();
});
