import { expect, test } from 'vitest';
import { HOME, safeRedirect } from './safe-redirect';

const ORIGIN = 'https://hospital.example';

test.each([
  '/app/dashboard',
  '/app/appointment/list?status=BOOKED&page=2#row-7',
  '/appointment/calendar',
  '/app/patient-management?q=%E0%B8%AA',
  '/app/x?next=//evil.example',
  '/',
])('goes to %s', (target) => {
  expect(safeRedirect(target, ORIGIN)).toBe(target);
});

test.each([
  ['/%2f/evil.example', '/%2f/evil.example'],
  ['/%5cevil.example', '/%5cevil.example'],
  ['/@evil.example', '/@evil.example'],
  ['/.evil.example', '/.evil.example'],
])('stays on the site with %s', (target, path) => {
  expect(new URL(safeRedirect(target, ORIGIN), ORIGIN).href).toBe(ORIGIN + path);
});

test.each([
  ['nothing', undefined],
  ['empty', ''],
  ['a number', 7],
  ['a relative path', 'app/dashboard'],
  ['another host without scheme', '//evil.example'],
  ['three slashes', '///evil.example'],
  ['a backslash', '/\\evil.example'],
  ['two backslashes', '\\\\evil.example'],
  ['https', 'https://evil.example/app'],
  ['https with one slash', 'https:/evil.example'],
  ['our own origin spelt out', 'https://hospital.example/app'],
  ['a script', 'javascript:alert(1)'],
  ['data', 'data:text/html,hi'],
  ['a tab that browsers drop', '/\t/evil.example'],
  ['a newline that browsers drop', '/\n/evil.example'],
  ['a carriage return', '/\r\\evil.example'],
  ['leading space', ' //evil.example'],
  ['https without a slash', 'https:evil.example'],
  ['https with backslashes', 'https:\\\\evil.example'],
  ['a script in mixed case', 'JaVaScRiPt:alert(1)'],
  ['a script behind a space', ' javascript:alert(1)'],
  ['a script behind a control character', '\u0001javascript:alert(1)'],
  ['a slash and a backslash turned round', '\\/evil.example'],
  ['a name and password before our own host', '//hospital.example@evil.example'],
  ['several of them', ['//evil.example']],
  ['the sign-in page itself', '/login?redirect=/login'],
])('goes home for %s', (_, target) => {
  expect(safeRedirect(target, ORIGIN)).toBe(HOME);
});
