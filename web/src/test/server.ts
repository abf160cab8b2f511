import { vi } from 'vitest';

interface Answer {
  status?: number;
  body: unknown;
}

/** Mocks the server: responds to the calls in turn, and records the requests. */
export function answerWith(...answers: Answer[]) {
  const requests: Request[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    requests.push(request.clone() as Request);
    const { status = 200, body } = answers[Math.min(requests.length, answers.length) - 1] ?? { body: null };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new Response(text, { status, headers: { 'X-Request-Id': 'header-id' } });
  });
  return requests;
}

/** Like `answerWith`, with a queue per method, for screens that read and write in any order. */
export function routes(answers: { GET?: Answer[]; POST?: Answer[] }) {
  const requests: Request[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    requests.push(request.clone() as Request);
    const queue = (request.method === 'GET' ? answers.GET : answers.POST) ?? [];
    const earlier = requests.filter(({ method }) => method === request.method).length;
    const { status = 200, body } = queue[Math.min(earlier, queue.length) - 1] ?? { body: null };
    return new Response(JSON.stringify(body), { status, headers: { 'X-Request-Id': 'header-id' } });
  });
  return requests;
}

export const success = (data: unknown): Answer => ({ body: { success: true, data } });

export const failure = (status: number, code: string, message: string, more: object = {}): Answer => ({
  status,
  body: { success: false, error: { code, message, requestId: 'req-123', ...more } },
});
