import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { formatDate, formatMonth, weekdayName, weekdayOf } from '@/lib/thai-date';
import type { ReportGroup } from './api';

/** The difference between the Buddhist Era, which the server uses for fiscal years, and the Common Era. */
const BE = 543;

/** The year to display: Buddhist Era in Thai, Common Era in English. */
export function yearIn(language: Language, commonEra: number): number {
  return language === 'th' ? commonEra + BE : commonEra;
}

/** The full name of a row. */
export function groupName(t: Messages, language: Language, groupBy: string, group: ReportGroup): string {
  const { key, name } = group;
  switch (groupBy) {
    case 'day':
      return `${weekdayName(weekdayOf(key), language, true)} ${formatDate(key, language)}`;
    case 'month':
      return formatMonth(`${key}-01`, language);
    case 'fiscalYear':
      return t.report.presets.fiscalYear(yearIn(language, Number(key) - BE));
    case 'weekday':
      return weekdayName(Number(key), language);
    case 'hour':
      return `${key}:00–${key}:59`;
    case 'leadTime':
      return t.report.leadTimes[key as keyof Messages['report']['leadTimes']] ?? key;
    default:
      return name || t.report.nobody;
  }
}

/** The short name of a row, for the axis. */
export function axisName(t: Messages, language: Language, groupBy: string, group: ReportGroup): string {
  const { key } = group;
  switch (groupBy) {
    case 'day':
      return formatDate(key, language).replace(/ \d+$/, '');
    case 'month':
      return formatDate(`${key}-01`, language).replace(/^\d+ /, '');
    case 'fiscalYear':
      return String(yearIn(language, Number(key) - BE));
    case 'hour':
      return `${key}:00`;
    default:
      return groupName(t, language, groupBy, group);
  }
}

/** Shown for a missing value. */
export const NOTHING = '–';
