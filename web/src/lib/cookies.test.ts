import { afterEach, expect, test } from 'vitest';
import { readCookie, removeCookie, writeCookie } from './cookies';

const inAnHour = () => new Date(Date.now() + 3_600_000);

afterEach(() => {
  removeCookie('access_token');
  removeCookie('smq_access_token');
});

test('reads what was written, with any characters', () => {
  writeCookie('access_token', 'a.b-c_d=; ก', inAnHour());
  expect(readCookie('access_token')).toBe('a.b-c_d=; ก');
});

test('matches the full name', () => {
  writeCookie('smq_access_token', 'customer', inAnHour());
  expect(readCookie('access_token')).toBeUndefined();
});

test('a removed cookie is gone', () => {
  writeCookie('access_token', 'token', inAnHour());
  removeCookie('access_token');
  expect(readCookie('access_token')).toBeUndefined();
});

test('an expired cookie is gone', () => {
  writeCookie('access_token', 'token', new Date(Date.now() - 1000));
  expect(readCookie('access_token')).toBeUndefined();
});
