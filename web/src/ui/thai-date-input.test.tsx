import { MantineProvider } from '@mantine/core';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { en } from '@/i18n/en';
import { I18nProvider } from '@/i18n/provider';
import { th } from '@/i18n/th';
import { ThaiDateInput, type ThaiDateInputProps } from './thai-date-input';

const BAD = 'วันที่ไม่ถูกต้อง เช่น 15/11/2569';

function Field({ start, ...props }: ThaiDateInputProps & { start: string | null }) {
  const [value, setValue] = useState(start);
  return (
    <>
      <ThaiDateInput label="วันเกิด" {...props} value={value} onChange={setValue} />
      <output>{String(value)}</output>
      <button type="button" onClick={() => setValue('2000-01-15')}>
        set
      </button>
    </>
  );
}

function renderField(start: string | null, props: ThaiDateInputProps = {}, language: 'th' | 'en' = 'th') {
  render(
    <I18nProvider initial={{ language, t: language === 'th' ? th : en }}>
      <MantineProvider env="test">
        <Field start={start} {...props} />
      </MantineProvider>
    </I18nProvider>,
  );
  return screen.getByRole<HTMLInputElement>('textbox', { name: 'วันเกิด' });
}

const value = () => screen.getByRole('status').textContent;

describe.each([
  ['nothing', null],
  ['another date', '2000-01-15'],
] as const)('over %s', (_, start) => {
  test.each([
    ['09/02/2531', '1988-02-09', '09/02/2531', false],
    ['9/2/31', '1988-02-09', '09/02/2531', false],
    ['9/2/2531', '1988-02-09', '09/02/2531', false],
    ['09022531', '1988-02-09', '09/02/2531', false],
    ['๙/๒/๒๕๓๑', '1988-02-09', '09/02/2531', false],
    ['๐๙๐๒๒๕๓๑', '1988-02-09', '09/02/2531', false],
    ['9 ก.พ. 2531', '1988-02-09', '09/02/2531', false],
    ['9 กุมภาพันธ์ 2531', '1988-02-09', '09/02/2531', false],
    ['09/02/1988', '1988-02-09', '09/02/2531', false],
    ['29/02/2567', '2024-02-29', '29/02/2567', false],
    ['09/02/253', 'null', '09/02/253', true],
    ['09/02/25311', 'null', '09/02/25311', true],
    ['29/02/2568', 'null', '29/02/2568', true],
    ['31/02/2560', 'null', '31/02/2560', true],
    ['09/02/2251', 'null', '09/02/2251', true],
    ['abc', 'null', 'abc', true],
    ['   ', 'null', '', false],
    ['', 'null', '', false],
  ])('"%s" means %s', async (typed, iso, shown, complains) => {
    const input = renderField(start);
    await userEvent.clear(input);
    if (typed) await userEvent.type(input, typed);
    await userEvent.tab();
    expect(value()).toBe(iso);
    expect(input).toHaveValue(shown);
    expect(screen.queryAllByText(BAD)).toHaveLength(complains ? 1 : 0);
    if (complains) expect(input).toBeInvalid();
  });
});

test('the value is null while the text is not a date', async () => {
  const input = renderField('1988-02-09');
  expect(input).toHaveValue('09/02/2531');
  await userEvent.type(input, '{Backspace}');
  expect(value()).toBe('null');
  expect(screen.queryByText(BAD)).toBeNull();
  await userEvent.type(input, '0');
  expect(value()).toBe('1987-02-09');
});

test.each([
  ['09/02/2500', 'ต้องไม่ก่อน 1 ม.ค. 2501'],
  ['09/02/2600', 'ต้องไม่หลัง 15 พ.ย. 2569'],
  ['9/2/99', 'ต้องไม่หลัง 15 พ.ย. 2569'],
])('%s is out of range: clears the date and shows the reason', async (typed, reason) => {
  const input = renderField('1988-02-09', { minDate: '1958-01-01', maxDate: '2026-11-15' });
  await userEvent.clear(input);
  await userEvent.type(input, typed);
  await userEvent.tab();
  expect(value()).toBe('null');
  expect(screen.getByText(reason)).toBeVisible();
});

test('Enter parses a short year before the form is submitted', async () => {
  const onSubmit = vi.fn();
  const input = renderField(null, { onKeyDown: (event) => event.key === 'Enter' && onSubmit(value()) });
  await userEvent.type(input, '9/2/31{Enter}');
  expect(value()).toBe('1988-02-09');
  expect(onSubmit).toHaveBeenCalled();
});

test('an external value replaces unreadable text', async () => {
  const input = renderField(null);
  await userEvent.type(input, 'abc');
  await userEvent.click(screen.getByRole('button', { name: 'set' }));
  expect(input).toHaveValue('15/01/2543');
  expect(screen.queryByText(BAD)).toBeNull();
});

test('picks a day by keyboard after invalid text', async () => {
  const input = renderField('2000-01-10');
  await userEvent.clear(input);
  await userEvent.type(input, '31/02/2560');
  await userEvent.tab();
  expect(screen.getByText(BAD)).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'set' }));
  await userEvent.click(screen.getByRole('button', { name: 'เลือกวันเกิดจากปฏิทิน' }));
  expect(await screen.findByRole('button', { name: 'เลือกเดือน' })).toHaveTextContent('มกราคม 2543');
  await userEvent.click(screen.getByRole('button', { name: 'วันพฤหัสบดีที่ 20 มกราคม 2543' }));
  expect(value()).toBe('2000-01-20');
  expect(input).toHaveValue('20/01/2543');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

describe('in English', () => {
  test.each([
    ['09/02/1988', '1988-02-09', '09/02/1988'],
    ['9 Feb 1988', '1988-02-09', '09/02/1988'],
    ['09/02/2531', '1988-02-09', '09/02/1988'],
    ['9/2/31', 'null', '9/2/31'],
  ])('"%s" means %s', async (typed, iso, shown) => {
    const input = renderField(null, {}, 'en');
    await userEvent.type(input, typed);
    await userEvent.tab();
    expect(value()).toBe(iso);
    expect(input).toHaveValue(shown);
  });

  test('the calendar is in English with Common Era years', async () => {
    renderField('2026-11-15', { label: 'Birth date', 'aria-label': 'วันเกิด' }, 'en');
    await userEvent.click(screen.getByRole('button', { name: 'Pick Birth date from the calendar' }));
    expect(await screen.findByRole('button', { name: 'Choose the month' })).toHaveTextContent(
      'November 2026',
    );
    expect(screen.getByRole('button', { name: 'Sunday 15 November 2026' })).toBeVisible();
  });
});
