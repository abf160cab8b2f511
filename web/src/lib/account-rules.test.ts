import { describe, expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { accountRules, passwordFault } from './account-rules';
import { randomPassword } from './random-password';

const rules = accountRules(th);
const good = (rule: keyof typeof rules, value: string) => rules[rule].safeParse(value).success;

/** The same cases as on the server. */
describe('accountRules', () => {
  test.each([
    ['username', 'abc', true],
    ['username', ' Somying.J ', true],
    ['username', 'สมหญิง_1', true],
    ['username', 'ab', false],
    ['username', 'a b c', false],
    ['username', 'a@b.c', false],
    ['username', 'x'.repeat(65), false],
    ['email', 'a@b.co', true],
    ['email', ' a@b.co ', true],
    ['email', 'a@b', false],
    ['email', 'Name <a@b.co>', false],
    ['name', '\u200b ', false],
    ['name', 'ก'.repeat(120), true],
    ['name', 'ก'.repeat(121), false],
    ['phone', '', true],
    ['phone', '0812345678', true],
    ['phone', '021234567', true],
    ['phone', '1812345678', false],
    ['phone', '08123456789', false],
    ['licenseNo', 'ว'.repeat(41), false],
  ] as const)('%s “%s” is good: %s', (rule, value, expected) => {
    expect(good(rule, value)).toBe(expected);
  });
});

describe('passwordFault', () => {
  test.each([
    ['ninechars', 'x', th.password.tooShort],
    ['กขคงจฉชซญฐ', 'x', null],
    ['Somying.Jaidee', 'somying.jaidee', th.password.isUsername],
    ['a good password', '', null],
    ['x'.repeat(201), '', th.account.rule.passwordTooLong(200)],
  ])('%s', (password, username, fault) => {
    expect(passwordFault(th, password, username)).toBe(fault);
  });

  test('generated passwords are valid and unique', () => {
    const made = Array.from({ length: 50 }, randomPassword);
    expect(made.map((password) => passwordFault(th, password, ''))).toEqual(made.map(() => null));
    expect(new Set(made).size).toBe(50);
  });
});
