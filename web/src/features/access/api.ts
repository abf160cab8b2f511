import { queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import { sessionKeys } from '@/entities/session/session';

export interface Credentials {
  username: string;
  password: string;
  otp?: string;
}

export function login(credentials: Credentials) {
  return call(api.POST('/admin/api/v1.0/auth/login', { body: credentials }), { keepSession: true });
}

export function changePassword(body: { currentPassword: string; newPassword: string }) {
  return call(api.POST('/admin/api/v1.0/auth/change-password', { body }));
}

export function register(body: {
  username: string;
  email: string;
  name: string;
  phone: string;
  password: string;
}) {
  return call(api.POST('/admin/api/v1.0/auth/register', { body }), { keepSession: true });
}

export function forgotPassword(email: string) {
  return call(api.POST('/admin/api/v1.0/auth/forgot-password', { body: { email } }), { keepSession: true });
}

export function resetPassword(body: { token: string; password: string }) {
  return call(api.POST('/admin/api/v1.0/auth/reset-password', { body }), { keepSession: true });
}

export const ownSessionsQuery = queryOptions({
  queryKey: [...sessionKeys.all, 'own-sessions'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1.0/auth/sessions', { signal })),
});

export function endOwnSession(sessionId: string) {
  return call(api.POST('/admin/api/v1.0/auth/end-sessions', { body: { sessionId } }));
}

export function setUpTotp(password: string) {
  return call(api.POST('/admin/api/v1.0/auth/totp/setup', { body: { password } }));
}

export function enableTotp(otp: string) {
  return call(api.POST('/admin/api/v1.0/auth/totp/enable', { body: { otp } }));
}

export function disableTotp(body: { password: string; otp: string }) {
  return call(api.POST('/admin/api/v1.0/auth/totp/disable', { body }));
}

export type TotpSetup = Awaited<ReturnType<typeof setUpTotp>>;

/** The response to a successful sign-in. */
export type SignedIn = Awaited<ReturnType<typeof login>>;
