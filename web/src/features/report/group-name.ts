import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { formatDate, formatMonth, weekdayName, weekdayOf } from '@/lib/thai-date';
import type { ReportGroup } from './api';

/** Years between the Buddhist Era, in which the server names fiscal years, and the Common Era. */
const BE = 543;

/** A year as it is shown: Buddhist in Thai, Common in English. */
export function yearIn(language: Language, commonEra: number): number {
  return language === 'th' ? commonEra + BE : commonEra;
}

/** What a row is about, in full. */
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

/** The same, as short as an axis needs it. */
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

/** Stands where nothing can be said. */
export const NOTHING = '–';
