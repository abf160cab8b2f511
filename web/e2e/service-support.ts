import type { APIRequestContext } from '@playwright/test';
import { adminCall } from './accounts';
import { uniqueThai } from './patient-support';
import { unique } from './role-support';

export interface TestService {
  id: number;
  version: number;
  code: string;
  name: string;
  sort: number;
  active: boolean;
  [field: string]: unknown;
}

export const SERVICE_API = '/admin/api/v1/service-config';

/** A service used by this test only, last in the order, so that moving it does not move the sample ones. */
export function addService(
  request: APIRequestContext,
  token: string,
  fields: object = {},
): Promise<TestService> {
  return adminCall(request, token, `${SERVICE_API}/create`, {
    code: `T${unique()}`,
    name: uniqueThai('คลินิก'),
    sort: 1000 + Math.floor(Math.random() * 8000),
    ...fields,
  });
}

export function readService(request: APIRequestContext, token: string, id: number): Promise<TestService> {
  return adminCall(request, token, `${SERVICE_API}/${id}`);
}

/** Deletes the services of the test: other tests count them and book into the first. */
export async function removeService(request: APIRequestContext, token: string, id: number): Promise<void> {
  await request.post(`${SERVICE_API}/delete`, {
    headers: { Authorization: `Bearer ${token}` },
    data: { id },
  });
}
