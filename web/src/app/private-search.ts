/**
 * Search parameters that hold typed text. The router sees them; the address bar does not, because addresses end up in
 * the browser's history, in proxy logs and in shared links. Each entry decides which values are typed: a record id,
 * which links contain, is not.
 */
const TYPED: Record<string, (value: string) => boolean> = {
  q: () => true,
  entityId: (value) => !/^"?[1-9]\d{0,8}"?$/.test(value),
};

const PARTS = /^([^?#]*)(\?[^#]*)?(#.*)?$/s;

/** splitTyped separates the typed parameters, unchanged and joined by `&`, from the rest of an address. */
export function splitTyped(href: string): { shown: string; typed: string } {
  const [, path = '', search = '', hash = ''] = PARTS.exec(href) ?? [];
  const params = search.slice(1).split('&').filter(Boolean);
  const typed = params.filter(isTyped);
  const shown = params.filter((param) => !isTyped(param)).map(withCleanRedirect);
  return { shown: path + asSearch(shown) + hash, typed: typed.join('&') };
}

/** withoutTyped returns the address without its typed parameters, fit for the address bar and for links. */
export function withoutTyped(href: string): string {
  return splitTyped(href).shown;
}

/** withTyped reverses splitTyped. */
export function withTyped(shown: string, typed: string): string {
  const [, path = '', search = '', hash = ''] = PARTS.exec(shown) ?? [];
  return path + asSearch([search.slice(1), typed].filter(Boolean)) + hash;
}

const asSearch = (params: string[]) => (params.length > 0 ? `?${params.join('&')}` : '');

function isTyped(param: string): boolean {
  return [...new URLSearchParams(param)].some(([name, value]) => TYPED[name]?.(value));
}

/** Removes typed parameters from the address in a `redirect` parameter. */
function withCleanRedirect(param: string): string {
  const target = new URLSearchParams(param).get('redirect');
  const clean = target === null ? null : withoutTyped(target);
  return clean === target ? param : `redirect=${encodeURIComponent(clean ?? '')}`;
}
