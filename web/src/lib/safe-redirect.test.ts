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
  ['the sign-in page itself', '/login?redirect=/login'],
])('goes home for %s', (_, target) => {
  expect(safeRedirect(target, ORIGIN)).toBe(HOME);
});
