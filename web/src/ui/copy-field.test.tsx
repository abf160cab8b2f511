import { fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { renderInApp } from '@/test/render';
import { CopyField } from './copy-field';

afterEach(() => vi.unstubAllGlobals());

test('copies a link on plain HTTP, which has no clipboard API', () => {
  vi.stubGlobal(
    'navigator',
    new Proxy(navigator, {
      has: (target, name) => name !== 'clipboard' && name in target,
      get: (target, name) => Reflect.get(target, name, target),
    }),
  );
  const copied: string[] = [];
  document.execCommand = (command) => {
    const { value, selectionStart, selectionEnd } = screen.getByRole<HTMLInputElement>('textbox');
    copied.push(`${command} ${value.slice(selectionStart ?? 0, selectionEnd ?? 0)}`);
    return true;
  };
  renderInApp(<CopyField label="ลิงก์" value="http://hospital/x" />);
  fireEvent.click(screen.getByRole('button', { name: 'คัดลอก' }));
  expect(copied).toEqual(['copy http://hospital/x']);
  expect(screen.getByRole('button', { name: 'คัดลอกแล้ว' })).toBeInTheDocument();
});
