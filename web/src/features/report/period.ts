import { addDays, addMonths, firstOfMonth } from '@/lib/thai-date';

export const PRESETS = [
  'thisMonth',
  'lastMonth',
  'fiscalYear',
  'lastFiscalYear',
  'calendarYear',
  'last12Months',
] as const;
export type Preset = (typeof PRESETS)[number];

/** First and last day, both included. */
export interface Period {
  dateFrom: string;
  dateTo: string;
}

/** The year, of the Common Era, in which the budget year of a day ends: it begins in October. */
export function fiscalYear(iso: string): number {
  return Number(addMonths(firstOfMonth(iso), 3).slice(0, 4));
}

function fiscal(year: number): Period {
  return { dateFrom: `${year - 1}-10-01`, dateTo: `${year}-09-30` };
}

function monthOf(iso: string): Period {
  const dateFrom = firstOfMonth(iso);
  return { dateFrom, dateTo: addDays(addMonths(dateFrom, 1), -1) };
}

/** The days of one of the usual periods. Months and years are whole ones, also while they last. */
export function presetPeriod(preset: Preset, today: string): Period {
  switch (preset) {
    case 'thisMonth':
      return monthOf(today);
    case 'lastMonth':
      return monthOf(addMonths(firstOfMonth(today), -1));
    case 'fiscalYear':
      return fiscal(fiscalYear(today));
    case 'lastFiscalYear':
      return fiscal(fiscalYear(today) - 1);
    case 'calendarYear':
      return { dateFrom: `${today.slice(0, 4)}-01-01`, dateTo: `${today.slice(0, 4)}-12-31` };
    case 'last12Months':
      return { dateFrom: addDays(addMonths(today, -12), 1), dateTo: today };
  }
}

interface Chosen {
  period: Preset;
  from?: string;
  to?: string;
}

/** What the address asks for: two dates are a period of their own, whatever the preset says. */
export function chosenPeriod({ period, from, to }: Chosen, today: string): Period {
  return from && to && from <= to ? { dateFrom: from, dateTo: to } : presetPeriod(period, today);
}

/** Whether two dates, instead of a preset, are what the address asks for. */
export function isCustom({ from, to }: Chosen): boolean {
  return Boolean(from && to && from <= to);
}
