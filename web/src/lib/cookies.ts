/** Returns the value of a cookie, or undefined if it does not exist or cannot be decoded. */
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

/** SameSite=Strict: links on other sites never send the token. Not HttpOnly, because the page reads it. */
export function writeCookie(name: string, value: string, expires: Date): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API does not exist on plain http addresses.
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; expires=${expires.toUTCString()}; SameSite=Strict${secure}`;
}

export function removeCookie(name: string): void {
  writeCookie(name, '', new Date(0));
}
