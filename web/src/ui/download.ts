import { call } from '@/api/client';
import { ApiError, NETWORK } from '@/api/error';
import { tokenFor } from '@/api/token';
import { currentLanguage } from '@/i18n/language';

export interface DownloadProgress {
  received: number;
  /** Only if the server knows it in advance. */
  total?: number;
}

interface FileRequest {
  path: string;
  /** The request body; without one the request is a GET. */
  body?: object;
  signal: AbortSignal;
  onProgress: (progress: DownloadProgress) => void;
}

/**
 * Downloads a file completely. Errors throw ApiError as in any call, and so does an interrupted response: an incomplete
 * file is never returned.
 */
export async function fetchFile({ path, body, signal, onProgress }: FileRequest): Promise<File> {
  const response = await request(path, body, signal);
  if (!response.ok || !response.body) return throwApiError(response);
  const total = Number(response.headers.get('Content-Length')) || undefined;
  const chunks: BlobPart[] = [];
  const reader = response.body.getReader();
  let received = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(throwNetworkError);
    if (done) break;
    chunks.push(value);
    received += value.byteLength;
    onProgress({ received, total });
  }
  const name = fileName(response.headers.get('Content-Disposition') ?? '') ?? 'download';
  return new File(chunks, name, { type: response.headers.get('Content-Type') ?? '' });
}

function request(path: string, body: object | undefined, signal: AbortSignal): Promise<Response> {
  return fetch(
    new Request(new URL(path, location.origin), {
      method: body ? 'POST' : 'GET',
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        Authorization: `Bearer ${tokenFor(path) ?? ''}`,
        'Accept-Language': currentLanguage(),
      },
      body: body && JSON.stringify(body),
      signal,
    }),
  ).catch(throwNetworkError);
}

function throwNetworkError(error: unknown): never {
  if (isAbort(error)) throw error;
  throw new ApiError({ code: NETWORK });
}

/** Throws the error in the envelope and reports it to the session. */
async function throwApiError(response: Response): Promise<never> {
  const error: unknown = await response.json().catch(() => undefined);
  return call<never>(Promise.resolve({ error, response }));
}

/** Reports whether the user cancelled the request. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** The name in a Content-Disposition header; `filename*` has the Thai one. */
export function fileName(disposition: string): string | null {
  const encoded = /filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(disposition)?.[1];
  if (encoded) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      // Use the plain name.
    }
  }
  return /filename\s*=\s*(?:"([^"]+)"|([^;\s]+))/i.exec(disposition)?.slice(1).find(Boolean) ?? null;
}

/** Saves a file through the browser. */
export function saveFile(file: File): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = file.name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has read the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const UNITS = ['B', 'kB', 'MB', 'GB'];

/** 1536 → '1.5 kB'. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const amount = bytes / 1000 ** power;
  return `${power > 0 && amount < 100 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[power]}`;
}
