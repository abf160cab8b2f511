/** `?redirect=`: the address to open afterwards. safeRedirect checks it where it is used. */
export function redirectSearch(search: Record<string, unknown>): { redirect?: string } {
  return typeof search.redirect === 'string' ? { redirect: search.redirect } : {};
}
