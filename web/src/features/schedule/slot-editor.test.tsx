import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import type { Slot } from '@/entities/appointment/api';
import type { Service } from '@/entities/service/api';
import { renderPage } from '@/test/app';
import { byPath } from '@/test/by-path';
import { failure, success } from '@/test/server';
import { SlotEditor } from './slot-editor';
import type { Cell } from './week';

afterEach(() => vi.unstubAllGlobals());

const SLOT = {
  startTime: '10:00',
  endTime: '10:30',
  capacity: 5,
  booked: 3,
  overridden: true,
  waitlisted: 0,
};
const CELL = {
  date: '2026-11-17',
  startTime: '10:00',
  endTime: '10:30',
  slot: SLOT as Slot,
  load: 'low',
  reason: '',
} as unknown as Cell;

test('restoring the weekly hours needs a confirmation if they have fewer seats than are booked', async () => {
  const onDone = vi.fn();
  renderPage({
    at: '/app/serviceSchedule',
    path: '/app/serviceSchedule',
    component: () => (
      <SlotEditor
        opened
        service={{ id: 7 } as Service}
        week={{ days: [{ date: CELL.date, cells: [CELL] }], times: ['10:00'] } as never}
        cells={[CELL]}
        closure={undefined}
        onCloseTimes={vi.fn()}
        onOpenAgain={vi.fn()}
        onDone={onDone}
      />
    ),
    permissions: ['SLOT.UPDATE_CAPACITY'],
    answers: {},
  });
  const sent = byPath({
    'update-capacity': [
      failure(409, 'CAPACITY_BELOW_BOOKED', 'มีผู้จองแล้ว', { details: { booked: 3, capacity: 2 } }),
      success({ updated: 1, days: 1, previous: [] }),
    ],
  });
  await userEvent.click(await screen.findByRole('button', { name: 'คืนค่าตามเวลาให้บริการ' }));
  const confirm = await screen.findByRole('dialog', { name: 'น้อยกว่าที่จองแล้ว' });
  expect(confirm).toHaveTextContent('มีผู้จองแล้ว 3 คน มากกว่าจำนวนที่กำหนด 2 คน');
  expect(sent('update-capacity')).toMatchObject([{ serviceId: 7, capacity: null, force: false }]);
  expect(onDone).not.toHaveBeenCalled();
  await userEvent.click(within(confirm).getByRole('button', { name: 'ยืนยัน ไม่รับเพิ่ม' }));
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(sent('update-capacity')[1]).toMatchObject({ serviceId: 7, capacity: null, force: true });
});
