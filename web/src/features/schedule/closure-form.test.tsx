import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import type { Permission } from '@/api/client';
import { renderPage } from '@/test/app';
import { ClosureDialog } from './closure-form';

afterEach(() => vi.unstubAllGlobals());

async function close(permissions: Permission[]) {
  const onMove = vi.fn();
  const draft = { dateFrom: '2026-11-20', dateTo: '2026-11-20', serviceId: undefined };
  const dialog = { opened: true, subject: draft, open: vi.fn(), close: vi.fn() };
  renderPage({
    at: '/app/serviceSchedule',
    path: '/app/serviceSchedule',
    component: () => <ClosureDialog dialog={dialog as never} onMove={onMove} />,
    permissions,
    answers: {
      'service-config/list': () => [],
      'closures/affected': () => [],
      'closures/create': () => ({ id: 5, reason: 'แพทย์ลา', affected: 3 }),
    },
  });
  await userEvent.type(await screen.findByRole('textbox', { name: /เหตุผล/ }), 'แพทย์ลา');
  await userEvent.click(screen.getByRole('button', { name: 'งดให้บริการ' }));
  await screen.findByRole('status');
  return onMove;
}

test('offers to move all appointments if the user may change closures and move appointments', async () => {
  const onMove = await close(['SERVICE_SCHEDULE.UPDATE', 'APPOINTMENT.SHOW', 'APPOINTMENT.UPDATE']);
  await userEvent.click(await screen.findByRole('button', { name: 'เลื่อนนัดทั้งหมด' }));
  await waitFor(() => expect(onMove).toHaveBeenCalledWith(5));
});

test('shows only the number of booked patients if the user may not move appointments', async () => {
  await close(['SERVICE_SCHEDULE.UPDATE', 'APPOINTMENT.SHOW']);
  expect(await screen.findByText(/มีผู้ป่วยนัดไว้ 3 คน/)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'เลื่อนนัดทั้งหมด' })).not.toBeInTheDocument();
});
