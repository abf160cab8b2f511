import { expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { anAppointment } from '@/test/appointments';
import { withStatus } from './appointment-text';

test('the message of a move names the new status', () => {
  const before = anAppointment({ status: 'CONFIRMED' });
  expect(withStatus(th, 'เลื่อนแล้ว', before, before)).toBe('เลื่อนแล้ว');
  expect(withStatus(th, 'เลื่อนแล้ว', before, anAppointment({ status: 'BOOKED' }))).toBe(
    'เลื่อนแล้ว สถานะเป็น “นัดแล้ว”',
  );
});
