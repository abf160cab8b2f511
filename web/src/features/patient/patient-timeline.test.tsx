import { screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Permission } from '@/api/client';
import { renderPage } from '@/test/app';
import { anAppointment } from '@/test/appointments';
import { aPatient } from '@/test/patients';
import { PatientTimeline } from './patient-timeline';

afterEach(() => vi.unstubAllGlobals());

const NOTHING = 'ยังไม่มีนัดหมายหรือผลการตรวจ';

function open(permissions: Permission[], list: () => unknown) {
  renderPage({
    at: '/app/patient-management/1/edit',
    path: '/app/patient-management/$id/edit',
    component: () => <PatientTimeline patient={aPatient()} />,
    permissions,
    answers: { '/appointment/list': list },
  });
}

test('nothing is said of the history while it is on its way', async () => {
  let answer: (data: unknown) => void = () => {};
  open(
    ['APPOINTMENT.SHOW'],
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  expect(await screen.findByRole('status', { name: 'กำลังโหลด' })).toBeInTheDocument();
  expect(screen.queryByText(NOTHING)).toBeNull();
  answer({ items: [anAppointment()], total: 1, page: 1, pageSize: 50 });
  expect(await screen.findByText('อายุรกรรม')).toBeInTheDocument();
});

test('shows missing permission instead of an empty list', async () => {
  open(['PATIENT.SHOW'], () => ({ items: [], total: 0, page: 1, pageSize: 50 }));
  expect(await screen.findByText('APPOINTMENT.SHOW')).toBeInTheDocument();
  expect(screen.queryByText(NOTHING)).toBeNull();
});
