/**
 * What people type into searches is part of a page's search for the router, and of no address: an address ends up in the
 * browser's history, in proxies' logs and in links that are passed on. Each parameter says which of its values are typed;
 * an id of ours, which a link names, is none.
 */
const TYPED: Record<string, (value: string) => boolean> = {
  q: () => true,
  entityId: (value) => !/^"?[1-9]\d{0,8}"?$/.test(value),
};

const PARTS = /^([^?#]*)(\?[^#]*)?(#.*)?$/s;

/** splitTyped takes what was typed out of an address of the app: `typed` is its part of the search as it stood there. */
export function splitTyped(href: string): { shown: string; typed: string } {
  const [, path = '', search = '', hash = ''] = PARTS.exec(href) ?? [];
  const params = search.slice(1).split('&').filter(Boolean);
  const typed = params.filter(isTyped);
  const shown = params.filter((param) => !isTyped(param)).map(withCleanRedirect);
  return { shown: path + asSearch(shown) + hash, typed: typed.join('&') };
}

/** withoutTyped is an address as the browser, a proxy or a colleague may see it. */
export function withoutTyped(href: string): string {
  return splitTyped(href).shown;
}

/** withTyped puts back what splitTyped took out. */
export function withTyped(shown: string, typed: string): string {
  const [, path = '', search = '', hash = ''] = PARTS.exec(shown) ?? [];
  return path + asSearch([search.slice(1), typed].filter(Boolean)) + hash;
}

const asSearch = (params: string[]) => (params.length > 0 ? `?${params.join('&')}` : '');

function isTyped(param: string): boolean {
  return [...new URLSearchParams(param)].some(([name, value]) => TYPED[name]?.(value));
}

/** The page to go back to after signing in stands in an address, too. */
function withCleanRedirect(param: string): string {
  const target = new URLSearchParams(param).get('redirect');
  const clean = target === null ? null : withoutTyped(target);
  return clean === target ? param : `redirect=${encodeURIComponent(clean ?? '')}`;
}
