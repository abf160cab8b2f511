import { act, fireEvent, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { goneFrom, keepPlaces, useHeldRows } from './use-held-rows';

interface Row {
  id: number;
  status: string;
}

const row = (id: number, status = 'BOOKED'): Row => ({ id, status });
const keyOf = ({ id }: Row) => id;

test('rows keep their places with fresh data; removed rows stay, new ones come last', () => {
  const shown = [row(1), row(2), row(3)];
  const fresh = [row(4), row(3, 'CONFIRMED'), row(1)];
  expect(keepPlaces(shown, fresh, keyOf)).toEqual([row(1), row(2), row(3, 'CONFIRMED'), row(4)]);
  expect(goneFrom(shown, fresh, keyOf)).toEqual(new Set([2]));
});

function List({ rows: fresh }: { rows: Row[] }) {
  const { rows, ref } = useHeldRows(fresh, (shown, now) => keepPlaces(shown, now, keyOf));
  return (
    <ul ref={ref}>
      {rows.map(({ id }) => (
        <li key={id}>
          <button type="button" data-hold>
            {id}
          </button>
        </li>
      ))}
    </ul>
  );
}

const shownIds = () => screen.getAllByRole('button').map(({ textContent }) => textContent);
const pointer = (type: string, target: EventTarget, init: PointerEventInit) =>
  act(() => target.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'mouse', ...init })));

test('after a click, rows keep their places until the mouse leaves the list', () => {
  const { rerender } = render(<List rows={[row(1), row(2)]} />);
  fireEvent.click(screen.getByRole('button', { name: '1' }), { detail: 1 });
  rerender(<List rows={[row(2), row(3)]} />);
  expect(shownIds()).toEqual(['1', '2', '3']);
  pointer('pointermove', window, { clientX: 500, clientY: 500 });
  expect(shownIds()).toEqual(['2', '3']);
});

test('rows do not move while the mouse is over their actions', () => {
  const { rerender } = render(<List rows={[row(1), row(2)]} />);
  pointer('pointerover', screen.getByRole('button', { name: '2' }), {});
  rerender(<List rows={[row(3), row(1), row(2)]} />);
  expect(shownIds()).toEqual(['1', '2', '3']);
  pointer('pointerover', screen.getByRole('list'), {});
  expect(shownIds()).toEqual(['3', '1', '2']);
});

test('after a key press, a row keeps its place until the focus leaves it', () => {
  const { rerender } = render(<List rows={[row(1), row(2)]} />);
  act(() => screen.getByRole('button', { name: '1' }).focus());
  fireEvent.click(screen.getByRole('button', { name: '1' }), { detail: 0 });
  rerender(<List rows={[row(2)]} />);
  expect(shownIds()).toEqual(['1', '2']);
  act(() => screen.getByRole('button', { name: '2' }).focus());
  expect(shownIds()).toEqual(['2']);
});

test('rows of another address are shown at once', () => {
  const { rerender } = render(<List rows={[row(1), row(2)]} />);
  fireEvent.click(screen.getByRole('button', { name: '1' }), { detail: 1 });
  window.history.replaceState(null, '', '/app/appointment/list?page=2');
  rerender(<List rows={[row(5)]} />);
  expect(shownIds()).toEqual(['5']);
});

test('rows of another search are shown at once, although its text is not in the address', () => {
  const { rerender } = render(<List rows={[row(1), row(2)]} />);
  fireEvent.click(screen.getByRole('button', { name: '1' }), { detail: 1 });
  window.history.replaceState({ __TSR_key: 'another' }, '');
  rerender(<List rows={[row(5)]} />);
  expect(shownIds()).toEqual(['5']);
});
