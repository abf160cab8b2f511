import { call } from '@/api/client';
import { ApiError, NETWORK } from '@/api/error';
import { tokenFor } from '@/api/token';
import { currentLanguage } from '@/i18n/language';

export type SlipSize = 'a5' | '80mm';

/** Opens the appointment slip for printing. */
export function printSlip(id: number, size: SlipSize = 'a5'): Promise<void> {
  return printPdf(`/admin/api/v1/appointment/slip/${id}`, { size });
}

/** Opens the list of a day's patients for printing: of one service, or of all with a page each. */
export function printDayList(date: string, serviceId?: number): Promise<void> {
  return printPdf('/admin/api/v1/appointment/day-list', {
    date,
    ...(serviceId && { serviceId: String(serviceId) }),
  });
}

/**
 * printPdf fetches the PDF with the token in a header and shows it from memory. Its window is opened before the
 * request: a pop-up blocker would stop one that opens after it.
 */
async function printPdf(path: string, query: Record<string, string>): Promise<void> {
  const target = window.open('', '_blank');
  try {
    const file = await fetchPdf(path, query);
    const url = URL.createObjectURL(file);
    if (target) target.location.href = url;
    else window.location.assign(url);
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    target?.close();
    throw error;
  }
}

async function fetchPdf(path: string, query: Record<string, string>): Promise<Blob> {
  const response = await fetch(
    new Request(new URL(`${path}?${new URLSearchParams(query)}`, location.origin), {
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
