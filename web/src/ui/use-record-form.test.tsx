import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ApiError } from '@/api/error';
import { renderInApp } from '@/test/render';
import { RecordConflict } from './record-conflict';
import { useRecordForm } from './use-record-form';

interface Room {
  id: number;
  version: number;
  name: string;
  floor: string;
  note: string;
}
type Values = { name: string; floor: string; note: string };

const ROOM: Room = { id: 7, version: 4, name: 'ห้อง 1', floor: '2', note: '' };
const EMPTY: Values = { name: '', floor: '', note: '' };
const valuesOf = ({ name, floor, note }: Room): Values => ({ name, floor, note });
const trimmed = ({ name, floor, note }: Values) => ({
  name: name.trim(),
  floor: floor.trim(),
  note: note.trim(),
});
const stale = (current: Room) => new ApiError({ code: 'CONFLICT_VERSION', details: { current } });

let unsaved: () => boolean;
let show: (newer: Room) => void;

/** The form of a room, with a server that gives these responses in turn. */
function setUp(first: Room | null, ...answers: (Room | ApiError)[]) {
  const server = vi.fn((_: object) => {
    const answer = answers.shift() ?? ROOM;
    return answer instanceof ApiError ? Promise.reject(answer) : Promise.resolve(answer);
  });
  const onSaved = vi.fn((_: Room, fields: string[]) => [fields, unsaved()]);
  function Form() {
    const [room, setRoom] = useState(first);
    show = (newer) => act(() => setRoom(newer));
    const record = useRecordForm({
      record: room,
      blank: EMPTY,
      valuesOf,
      textsOf: trimmed,
      inputOf: trimmed,
      schema: z.object({ name: z.string(), floor: z.string(), note: z.string() }),
      create: (values) => server(values),
      update: (change, { id }) => server({ id, ...change }),
      onSaved,
    });
    unsaved = record.unsaved;
    return (
      <form onSubmit={record.onSubmit}>
        {(['name', 'floor', 'note'] as const).map((field) => (
          <input key={field} aria-label={field} {...record.form.getInputProps(field)} />
        ))}
        <button type="submit">save</button>
        {record.outdated && <p>outdated</p>}
        <RecordConflict conflict={record.conflict} label={(field) => `the ${field}`} textsOf={trimmed} />
      </form>
    );
  }
  renderInApp(<Form />);
  return { server, onSaved };
}

const input = (name: string) => screen.getByRole('textbox', { name });
const write = (name: string, value: string) => fireEvent.change(input(name), { target: { value } });
const save = () => act(async () => fireEvent.click(screen.getByRole('button', { name: 'save' })));

test('sends only the changed fields', async () => {
  const { server, onSaved } = setUp(ROOM, { ...ROOM, note: 'ใหม่', version: 5 });
  write('name', ' ห้อง 1 ');
  write('note', 'ใหม่ ');
  await save();
  expect(server.mock.calls).toEqual([[{ id: 7, version: 4, note: 'ใหม่' }]]);
  expect(onSaved).toHaveBeenCalledWith({ ...ROOM, note: 'ใหม่', version: 5 }, ['note']);
});

test('sends nothing without changes', async () => {
  const { server, onSaved } = setUp(ROOM);
  write('name', ' ห้อง 1 ');
  await save();
  expect(server).not.toHaveBeenCalled();
  expect(onSaved).toHaveBeenCalledWith(ROOM, []);
});

test.each([
  ['changed', ROOM, { ...ROOM, note: 'ใหม่', version: 5 }],
  ['new', null, { ...ROOM, note: 'ใหม่' }],
])('a %s record has no unsaved changes after a save', async (_, first, saved) => {
  const { onSaved } = setUp(first, saved);
  expect(unsaved()).toBe(false);
  write('note', 'ใหม่');
  expect(unsaved()).toBe(true);
  await save();
  expect(onSaved).toHaveReturnedWith([expect.anything(), false]);
});

test('merges another field saved by another user without asking', async () => {
  const theirs = { ...ROOM, floor: '3', version: 5 };
  const { server } = setUp(ROOM, stale(theirs), { ...theirs, note: 'ของฉัน', version: 6 });
  write('note', 'ของฉัน');
  await save();
  expect(server.mock.lastCall).toEqual([{ id: 7, version: 5, note: 'ของฉัน' }]);
  expect(input('floor')).toHaveValue('3');
});

test('asks about fields that both changed and takes over the other changes', async () => {
  const theirs = { ...ROOM, name: 'ของเขา', floor: '3', note: 'ของเขา', version: 5 };
  const { server } = setUp(ROOM, stale(theirs), { ...theirs, note: 'ของฉัน', version: 6 });
  write('name', 'ของฉัน');
  write('note', 'ของฉัน');
  await save();
  const name = screen.getByRole('radiogroup', { name: 'the name' });
  expect(screen.getByRole('radiogroup', { name: 'the note' })).toBeVisible();
  expect(screen.queryByRole('radiogroup', { name: 'the floor' })).toBeNull();
  fireEvent.click(within(name).getByRole('radio', { name: /ของเขา/ }));
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'บันทึกตามที่เลือก' })));
  expect(server.mock.lastCall).toEqual([{ id: 7, version: 5, note: 'ของฉัน' }]);
  await waitFor(() => expect(input('name')).toHaveValue('ของเขา'));
  expect(input('floor')).toHaveValue('3');
});

test('takes over a newer record if nothing was typed, and otherwise reports it', async () => {
  setUp(ROOM);
  show({ ...ROOM, note: 'ใหม่', version: 5 });
  expect(input('note')).toHaveValue('ใหม่');
  write('note', 'ของฉัน');
  show({ ...ROOM, note: 'ใหม่กว่า', version: 6 });
  expect(input('note')).toHaveValue('ของฉัน');
  expect(screen.getByText('outdated')).toBeVisible();
});

test('changes are merged again if others save in between', async () => {
  const newer = (version: number) => stale({ ...ROOM, floor: String(version), version });
  const { server } = setUp(ROOM, newer(5), newer(6), { ...ROOM, floor: '6', note: 'ของฉัน', version: 7 });
  write('note', 'ของฉัน');
  await save();
  expect(server.mock.calls.map(([change]) => change)).toEqual([
    { id: 7, version: 4, note: 'ของฉัน' },
    { id: 7, version: 5, note: 'ของฉัน' },
    { id: 7, version: 6, note: 'ของฉัน' },
  ]);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('does not send a change that other users have already saved', async () => {
  const theirs = { ...ROOM, note: 'เหมือนกัน', version: 5 };
  const { server, onSaved } = setUp(ROOM, stale(theirs));
  write('note', 'เหมือนกัน');
  await save();
  expect(server).toHaveBeenCalledTimes(1);
  expect(onSaved).toHaveBeenCalledWith(theirs, ['note']);
});
