import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { publishLiveEvent } from '@/api/live-events';
import { searchParams } from '@/lib/search-params';
import { renderPage } from '@/test/app';
import { idParam } from '@/ui/table-search';
import { MoveAll } from './move-all';

afterEach(() => vi.unstubAllGlobals());

const CLOSURE = 5;
const COUNT = 2000;
const TO = { date: '2026-11-18', startTime: '10:00' };
const FROM = { date: '2026-11-17', startTime: '10:00' };
/** Only these have a row in the dialog, which keeps it small. */
const people = Array.from({ length: 3 }, (_, id) => ({
  id,
  ...FROM,
  patient: { hn: String(id), prename: 'นาย', firstName: `คนที่${id}`, lastName: '', phone: '0811111111' },
  service: { id: 1, code: 'GP', name: 'อายุรกรรม', color: '' },
}));
const moves = Array.from({ length: COUNT }, (_, appointmentId) => ({ appointmentId, from: FROM, to: TO }));

/** Opens the dialog and starts moving; `answer` lets the server respond. */
async function startMoving() {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const router = renderPage({
    at: `/app/serviceSchedule?move=${CLOSURE}`,
    path: '/app/serviceSchedule',
    search: searchParams({ move: idParam }),
    component: MoveAll,
    permissions: ['SERVICE_SCHEDULE.UPDATE', 'APPOINTMENT.UPDATE', 'APPOINTMENT.SHOW'],
    answers: {
      'closures/affected': () => people,
      'closures/move': async (body) => {
        if (!(body as { preview?: boolean }).preview) await answered;
        return { moves, unplaced: [] };
      },
    },
  });
  await userEvent.click(await screen.findByRole('button', { name: 'เลื่อนนัด 2,000 คน' }));
  return { answer, router, bar: await screen.findByRole('progressbar') };
}

const progress = (done: number, id = CLOSURE) =>
  act(() => publishLiveEvent({ kind: 'progress', id, total: COUNT, ...(done > 0 && { done }) }));
const spoken = () => screen.getByRole('status').textContent;

test('progress is shown until the response arrives, and goes back when the server starts again', async () => {
  const { bar, answer } = await startMoving();
  progress(0);
  expect(bar).toHaveAttribute('aria-valuenow', '0');
  progress(700);
  expect(bar).toHaveAttribute('aria-valuenow', '700');
  expect(bar).toHaveAttribute('aria-valuemax', '2000');
  expect(bar).toHaveAttribute('aria-valuetext', 'เลื่อนแล้ว 700 จาก 2,000 นัด');
  expect(bar).toHaveAccessibleName('กำลังเลื่อนนัด 2,000 คน');
  expect(screen.getByText('เลื่อนแล้ว 700 จาก 2,000 นัด')).toBeInTheDocument();
  progress(0);
  expect(bar).toHaveAttribute('aria-valuenow', '0');
  progress(2000);
  expect(bar).toHaveAttribute('aria-valuenow', '2000');
  answer();
  expect(await screen.findByText('เลื่อนนัดแล้ว 2,000 คน')).toBeInTheDocument();
  expect(screen.queryByRole('progressbar')).not.toBeInTheDocument();
});

test('screen readers get each quarter, not each step', async () => {
  await startMoving();
  const heard = new Set<string | null>();
  for (let done = 0; done <= COUNT; done += 100) {
    progress(done);
    heard.add(spoken());
  }
  expect([...heard]).toEqual([
    'กำลังเลื่อนนัด 2,000 คน',
    'เลื่อนแล้ว 500 จาก 2,000 นัด',
    'เลื่อนแล้ว 1,000 จาก 2,000 นัด',
    'เลื่อนแล้ว 1,500 จาก 2,000 นัด',
    'เลื่อนแล้ว 2,000 จาก 2,000 นัด',
  ]);
});

test('without events of this closure the bar is indeterminate and names the total', async () => {
  const { bar, answer } = await startMoving();
  progress(700, CLOSURE + 1);
  act(() => publishLiveEvent({ kind: 'closure', id: CLOSURE }));
  expect(bar).not.toHaveAttribute('aria-valuenow');
  expect(bar).not.toHaveAttribute('aria-valuemax');
  expect(bar).toHaveAccessibleName('กำลังเลื่อนนัด 2,000 คน');
  expect(spoken()).toBe('กำลังเลื่อนนัด 2,000 คน');
  answer();
  expect(await screen.findByText('เลื่อนนัดแล้ว 2,000 คน')).toBeInTheDocument();
});

test('the dialog can be closed while appointments are moved', async () => {
  const { answer, router } = await startMoving();
  progress(700);
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('progressbar')).not.toBeInTheDocument());
  expect(router.state.location.search).toEqual({});
  progress(800);
  answer();
});
