import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { renderInApp } from '@/test/render';
import { type DateRange, presetOf, presetRange, ThaiDateRange } from './thai-date-range';

const TODAY = '2026-11-15';

describe('the usual periods', () => {
  test.each([
    ['all', null, null],
    ['today', '2026-11-15', '2026-11-15'],
    ['yesterday', '2026-11-14', '2026-11-14'],
    ['lastSevenDays', '2026-11-09', '2026-11-15'],
    ['thisMonth', '2026-11-01', '2026-11-15'],
  ] as const)('%s is %s to %s', (preset, from, to) => {
    expect(presetRange(preset, TODAY)).toEqual({ from, to });
    expect(presetOf({ from, to }, TODAY)).toBe(preset);
  });

  test('any other range is custom', () => {
    expect(presetOf({ from: '2026-11-02', to: null }, TODAY)).toBe('custom');
  });
});

function Range({ start }: { start: DateRange }) {
  const [value, setValue] = useState(start);
  return (
    <>
      <ThaiDateRange value={value} onChange={setValue} />
      <output>{`${value.from} ${value.to}`}</output>
    </>
  );
}

const NONE = { from: null, to: null };
const shown = () => screen.getByRole('status').textContent;

test('a preset fills both dates', async () => {
  renderInApp(<Range start={NONE} />);
  await userEvent.selectOptions(screen.getByLabelText('ช่วงวันที่'), 'วันนี้');
  const { from, to } = presetRange('today');
  expect(shown()).toBe(`${from} ${to}`);
});

test('a typed date makes the range custom', async () => {
  renderInApp(<Range start={NONE} />);
  await userEvent.type(screen.getByLabelText('ตั้งแต่วันที่'), '1/10/2569');
  await userEvent.type(screen.getByLabelText('ถึงวันที่'), '31/10/2569');
  expect(shown()).toBe('2026-10-01 2026-10-31');
  expect(screen.getByLabelText('ช่วงวันที่')).toHaveDisplayValue('กำหนดเอง');
});

test('a start after the end clears the end', async () => {
  renderInApp(<Range start={{ from: null, to: '2026-10-31' }} />);
  await userEvent.type(screen.getByLabelText('ตั้งแต่วันที่'), '1/11/2569');
  expect(shown()).toBe('2026-11-01 null');
});

test('choosing a custom range focuses the first date', async () => {
  renderInApp(<Range start={NONE} />);
  await userEvent.selectOptions(screen.getByLabelText('ช่วงวันที่'), 'กำหนดเอง');
  expect(screen.getByLabelText('ตั้งแต่วันที่')).toHaveFocus();
  expect(screen.getByLabelText('ช่วงวันที่')).toHaveDisplayValue('กำหนดเอง');
});

test('a preset clears unreadable text', async () => {
  renderInApp(<Range start={NONE} />);
  await userEvent.type(screen.getByLabelText('ตั้งแต่วันที่'), 'abc');
  await userEvent.tab();
  expect(screen.getByText(/วันที่ไม่ถูกต้อง/)).toBeVisible();
  await userEvent.selectOptions(screen.getByLabelText('ช่วงวันที่'), 'ทั้งหมด');
  expect(screen.queryByText(/วันที่ไม่ถูกต้อง/)).toBeNull();
  expect(screen.getByLabelText('ตั้งแต่วันที่')).toHaveValue('');
});
