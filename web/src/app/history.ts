import { createBrowserHistory, type RouterHistory } from '@tanstack/react-router';
import { splitTyped, withoutTyped, withTyped } from './private-search';

const STORAGE_KEY = 'nadmor.typed';
/** More steps back than these start without their search text. */
const REMEMBERED = 50;

/** What was typed at each step of this tab's history, by the step's key. */
let typed = new Map<string, string>();

/**
 * createPrivateHistory is the browser's history without what people type into searches. The router sees the whole address;
 * the browser gets it without the typed part, which this tab keeps for reloads, Back and Forward until the sign-in page.
 * An old address that still has it is cleaned when it is first read.
 */
export function createPrivateHistory(): RouterHistory {
  typed = readTyped();
  let current = '';
  const parseLocation = (): RouterHistory['location'] => {
    const { history, location } = window;
    const { shown, typed: inAddress } = splitTyped(location.pathname + location.search + location.hash);
    const key: string | undefined = history.state?.__TSR_key;
    if (inAddress) {
      // Not the history's own method: the router would take the call for a navigation.
      History.prototype.replaceState.call(history, history.state, '', shown);
      if (key) remember(key, inAddress);
    }
    // A step without a key is one to another place on the same page, as the skip link makes it.
    const text = inAddress || (key ? (typed.get(key) ?? '') : current);
    current = text;
    const { pathname, search, hash } = new URL(withTyped(shown, text), location.origin);
    return { href: pathname + search + hash, pathname, search, hash, state: history.state ?? NO_STATE };
  };
  const history = createBrowserHistory({ createHref: withoutTyped, parseLocation });
  if (history.location.pathname === SIGN_IN) forgetTyped();
  history.subscribe(({ location, action }) => {
    if (location.pathname === SIGN_IN) forgetTyped();
    if (action.type !== 'PUSH' && action.type !== 'REPLACE') return;
    current = splitTyped(location.href).typed;
    remember(location.state.__TSR_key ?? '', current);
  });
  return history;
}

const SIGN_IN = '/login';
const NO_STATE = { __TSR_index: 0, __TSR_key: 'fragment' };

/** forgetTyped drops what was typed in this tab: the next user must not find it behind the Back button. */
function forgetTyped(): void {
  typed.clear();
  save();
}

function remember(key: string, text: string): void {
  typed.delete(key);
  if (text) typed.set(key, text);
  for (const oldest of [...typed.keys()].slice(0, -REMEMBERED)) typed.delete(oldest);
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
    // Without storage a reload starts with an empty search.
  }
}
