import { api, call } from '@/api/client';

export function deleteAppointment(id: number) {
  return call(api.DELETE('/admin/api/v1/appointment/delete/{id}', { params: { path: { id } } }));
}
