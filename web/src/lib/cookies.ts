/** The value of a cookie, or undefined when there is none or it cannot be decoded. */
export function readCookie(name: string): string | undefined {
  const prefix = `${name}=`;
  const pair = document.cookie.split('; ').find((cookie) => cookie.startsWith(prefix));
  if (!pair) return undefined;
  try {
    return decodeURIComponent(pair.slice(prefix.length));
  } catch {
    return undefined;
  }
}

/** Strict: the app is never entered with a token from a link on another site; the page itself reads the cookie. */
export function writeCookie(name: string, value: string, expires: Date): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API does not exist on plain http addresses.
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; expires=${expires.toUTCString()}; SameSite=Strict${secure}`;
}

export function removeCookie(name: string): void {
  writeCookie(name, '', new Date(0));
}
