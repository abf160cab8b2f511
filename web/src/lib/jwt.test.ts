import { describe, expect, test } from 'vitest';
import { makeToken } from '@/test/token';
import { decodeToken, isExpired } from './jwt';

describe('decodeToken', () => {
  test('reads the claims, Thai names included', () => {
    const token = makeToken({ sub: '7', name: 'สมหญิง ใจดี', role: 'NURSE', exp: 2_000_000_000 });
    expect(decodeToken(token)).toEqual({ sub: '7', name: 'สมหญิง ใจดี', role: 'NURSE', exp: 2_000_000_000 });
  });

  test('a numeric subject becomes text, missing texts become empty', () => {
    expect(decodeToken(makeToken({ sub: 7, exp: 5 }))).toEqual({ sub: '7', name: '', role: '', exp: 5 });
  });

  test.each([
    ['nothing', ''],
    ['a word', 'garbage'],
    ['two parts', 'a.b'],
    ['four parts', 'a.b.c.d'],
    ['empty parts', '..'],
    ['a payload that is not base64', 'a.%%%.c'],
    ['a payload that is not UTF-8', `a.${btoa('\xff\xfe')}.c`],
    ['a payload that is not JSON', `a.${btoa('{oops')}.c`],
    ['a payload that is null', `a.${btoa('null')}.c`],
    ['a payload that is a list', `a.${btoa('[1]')}.c`],
    ['a payload that is a number', `a.${btoa('42')}.c`],
    ['no expiry', makeToken({ sub: '1' })],
    ['an expiry that is text', makeToken({ exp: '2000000000' })],
    ['an expiry that is null', makeToken({ exp: null })],
  ])('rejects %s', (_, token) => {
    expect(decodeToken(token)).toBeNull();
  });
});

describe('isExpired', () => {
  const claims = { sub: '1', name: '', role: '', exp: 1000 };
  test.each([
    ['a second before', 999_999, false],
    ['in that very second', 1_000_000, true],
    ['later', 1_000_001, true],
  ])('%s', (_, now, expired) => {
    expect(isExpired(claims, now)).toBe(expired);
  });
});
