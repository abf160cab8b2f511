const KEY = 'nadmor.display.';

/**
 * Returns the token of a screen: from the link that opened it, afterwards from local storage. The link has it in the
 * fragment, which is not sent to servers or logged. It is removed from the address at once, so that it cannot be read
 * from the screen.
 */
export function takeToken(service: string): string | null {
  const given = window.location.hash.slice(1);
  if (/^[A-Z0-9]{20,64}$/.test(given)) {
    localStorage.setItem(KEY + service, given);
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }
  return localStorage.getItem(KEY + service);
}
