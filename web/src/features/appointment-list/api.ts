import { api, call } from '@/api/client';
import type { components } from '@/api/schema';
import type { AppointmentStatus } from '@/entities/appointment/api';

export type BulkMarked = components['schemas']['BulkMarked'];

/** markSeveral sets one status for several appointments. The server reports each that it rejects. */
export async function markSeveral(
  ids: number[],
  status: AppointmentStatus,
  reason: string,
): Promise<BulkMarked> {
  const body = { ids, status, reason };
  return (await call(api.POST('/admin/api/v1/appointment/mark-status', { body }))) as BulkMarked;
}
