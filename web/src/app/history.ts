import { createBrowserHistory, type RouterHistory } from '@tanstack/react-router';
import { splitTyped, withoutTyped, withTyped } from './private-search';

const STORAGE_KEY = 'nadmor.typed';
/** Older history entries lose their search text. */
const MAX_ENTRIES = 50;

/** The search text of each history entry of this tab, by the entry's key. */
let typed = new Map<string, string>();

/**
 * createPrivateHistory returns a browser history that keeps search text out of the address bar. The router sees the
 * whole address; the browser gets it without the search text, which is stored in session storage for reloads, Back and
 * Forward until the sign-in page is shown. Search text in an old link is removed from the address when it is first
 * read.
 */
export function createPrivateHistory(): RouterHistory {
  typed = readTyped();
  let current = '';
  const parseLocation = (): RouterHistory['location'] => {
    const { history, location } = window;
    const { shown, typed: inAddress } = splitTyped(location.pathname + location.search + location.hash);
    const key: string | undefined = history.state?.__TSR_key;
    if (inAddress) {
      // The router patches history.replaceState and would treat the call as a navigation.
      History.prototype.replaceState.call(history, history.state, '', shown);
      if (key) storeTyped(key, inAddress);
    }
    // An entry without a key is a fragment navigation on the same page, for example by the skip link.
    const text = inAddress || (key ? (typed.get(key) ?? '') : current);
    current = text;
    const { pathname, search, hash } = new URL(withTyped(shown, text), location.origin);
    return { href: pathname + search + hash, pathname, search, hash, state: history.state ?? NO_STATE };
  };
  const history = createBrowserHistory({ createHref: withoutTyped, parseLocation });
  if (history.location.pathname === SIGN_IN) clearTyped();
  history.subscribe(({ location, action }) => {
    if (location.pathname === SIGN_IN) clearTyped();
    if (action.type !== 'PUSH' && action.type !== 'REPLACE') return;
    current = splitTyped(location.href).typed;
    storeTyped(location.state.__TSR_key ?? '', current);
  });
  return history;
}

const SIGN_IN = '/login';
const NO_STATE = { __TSR_index: 0, __TSR_key: 'fragment' };

/** clearTyped drops all search text of this tab, so that the next user cannot find it with the Back button. */
function clearTyped(): void {
  typed.clear();
  save();
}

function storeTyped(key: string, text: string): void {
  typed.delete(key);
  if (text) typed.set(key, text);
  for (const oldest of [...typed.keys()].slice(0, -MAX_ENTRIES)) typed.delete(oldest);
  save();
}

function readTyped(): Map<string, string> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}');
    const entries = Object.entries(stored ?? {});
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}

function save(): void {
  try {
    if (typed.size > 0) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(Object.fromEntries(typed)));
    else sessionStorage.removeItem(STORAGE_KEY);
  } catch {
    // Without session storage, a reload starts with an empty search.
  }
}
