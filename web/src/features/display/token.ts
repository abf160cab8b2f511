const KEY = 'nadmor.display.';

/**
 * The token of a screen: from the link it is opened with, then from the browser. A link carries it behind the #, which is
 * sent to no server and so is in no log; it is taken out of the address at once, so that nobody reads it from the screen.
 */
export function takeToken(service: string): string | null {
  const given = window.location.hash.slice(1);
  if (/^[A-Z0-9]{20,64}$/.test(given)) {
    localStorage.setItem(KEY + service, given);
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }
  return localStorage.getItem(KEY + service);
}
