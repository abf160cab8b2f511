import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Appointment } from '@/entities/appointment/api';
import { renderInApp } from '@/test/render';
import { CallList } from './move-lists';

const people = Array.from({ length: 450 }, (_, id) => ({
  id,
  date: '2026-11-17',
  startTime: '10:00',
  patient: { hn: String(id), prename: 'นาย', firstName: `คนที่${id}`, lastName: '', phone: '0811111111' },
  service: { id: 1, code: 'GP', name: 'อายุรกรรม', color: '' },
})) as unknown as Appointment[];

const rows = () => document.querySelectorAll('tbody tr').length;

test('a long list is shown in parts, and in full when printed', async () => {
  renderInApp(<CallList people={people} />);
  expect(rows()).toBe(200);
  await userEvent.click(screen.getByText('แสดงอีก 200 คน จาก 250 คน'));
  expect(rows()).toBe(400);
  act(() => {
    window.dispatchEvent(new Event('beforeprint'));
  });
  expect(rows()).toBe(450);
  expect(screen.queryByText(/แสดงอีก/)).not.toBeInTheDocument();
});
