import type { RouterHistory } from '@tanstack/react-router';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPrivateHistory } from './history';

const LIST = '/app/patient-management';
const address = () => location.pathname + location.search;

let history: RouterHistory;
beforeEach(() => window.history.replaceState(null, '', LIST));
afterEach(() => {
  history.destroy();
  sessionStorage.clear();
});

/** Simulates a reload of the tab. */
function reload(): RouterHistory {
  history.destroy();
  history = createPrivateHistory();
  return history;
}

test('the router sees the search text, the address bar does not', () => {
  history = createPrivateHistory();
  history.replace(`${LIST}?sex=M&q=somchai`);
  history.flush();
  expect(address()).toBe(`${LIST}?sex=M`);
  expect(JSON.stringify(window.history.state)).not.toContain('somchai');
  expect(history.location.search).toBe('?sex=M&q=somchai');
  expect(history.createHref(`${LIST}?q=somchai&customer=7`)).toBe(`${LIST}?customer=7`);
});

test('the search text survives a reload until it is cleared or the sign-in page is shown', () => {
  history = createPrivateHistory();
  history.push(`${LIST}?q=somchai`);
  history.flush();
  expect(reload().location.search).toBe('?q=somchai');
  history.replace(LIST);
  history.flush();
  expect(reload().location.search).toBe('');
  history.push(`${LIST}?q=somsri`);
  history.flush();
  const before = window.history.state;
  history.push('/login');
  history.flush();
  expect(sessionStorage).toHaveLength(0);
  window.history.replaceState(before, '', LIST);
  expect(history.location.search).toBe('');
});

test('search text in an old link is removed from the address', () => {
  window.history.replaceState(null, '', `${LIST}?q=somchai&page=2`);
  history = createPrivateHistory();
  expect(address()).toBe(`${LIST}?page=2`);
  expect(new URLSearchParams(history.location.search).get('q')).toBe('somchai');
  expect(new URLSearchParams(reload().location.search).get('q')).toBe('somchai');
});

test('the search starts empty if the stored text cannot be parsed', () => {
  sessionStorage.setItem('nadmor.typed', '{"x":');
  history = createPrivateHistory();
  expect(history.location.href).toBe(LIST);
});
