export const HOME = '/app/dashboard';

/**
 * Returns where to go after sign-in. Only paths of this site are accepted: `//evil`, `/\evil`, `https:…` and paths with
 * control characters (which browsers drop, so that `/\t/evil` becomes `//evil`) lead to the home page instead.
 */
export function safeRedirect(target: unknown, origin: string = location.origin): string {
  if (typeof target !== 'string' || !/^\/(?![/\\])/.test(target) || hasControlCharacter(target)) return HOME;
  try {
    const url = new URL(target, origin);
    if (url.origin !== origin || url.pathname === '/login') return HOME;
    return url.pathname + url.search + url.hash;
  } catch {
    return HOME;
  }
}

function hasControlCharacter(target: string): boolean {
  return [...target].some((character) => character < ' ' || character === '\u007f');
}
