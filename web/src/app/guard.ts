import type { QueryClient } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { ApiError } from '@/api/error';
import { adminToken, removeTokens } from '@/api/token';
import { meQuery, permissionsQuery, readClaims, signOut } from '@/entities/session/session';
import { leaveNotice } from './notice';
import { withoutTyped } from './private-search';

const PERMISSIONS_FRESH_MS = 15_000;
/** How long after a failed permissions call the page is reloaded. */
const RELOAD_DELAY_MS = 300;

let leaving = false;
window.addEventListener('pagehide', () => {
  leaving = true;
});
window.addEventListener('beforeunload', () => {
  leaving = true;
  // The user may have cancelled leaving the page.
  setTimeout(() => {
    leaving = false;
  }, 3000);
});

/** Redirects to the sign-in page, and back to `href` afterwards, unless the stored token is still valid. */
export function requireToken(href: string): void {
  if (readClaims()) return;
  if (adminToken()) leaveNotice('expired');
  removeTokens();
  throw redirect({ to: '/login', search: { redirect: withoutTyped(href) } });
}

/**
 * The guard of every signed-in page: requires a valid token, loaded permissions, and a password that is not due for
 * change.
 */
export async function requireSession(queryClient: QueryClient, href: string): Promise<void> {
  requireToken(href);
  // Without the user only the role's label in the top bar is missing.
  const me = queryClient.ensureQueryData({ ...meQuery, retry: false }).catch(() => null);
  let mustChangePassword: boolean;
  try {
    await queryClient.ensureQueryData(permissionsQuery);
    // The role may have changed since: refresh the menu in the background on each navigation.
    void queryClient.prefetchQuery({ ...permissionsQuery, staleTime: PERMISSIONS_FRESH_MS });
    mustChangePassword = (await me)?.mustChangePassword ?? false;
  } catch (error) {
    // A reload during loading aborts the call; this is not a failure.
    if (leaving) return new Promise<never>(() => {});
    if (!(error instanceof ApiError && error.code === 'PASSWORD_CHANGE_REQUIRED')) return signOutAndReload();
    mustChangePassword = true;
  }
  if (mustChangePassword)
    throw redirect({ to: '/app/change-password', search: { redirect: withoutTyped(href) } });
}

/** Ends the session after a failed permissions call. Never resolves, because the page is about to be reloaded. */
function signOutAndReload(): Promise<never> {
  void signOut();
  removeTokens();
  leaveNotice('permissionsFailed');
  setTimeout(() => location.reload(), RELOAD_DELAY_MS);
  return new Promise<never>(() => {});
}
