import { readCookie, removeCookie, writeCookie } from '@/lib/cookies';

const ADMIN_COOKIE = 'access_token';
/** Used only for the customers calls. */
const CUSTOMER_COOKIE = 'smq_access_token';
const CUSTOMER_CALLS = '/admin/api/v1.0/customers';

export function adminToken(): string | undefined {
  return readCookie(ADMIN_COOKIE);
}

/** The admin and customer APIs reject each other's token, so the path decides which one to send. */
export function tokenFor(pathname: string): string | undefined {
  const forCustomers = pathname === CUSTOMER_CALLS || pathname.startsWith(`${CUSTOMER_CALLS}/`);
  return readCookie(forCustomers ? CUSTOMER_COOKIE : ADMIN_COOKIE);
}

const watchers = new Set<() => void>();

/** Calls the watcher when the user signs in or out in this tab. useSessionWatch detects changes made in other tabs. */
export function onTokenChange(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export function storeTokens(login: { accessToken: string; smqAccessToken: string; expiresAt: string }): void {
  const expires = new Date(login.expiresAt);
  writeCookie(ADMIN_COOKIE, login.accessToken, expires);
  writeCookie(CUSTOMER_COOKIE, login.smqAccessToken, expires);
  for (const watcher of watchers) watcher();
}

export function removeTokens(): void {
  removeCookie(ADMIN_COOKIE);
  removeCookie(CUSTOMER_COOKIE);
  for (const watcher of watchers) watcher();
}
