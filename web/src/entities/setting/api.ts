import { queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';

export type Setting = components['schemas']['Setting'];

export const settingQuery = queryOptions({
  queryKey: ['setting'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1/global-setting/read', { signal })),
});
