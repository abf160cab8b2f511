import { expect, test } from 'vitest';
import { splitTyped, withoutTyped, withTyped } from './private-search';

test.each([
  ['/app/patient-management', ''],
  ['/app/patient-management?sex=M&page=2#main', ''],
  ['/app/patient-management?q=%E0%B8%AA%E0%B8%A1', 'q=%E0%B8%AA%E0%B8%A1'],
  ['/app/patient-management?sex=M&q=081%20234&page=2#main', 'q=081%20234'],
  ['/app/patient-management?%71=somchai&sex=M', '%71=somchai'],
  ['/app/patient-management?q=a&q=b', 'q=a&q=b'],
  ['/app/global-config?tab=audit&entityId=%221101700230708%22', 'entityId=%221101700230708%22'],
  ['/app/global-config?tab=audit&entityId=somchai', 'entityId=somchai'],
  // A record id, and a parameter whose name only starts with a private one.
  ['/app/global-config?tab=audit&entityId=%2212%22', ''],
  ['/app/report?quarter=3', ''],
])('the search text in %s is %s', (href, typed) => {
  const split = splitTyped(href);
  expect(split.typed).toBe(typed);
  for (const param of typed.split('&').filter(Boolean)) expect(split.shown).not.toContain(param);
  const sorted = (address: string) => {
    const url = new URL(address, 'http://x');
    return [url.pathname, [...url.searchParams].sort(), url.hash];
  };
  expect(sorted(withTyped(split.shown, split.typed))).toEqual(sorted(href));
});

test('an address without other parameters loses its question mark and keeps its fragment', () => {
  expect(withoutTyped('/app/patient-management?q=x#main')).toBe('/app/patient-management#main');
});

test('the redirect parameter of the sign-in page is cleaned, too', () => {
  const target = '/app/appointment/list?page=2&q=สมชาย';
  expect(withoutTyped(`/login?redirect=${encodeURIComponent(target)}`)).toBe(
    `/login?redirect=${encodeURIComponent('/app/appointment/list?page=2')}`,
  );
  const twice = `/login?redirect=${encodeURIComponent(target)}`;
  expect(withoutTyped(`/app/change-password?redirect=${encodeURIComponent(twice)}`)).not.toMatch(/q%/);
  const harmless = `/login?redirect=${encodeURIComponent('/app/appointment/list?page=2')}`;
  expect(withoutTyped(harmless)).toBe(harmless);
});
