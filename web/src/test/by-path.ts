import { vi } from 'vitest';
import type { success } from './server';

type Answer = ReturnType<typeof success>;

/** Mocks the server: a queue of responses per call, keyed by the end of its path. The last response repeats. */
export function byPath(answers: Record<string, Answer[]>) {
  const sent: { path: string; body: unknown }[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname } = new URL(request.url);
    const end = Object.keys(answers).find((name) => pathname.endsWith(name)) ?? '';
    sent.push({ path: end, body: request.method === 'POST' ? await request.json() : null });
    const queue = answers[end] ?? [];
    const turn = sent.filter(({ path }) => path === end).length;
    const { status = 200, body } = queue[Math.min(turn, queue.length) - 1] ?? {
      body: { success: true, data: [] },
    };
    return new Response(JSON.stringify(body), { status, headers: { 'X-Request-Id': 'header-id' } });
  });
  return (end: string) => sent.filter(({ path }) => path === end).map(({ body }) => body);
}
