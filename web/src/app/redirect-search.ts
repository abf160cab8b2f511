/** `?redirect=`: where to go afterwards. Checked by safeRedirect where it is used. */
export function redirectSearch(search: Record<string, unknown>): { redirect?: string } {
  return typeof search.redirect === 'string' ? { redirect: search.redirect } : {};
}
