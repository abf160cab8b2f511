import { beginAttempt, endAttempt } from '@/api/attempts';
import { call } from '@/api/client';
import { networkError } from '@/api/error';
import { tokenFor } from '@/api/token';
import { currentLanguage } from '@/i18n/language';

interface Upload {
  path: string;
  file: Blob;
  name: string;
  /** Further form fields; empty ones are omitted. */
  texts?: Record<string, string>;
  signal: AbortSignal;
  /** The sent fraction, 0 to 1. */
  onProgress: (share: number) => void;
}

/** Uploads a file as form data with progress, which fetch cannot report. Errors throw ApiError as in any call. */
export async function uploadFile<Data>({
  path,
  file,
  name,
  texts = {},
  signal,
  onProgress,
}: Upload): Promise<Data> {
  const form = new FormData();
  for (const [field, text] of Object.entries(texts)) if (text !== '') form.append(field, text);
  form.append('file', file, name);
  const request = new XMLHttpRequest();
  request.open('POST', path);
  request.setRequestHeader('Authorization', `Bearer ${tokenFor(path) ?? ''}`);
  request.setRequestHeader('Accept-Language', currentLanguage());
  const { size, lastModified = 0 } = file as File;
  const content = JSON.stringify([path, texts, name, size, lastModified]);
  const key = beginAttempt(content);
  request.setRequestHeader('Idempotency-Key', key);
  request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
  await new Promise<void>((resolve, reject) => {
    const abort = () => request.abort();
    signal.throwIfAborted();
    signal.addEventListener('abort', abort, { once: true });
    request.onload = () => resolve();
    request.onerror = () => reject(networkError());
    request.onabort = () => reject(new DOMException('cancelled', 'AbortError'));
    request.onloadend = () => signal.removeEventListener('abort', abort);
    request.send(form);
  }).finally(() => endAttempt(content, key, { status: request.status, aborted: signal.aborted }));
  const response = new Response(null, {
    status: request.status,
    headers: { 'X-Request-Id': request.getResponseHeader('X-Request-Id') ?? '' },
  });
  const body = parseJson(request.responseText);
  return call<Data>(Promise.resolve(response.ok ? { data: body, response } : { error: body, response }));
}

function parseJson(text: string): { success?: unknown; data?: never } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
