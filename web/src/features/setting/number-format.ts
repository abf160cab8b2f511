import type { Messages } from '@/i18n/th';

const TOKEN = /\{[^{}]*\}/g;
const DATE_TOKENS = ['{YYYY}', '{YY}', '{MM}', '{DD}'];
const MAX = 40;

function seqWidth(token: string): number {
  const width = Number(/^\{SEQ:(\d+)\}$/.exec(token)?.[1] ?? 0);
  return width >= 1 && width <= 12 ? width : 0;
}

/** Returns the error of a number format by the server's rules, or null. */
export function formatFault(t: Messages, format: string): string | null {
  const tokens = format.match(TOKEN) ?? [];
  const unknown = tokens.find((token) => !DATE_TOKENS.includes(token) && seqWidth(token) === 0);
  if (unknown) return t.setting.rule.placeholder(unknown);
  if (!/^[A-Za-z0-9/_-]*$/.test(format.replace(TOKEN, ''))) return t.setting.rule.format;
  if (format.length > MAX) return t.setting.rule.formatTooLong;
  if (tokens.filter((token) => seqWidth(token) > 0).length !== 1) return t.setting.rule.sequence;
  return null;
}

/** The n-th number of a day (ISO): 'HN{YY}{SEQ:6}' gives HN69000001. Years are Buddhist Era in every language. */
export function formatNumber(format: string, day: string, n: number): string {
  const [year = '', month = '', date = ''] = day.split('-');
  const buddhist = String(Number(year) + 543);
  const parts: Partial<Record<string, string>> = {
    '{YYYY}': buddhist,
    '{YY}': buddhist.slice(-2),
    '{MM}': month,
    '{DD}': date,
  };
  return format.replace(TOKEN, (token) => parts[token] ?? String(n).padStart(seqWidth(token), '0'));
}

/** How often the sequence restarts: when the rest of the format changes. */
export function restartOf(format: string): 'never' | 'year' | 'month' | 'day' {
  if (format.includes('{DD}')) return 'day';
  if (format.includes('{MM}')) return 'month';
  return /\{YY(YY)?\}/.test(format) ? 'year' : 'never';
}

/** Reports whether numbers of different years could be equal. */
export function repeatsYearly(format: string): boolean {
  return /\{(MM|DD)\}/.test(format) && !/\{YY(YY)?\}/.test(format);
}
