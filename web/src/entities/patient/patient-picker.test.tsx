import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { renderInApp } from '@/test/render';
import { answerWith, failure, success } from '@/test/server';
import { PatientPicker } from './patient-picker';

afterEach(() => vi.unstubAllGlobals());

function open() {
  renderInApp(
    <PatientPicker
      label="ผู้ป่วย"
      noneText={(text) => `ไม่พบ ${text}`}
      onNew={{ label: (text) => `ลงทะเบียน ${text}`, open: () => {} }}
      onPick={() => {}}
    />,
  );
}

const type = (text: string) => userEvent.type(screen.getByRole('textbox', { name: 'ผู้ป่วย' }), text);

test('who is not found can be registered', async () => {
  answerWith(success([]));
  open();
  await type('สมศรี');
  expect(await screen.findByText('ไม่พบ สมศรี')).toBeInTheDocument();
  expect(screen.getByText('ลงทะเบียน สมศรี')).toBeInTheDocument();
});

test('a search that failed is not "not found": it says so, and registers nobody', async () => {
  answerWith(failure(403, 'FORBIDDEN', 'ท่านไม่มีสิทธิ์ทำรายการนี้'));
  open();
  await type('สมศรี');
  expect(await screen.findByText('ท่านไม่มีสิทธิ์ทำรายการนี้')).toBeInTheDocument();
  expect(screen.queryByText('ไม่พบ สมศรี')).toBeNull();
  expect(screen.queryByText('ลงทะเบียน สมศรี')).toBeNull();
});
