import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from '@/api/error';
import { fetchFile, fileName, formatBytes } from './download';

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['attachment; filename="patients.csv"; filename*=UTF-8\'\'%E0%B8%9C%E0%B8%B9%E0%B9%89.csv', 'ผู้.csv'],
  ['attachment; filename="patients 2569.xlsx"', 'patients 2569.xlsx'],
  ['attachment; filename=plain.csv', 'plain.csv'],
  ['attachment; filename="safe.csv"; filename*=UTF-8\'\'%E0%zz', 'safe.csv'],
  ['inline', null],
])('the file name in %s', (header, name) => {
  expect(fileName(header)).toBe(name);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1536, '1.5 kB'],
  [123_456, '123 kB'],
  [2_500_000, '2.5 MB'],
])('%i bytes', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

const ask = (onProgress = vi.fn(), signal = new AbortController().signal) =>
  fetchFile({ path: '/admin/api/v1/patients/export', body: { format: 'csv' }, signal, onProgress });

function answer(chunks: (string | Error)[], init: ResponseInit = {}) {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = chunks.shift();
      if (next === undefined) controller.close();
      else if (next instanceof Error) controller.error(next);
      else controller.enqueue(new TextEncoder().encode(next));
    },
  });
  vi.stubGlobal('fetch', async () => new Response(body, init));
}

test('reads a file completely and counts the bytes', async () => {
  answer(['one,', 'two'], { headers: { 'Content-Disposition': 'attachment; filename="a.csv"' } });
  const onProgress = vi.fn();
  const file = await ask(onProgress);
  expect(file.name).toBe('a.csv');
  expect(await file.text()).toBe('one,two');
  expect(onProgress.mock.calls.map(([progress]) => progress.received)).toEqual([4, 7]);
});

test('throws the server’s error', async () => {
  const error = { code: 'FORBIDDEN', message: 'ไม่มีสิทธิ์', requestId: 'r1' };
  answer([JSON.stringify({ success: false, error })], { status: 403 });
  await expect(ask()).rejects.toMatchObject({ code: 'FORBIDDEN', message: 'ไม่มีสิทธิ์', requestId: 'r1' });
});

test('throws if the response is interrupted', async () => {
  answer(['half', new TypeError('network')]);
  await expect(ask()).rejects.toBeInstanceOf(ApiError);
});
