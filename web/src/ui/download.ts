import { call } from '@/api/client';
import { ApiError, NETWORK } from '@/api/error';
import { tokenFor } from '@/api/token';
import { currentLanguage } from '@/i18n/language';

export interface DownloadProgress {
  received: number;
  /** Only where the server knows it beforehand. */
  total?: number;
}

interface FileRequest {
  path: string;
  /** What is asked for; without it the file is simply read. */
  body?: object;
  signal: AbortSignal;
  onProgress: (progress: DownloadProgress) => void;
}

/**
 * Asks the server for a file and reads it to its end. A refusal throws ApiError as any call does; an answer that breaks
 * off is a failure, too: half a file is never handed out.
 */
export async function fetchFile({ path, body, signal, onProgress }: FileRequest): Promise<File> {
  const response = await request(path, body, signal);
  if (!response.ok || !response.body) return refuse(response);
  const total = Number(response.headers.get('Content-Length')) || undefined;
  const chunks: BlobPart[] = [];
  const reader = response.body.getReader();
  let received = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(failed);
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
  ).catch(failed);
}

function failed(error: unknown): never {
  if (isAbort(error)) throw error;
  throw new ApiError({ code: NETWORK });
}

/** Throws what the envelope says, and tells the session of it. */
async function refuse(response: Response): Promise<never> {
  const error: unknown = await response.json().catch(() => undefined);
  return call<never>(Promise.resolve({ error, response }));
}

/** True for what was cancelled on purpose. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** The name in a Content-Disposition header; `filename*` carries the Thai one. */
export function fileName(disposition: string): string | null {
  const encoded = /filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(disposition)?.[1];
  if (encoded) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      // The plain name will do.
    }
  }
  return /filename\s*=\s*(?:"([^"]+)"|([^;\s]+))/i.exec(disposition)?.slice(1).find(Boolean) ?? null;
}

/** Hands a file to the browser's downloads. */
export function saveFile(file: File): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = file.name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has taken the file by the time this runs.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const UNITS = ['B', 'kB', 'MB', 'GB'];

/** 1536 → '1.5 kB'. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const amount = bytes / 1000 ** power;
  return `${power > 0 && amount < 100 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[power]}`;
}
