import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { anAppointment } from '@/test/appointments';
import { renderInApp } from '@/test/render';
import { BulkBar } from './bulk-bar';

async function choicesFor(...rows: ReturnType<typeof anAppointment>[]) {
  renderInApp(<BulkBar rows={rows} onClear={() => {}} onFreed={async () => {}} />);
  await userEvent.click(screen.getByRole('button', { name: 'เปลี่ยนสถานะเป็น' }));
  return screen.queryAllByRole('menuitem').map(({ textContent }) => textContent);
}

test('offers the statuses that the server allows for all selected appointments', async () => {
  const today = anAppointment({
    id: 1,
    allowedStatuses: ['CONFIRMED', 'CHECKED_IN', 'CANCELLED', 'NO_SHOW'],
  });
  const tomorrow = anAppointment({ id: 2, allowedStatuses: ['CONFIRMED', 'CANCELLED'] });
  expect(await choicesFor(today, tomorrow)).toEqual(['ผู้ป่วยยืนยันแล้ว', 'ยกเลิก']);
});

test('says so if the selected appointments have no status in common', async () => {
  const booked = anAppointment({ id: 1 });
  const over = anAppointment({ id: 2, status: 'COMPLETED', allowedStatuses: [] });
  expect(await choicesFor(booked, over)).toEqual([]);
  expect(screen.getByText('ไม่มีสถานะที่เปลี่ยนได้พร้อมกันทุกรายการที่เลือก')).toBeInTheDocument();
});
