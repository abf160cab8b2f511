import { api, call } from '@/api/client';
import type { BookingInput, SeriesInput } from '@/entities/appointment/api';

export function book(body: BookingInput) {
  return call(api.POST('/admin/api/v1/appointment/create', { body }));
}

export function bookSeries(body: SeriesInput) {
  return call(api.POST('/admin/api/v1/appointment/create-series', { body }));
}

/** previewSeries returns what a series would book, without booking it. */
export function previewSeries(body: SeriesInput) {
  return call(api.POST('/admin/api/v1/appointment/create-series', { body: { ...body, preview: true } }));
}
