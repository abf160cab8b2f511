import { screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Appointment, SlotState } from '@/entities/appointment/api';
import { renderPage } from '@/test/app';
import { anAppointment } from '@/test/appointments';
import { MoveDialog } from './calendar-move';

afterEach(() => vi.unstubAllGlobals());

/** Opens the dialog for a slot whose state depends on the kind in the request. */
function open(appointment: Appointment, states: { usual: SlotState; WALK_IN: SlotState }) {
  const to = { serviceId: appointment.serviceId, date: appointment.date, startTime: '15:00' };
  const dialog = { subject: { appointment, to }, opened: true, open: () => {}, close: () => {} };
  renderPage({
    at: '/app/x',
    path: '/app/x',
    component: () => <MoveDialog dialog={dialog} onMoved={() => {}} seatsFreed={async () => {}} />,
    permissions: ['APPOINTMENT.UPDATE'],
    answers: {
      '/service-config/list': () => [],
      '/check-time-slots': (body) => {
        const { kind = 'usual' } = body as { kind?: 'WALK_IN' };
        return { days: [{ date: to.date, slots: [{ startTime: to.startTime, state: states[kind] }] }] };
      },
    },
  });
}

test('shows why an appointment cannot be moved to a slot, before it is sent', async () => {
  open(anAppointment(), { usual: 'TOO_SOON', WALK_IN: 'FREE' });
  expect(await screen.findByText('เลื่อนมาเวลานี้ไม่ได้: ต้องจองล่วงหน้า')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'เลื่อนนัด' })).toBeDisabled();
});

test('requests the slot with the kind WALK_IN for a walk-in appointment', async () => {
  open(anAppointment({ kind: 'WALK_IN' }), { usual: 'FREE', WALK_IN: 'FULL' });
  expect(await screen.findByText('เวลานี้เต็ม')).toBeInTheDocument();
  // The server answers with the next free slots.
  expect(screen.getByRole('button', { name: 'เลื่อนนัด' })).toBeEnabled();
});
