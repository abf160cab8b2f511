import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import type { Permission } from '@/api/client';
import { matching, searchParams } from '@/lib/search-params';
import { renderPage } from '@/test/app';
import { aPatient } from '@/test/patients';
import { pageParam, pageSizeParam } from '@/ui/table-search';
import { patientFilterParams } from './list-search';
import { PatientsTab } from './list-tab';

afterEach(() => vi.unstubAllGlobals());

/** The first render of a table takes its time on a busy machine. */
const PATIENCE = { timeout: 15_000 };

const SEE: Permission[] = ['PATIENT.SHOW'];

function openList(path: string, items = [aPatient()], permissions = SEE) {
  const asked: unknown[] = [];
  const list = (body: unknown) => {
    asked.push(body);
    return { items, total: items.length, page: 1, pageSize: 20 };
  };
  const router = renderPage({
    at: path,
    path: '/app/patient-management/',
    search: searchParams({
      ...patientFilterParams,
      sort: matching(Boolean),
      page: pageParam,
      pageSize: pageSizeParam,
    }),
    component: PatientsTab,
    permissions,
    answers: { '/patients/list': list },
  });
  return { router, asked };
}

test('a row tells who it is, and links to the page', async () => {
  const allergies = [{ substance: 'เพนิซิลลิน', severity: 'SEVERE', reaction: '' } as const];
  openList('/app/patient-management', [aPatient({ id: 42, allergies, idCard: '1111111111119' })]);
  const link = await screen.findByRole('link', { name: 'นางสมศรี ใจดี' }, PATIENCE);
  expect(link).toHaveAttribute('href', '/app/patient-management/42/edit');
  const row = within(screen.getByRole('table', { name: 'รายชื่อผู้ป่วย' })).getAllByRole('row')[1];
  expect(row).toHaveTextContent('081-234-5678');
  expect(row).not.toHaveTextContent('1111111111119');
  expect(screen.getByRole('img', { name: 'แพ้ เพนิซิลลิน' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'ส่งออก' })).not.toBeInTheDocument();
});

test('what the address asks for is asked of the server', async () => {
  const { asked } = openList('/app/patient-management?sex=F&right=UCS&ageFrom=20&sort=-hn&page=1');
  await screen.findByRole('link', { name: 'นางสมศรี ใจดี' }, PATIENCE);
  expect(asked.at(-1)).toEqual({
    sex: 'F',
    rightCode: 'UCS',
    ageFrom: 20,
    sort: '-hn',
    page: 1,
    pageSize: 20,
  });
});

test('filters and search go to the address, from the first page', async () => {
  const { router } = openList('/app/patient-management?page=3');
  const user = userEvent.setup();
  await user.selectOptions(await screen.findByLabelText('เพศ'), 'F');
  await waitFor(() => expect(router.state.location.search).toMatchObject({ sex: 'F', page: 1 }));
  await user.type(screen.getByRole('searchbox'), 'สม');
  await waitFor(() => expect(router.state.location.search).toMatchObject({ q: 'สม', sex: 'F' }));
  await user.click(screen.getByRole('button', { name: 'ล้างตัวกรอง' }));
  await waitFor(() => expect(router.state.location.search).toMatchObject({ q: 'สม' }));
  expect(router.state.location.search).not.toHaveProperty('sex');
});

test('an empty hospital leads to the registration', async () => {
  openList('/app/patient-management', [], [...SEE, 'PATIENT.CREATE']);
  expect(await screen.findByText('ยังไม่มีผู้ป่วยในระบบ', undefined, PATIENCE)).toBeInTheDocument();
  expect(screen.getAllByRole('link', { name: 'ลงทะเบียนผู้ป่วย' })).toHaveLength(2);
});
