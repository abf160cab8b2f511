import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { renderPage } from '@/test/app';
import { anAppointment } from '@/test/appointments';
import { aPatient } from '@/test/patients';
import { PatientSummary } from './patient-summary';
import { useUpcomingAppointments } from './use-upcoming-appointments';

afterEach(() => vi.unstubAllGlobals());

function Page() {
  const [id, setId] = useState(1);
  const upcoming = useUpcomingAppointments(id);
  return (
    <>
      <PatientSummary id={id} upcoming={upcoming} />
      <button type="button" onClick={() => setId(2)}>
        another
      </button>
    </>
  );
}

test('never shows appointments of one patient under the name of another', async () => {
  let answer: (data: unknown) => void = () => {};
  const later = new Promise((resolve) => {
    answer = resolve;
  });
  const list = (items: unknown[]) => ({ items, total: items.length, page: 1, pageSize: 20 });
  renderPage({
    at: '/app/x',
    path: '/app/x',
    component: Page,
    permissions: ['PATIENT.SHOW'],
    answers: {
      '/patients/1': () => aPatient(),
      '/patients/2': () => aPatient({ id: 2, firstName: 'สมหญิง' }),
      '/appointment/list': (body) =>
        (body as { patientId: number }).patientId === 1 ? list([anAppointment()]) : later,
    },
  });
  expect(await screen.findByText(/^อายุรกรรม/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'another' }));
  expect(await screen.findByText('นางสมหญิง ใจดี')).toBeInTheDocument();
  expect(screen.queryByText(/^อายุรกรรม/)).toBeNull();
  answer(list([]));
  expect(await screen.findByText('ไม่มีนัดอื่นที่จะถึง')).toBeInTheDocument();
});
