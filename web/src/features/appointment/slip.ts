import { call } from '@/api/client';
import { ApiError, NETWORK } from '@/api/error';
import { tokenFor } from '@/api/token';
import { currentLanguage } from '@/i18n/language';

export type SlipSize = 'a5' | '80mm';

/**
 * Opens the appointment slip for printing. The server wants the token in a header, so the PDF is fetched and shown from
 * memory, in a window that is opened at once: one that opens after an answer is taken for an advertisement.
 */
export async function printSlip(id: number, size: SlipSize = 'a5'): Promise<void> {
  const target = window.open('', '_blank');
  try {
    const file = await fetchSlip(id, size);
    const url = URL.createObjectURL(file);
    if (target) target.location.href = url;
    else window.location.assign(url);
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    target?.close();
    throw error;
  }
}

async function fetchSlip(id: number, size: SlipSize): Promise<Blob> {
  const path = `/admin/api/v1/appointment/slip/${id}`;
  const response = await fetch(
    new Request(new URL(`${path}?size=${size}`, location.origin), {
      headers: { Authorization: `Bearer ${tokenFor(path) ?? ''}`, 'Accept-Language': currentLanguage() },
    }),
  ).catch(() => {
    throw new ApiError({ code: NETWORK });
  });
  const type = response.headers.get('Content-Type') ?? '';
  if (response.ok && type.startsWith('application/pdf')) return response.blob();
  const error: unknown = await response.json().catch(() => undefined);
  return call<never>(Promise.resolve({ error, response }));
}
