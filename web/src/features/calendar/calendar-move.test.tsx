import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Appointment, SlotState } from '@/entities/appointment/api';
import { renderPage } from '@/test/app';
import { anAppointment } from '@/test/appointments';
import { MoveDialog } from './calendar-move';

afterEach(() => vi.unstubAllGlobals());

/** Opens the dialog for a slot whose state depends on the kind in the request. */
function open(
  appointment: Appointment,
  states: { usual: SlotState; WALK_IN: SlotState },
  answers: Parameters<typeof renderPage>[0]['answers'] = {},
) {
  const to = { serviceId: appointment.serviceId, date: appointment.date, startTime: '15:00' };
  const dialog = { subject: { appointment, to }, opened: true, open: () => {}, close: () => {} };
  renderPage({
    at: '/app/x',
    path: '/app/x',
    component: () => <MoveDialog dialog={dialog} onMoved={() => {}} seatsFreed={async () => {}} />,
    permissions: ['APPOINTMENT.UPDATE'],
    answers: {
      ...answers,
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

describe('another user has changed the appointment', () => {
  const booked = anAppointment({ version: 1, startTime: '09:00' });
  const confirm = () => userEvent.click(screen.getByRole('button', { name: 'เลื่อนนัด' }));

  /** The dialog, with a server that has a newer version. Returns the requests. */
  async function openStale(current: Appointment) {
    const sent: { version: number }[] = [];
    open(
      booked,
      { usual: 'FREE', WALK_IN: 'FREE' },
      {
        '/appointment/update': (body) => {
          sent.push(body as { version: number });
          if ((body as { version: number }).version === current.version)
            return { ...current, ...(body as object) };
          const error = { code: 'CONFLICT_VERSION', message: 'มีผู้อื่นแก้ไข', details: { current } };
          return Response.json({ success: false, error }, { status: 409 });
        },
      },
    );
    await waitFor(() => expect(screen.getByRole('button', { name: 'เลื่อนนัด' })).toBeEnabled());
    return sent;
  }

  test('another field does not stop the move', async () => {
    const sent = await openStale({ ...booked, note: 'ใหม่', version: 2 });
    await confirm();
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]).toEqual({ id: booked.id, version: 2, startTime: '15:00' });
    expect(screen.queryByText(/ข้อมูลล่าสุดแสดงอยู่ด้านบนแล้ว/)).toBeNull();
  });

  test('another move is shown before the user confirms again', async () => {
    const sent = await openStale({ ...booked, startTime: '11:00', version: 2 });
    await confirm();
    expect(await screen.findByText(/ข้อมูลล่าสุดแสดงอยู่ด้านบนแล้ว/)).toBeVisible();
    expect(screen.getByText(/11:00 น\./)).toBeVisible();
    expect(sent).toHaveLength(1);
    await confirm();
    await waitFor(() => expect(sent[1]).toEqual({ id: booked.id, version: 2, startTime: '15:00' }));
  });
});
