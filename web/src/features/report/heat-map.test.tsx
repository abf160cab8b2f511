import { MantineProvider } from '@mantine/core';
import { render, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { HeatMap, levelOf } from './heat-map';

test.each([
  [0, 0],
  [0.249, 0],
  [0.25, 1],
  [0.5, 2],
  [0.799, 2],
  [0.8, 3],
  [1, 3],
  [1.01, 4],
])('a rate of %d has the shade %i', (rate, level) => {
  expect(levelOf(rate)).toBe(level);
});

test('shows the load as numbers, and closed hours', () => {
  render(
    <MantineProvider>
      <HeatMap
        cells={[
          { weekday: 1, hour: 9, booked: 12, capacity: 15, rate: 0.8 },
          { weekday: 0, hour: 13, booked: 5, capacity: 4, rate: 1.25 },
        ]}
      />
    </MantineProvider>,
  );
  const table = screen.getByRole('table', { name: 'อัตราการใช้ตามวันและเวลา' });
  expect(
    within(table)
      .getAllByRole('columnheader')
      .map((cell) => cell.textContent),
  ).toEqual(['เวลา', 'จ.จันทร์', 'อา.อาทิตย์']);
  const [, morning, afternoon] = within(table).getAllByRole('row');
  expect(morning).toHaveTextContent('09:0080%12/15 จอง 12 จาก 15 ที่–ไม่เปิดให้บริการ');
  expect(afternoon).toHaveTextContent('13:00–ไม่เปิดให้บริการ125%5/4 จอง 5 จาก 4 ที่');
});
