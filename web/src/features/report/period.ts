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

/** The year (Common Era) in which the fiscal year of a day ends; it starts in October. */
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

/** Returns the days of a preset. Months and years are complete, including the current ones. */
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

/** Returns the period in the address. Two dates take precedence over a preset. */
export function chosenPeriod({ period, from, to }: Chosen, today: string): Period {
  return from && to && from <= to ? { dateFrom: from, dateTo: to } : presetPeriod(period, today);
}

/** Reports whether the address has two dates instead of a preset. */
export function isCustom({ from, to }: Chosen): boolean {
  return Boolean(from && to && from <= to);
}
