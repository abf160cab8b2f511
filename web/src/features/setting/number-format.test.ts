import { describe, expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { formatFault, formatNumber, repeatsYearly, restartOf } from './number-format';

const DAY = '2026-11-05';

describe('numbers', () => {
  test.each([
    ['HN{YY}{SEQ:6}', 1, 'HN69000001'],
    ['{YYYY}/{MM}/{DD}-{SEQ:3}', 42, '2569/11/05-042'],
    ['{SEQ:2}', 12345, '12345'],
    ['A{YY}{MM}-{SEQ:5}', 12, 'A6911-00012'],
  ])('%s, number %i', (format, n, number) => {
    expect(formatNumber(format, DAY, n)).toBe(number);
  });

  test('the year 2600 ends in 00', () => {
    expect(formatNumber('{YY}-{SEQ:1}', '2057-01-01', 1)).toBe('00-1');
  });
});

describe('formats', () => {
  test.each([
    ['{SEQ:7}', null],
    ['hn/{YY}_{SEQ:12}', null],
    ['HN{YY}', 'ต้องมี {SEQ:n} หนึ่งแห่ง'],
    ['', 'ต้องมี {SEQ:n} หนึ่งแห่ง'],
    ['{SEQ:3}{SEQ:4}', 'ต้องมี {SEQ:n} หนึ่งแห่ง'],
    ['{WEEK}{SEQ:4}', 'ไม่รู้จัก {WEEK}'],
    ['{SEQ}', 'ไม่รู้จัก {SEQ}'],
    ['{SEQ:0}', 'ไม่รู้จัก {SEQ:0}'],
    ['{SEQ:13}', 'ไม่รู้จัก {SEQ:13}'],
    ['{yy}{SEQ:4}', 'ไม่รู้จัก {yy}'],
    ['เลข{SEQ:4}', th.setting.rule.format],
    ['A B{SEQ:4}', th.setting.rule.format],
    ['{SEQ:4', th.setting.rule.format],
    [`${'A'.repeat(34)}{SEQ:4}`, th.setting.rule.formatTooLong],
    [`${'A'.repeat(33)}{SEQ:4}`, null],
  ])('%s', (format, fault) => {
    expect(formatFault(th, format)).toBe(fault);
  });

  test.each([
    ['{SEQ:7}', 'never', false],
    ['{YY}{SEQ:6}', 'year', false],
    ['{YYYY}{MM}{SEQ:6}', 'month', false],
    ['{YY}{MM}{DD}{SEQ:6}', 'day', false],
    ['{MM}{SEQ:6}', 'month', true],
  ])('%s starts again: %s', (format, restart, meets) => {
    expect(restartOf(format)).toBe(restart);
    expect(repeatsYearly(format)).toBe(meets);
  });
});
