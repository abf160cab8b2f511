import { act, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderInApp } from '@/test/render';
import type { Board } from './api';
import { DisplayPage } from './display-page';

const TOKEN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const KEY = 'nadmor.display.GP';

beforeEach(() => {
  // The fragment of the link that opened the screen.
  window.history.replaceState(null, '', `/display/GP#${TOKEN}`);
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  localStorage.clear();
});

function aBoard(fields: Partial<Board> = {}): Board {
  return {
    service: {
      id: 1,
      code: 'GP',
      name: 'อายุรกรรม',
      nameEn: '',
      location: 'ชั้น 1',
      color: '#0f766e',
      active: true,
    },
    date: '2026-11-16',
    serving: [3, 1],
    waiting: [4, 5],
    total: 7,
    hospital: { name: 'โรงพยาบาลศรีนคร', nameEn: '', logo: '', banners: [], uploadMaxMb: 20 },
    at: '2026-11-16T02:00:00Z',
    ...fields,
  };
}

/** The server's next response; an error simulates a lost network. */
function serve(first: Board | Error | 401) {
  let next = first;
  const asked: (string | null)[] = [];
  vi.stubGlobal('fetch', async (_: string, { headers }: RequestInit) => {
    asked.push(new Headers(headers).get('Authorization'));
    if (next instanceof Error) throw next;
    return next === 401
      ? Response.json({ success: false }, { status: 401 })
      : Response.json({ success: true, data: next });
  });
  return {
    asked,
    answers: async (answer: Board | Error | 401) => {
      next = answer;
      await act(() => vi.advanceTimersByTimeAsync(3_100));
    },
  };
}

const numbers = (region: string) =>
  within(screen.getByRole('region', { name: region }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

test('the link opens the board; its token is removed from the address and stored', async () => {
  const { asked } = serve(aBoard());
  renderInApp(<DisplayPage service="GP" />);
  expect(await screen.findByRole('heading', { level: 1, name: 'อายุรกรรม' })).toBeInTheDocument();
  expect(numbers('กำลังเรียก')).toEqual(['3', '1']);
  expect(numbers('คิวถัดไป')).toEqual(['4', '5']);
  expect(screen.getByText('และอีก 5 คิว')).toBeInTheDocument();
  expect(asked[0]).toBe(`Bearer ${TOKEN}`);
  expect(window.location.hash).toBe('');
  expect(localStorage.getItem(KEY)).toBe(TOKEN);
});

test('announces a called number; without a response the board stays and recovers', async () => {
  const server = serve(aBoard());
  renderInApp(<DisplayPage service="GP" />);
  await screen.findByRole('region', { name: 'กำลังเรียก' });
  expect(screen.queryByText(/^เรียกคิว/)).not.toBeInTheDocument();
  await server.answers(aBoard({ serving: [4, 3, 1], waiting: [5], total: 6 }));
  expect(await screen.findByText('เรียกคิว 4')).toBeInTheDocument();
  await server.answers(new TypeError('no network'));
  expect(await screen.findByText(/^กำลังเชื่อมต่อใหม่/)).toBeInTheDocument();
  expect(numbers('กำลังเรียก')).toEqual(['4', '3', '1']);
  await server.answers(aBoard({ serving: [5] }));
  expect(numbers('กำลังเรียก')).toEqual(['5']);
  expect(screen.queryByText(/^กำลังเชื่อมต่อใหม่/)).not.toBeInTheDocument();
});

test('a revoked link shows no numbers', async () => {
  const server = serve(aBoard());
  renderInApp(<DisplayPage service="GP" />);
  await screen.findByRole('region', { name: 'กำลังเรียก' });
  await server.answers(401);
  expect(await screen.findByRole('heading', { name: 'ลิงก์ของจอนี้ถูกยกเลิกแล้ว' })).toBeInTheDocument();
  expect(screen.queryByRole('listitem')).not.toBeInTheDocument();
});

test('shows that a service is inactive; a screen without a link sends no requests', async () => {
  const { asked } = serve(
    aBoard({ service: { ...aBoard().service, active: false }, serving: [], waiting: [], total: 0 }),
  );
  const { unmount } = renderInApp(<DisplayPage service="GP" />);
  expect(await screen.findByRole('heading', { name: 'ปิดให้บริการ' })).toBeInTheDocument();
  unmount();
  const before = asked.length;
  renderInApp(<DisplayPage service="DM" />);
  expect(screen.getByRole('heading', { name: 'จอนี้ยังไม่มีลิงก์' })).toBeInTheDocument();
  expect(asked.length).toBe(before);
});
