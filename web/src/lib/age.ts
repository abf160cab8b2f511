import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc';
import type { Language } from '@/i18n/language';
import { hospitalToday, isIsoDate } from './thai-date';

dayjs.extend(utc);

/** The precision of a birth date. */
export type BirthPrecision = 'DAY' | 'MONTH' | 'YEAR';

export interface Age {
  years: number;
  months: number;
  days: number;
}

/**
 * Returns the age on a day, both ISO: full years, months and days. In a month too short for the birth day, the last day
 * counts. Null if a date is invalid or the birth is after the day.
 */
export function ageOn(birth: string, day: string): Age | null {
  if (!isIsoDate(birth) || !isIsoDate(day) || day < birth) return null;
  const [born, now] = [dayjs.utc(birth), dayjs.utc(day)];
  const calendarMonths = (now.year() - born.year()) * 12 + now.month() - born.month();
  const full = now.date() < born.date() ? calendarMonths - 1 : calendarMonths;
  // dayjs also uses the last day of a short month.
  const complete = born.add(full, 'month');
  return { years: Math.floor(full / 12), months: full % 12, days: now.diff(complete, 'day') };
}

const ABOUT = { th: 'ประมาณ ', en: 'about ' };
const UNITS = { years: 'ปี', months: 'เดือน', days: 'วัน' };

/** '2 ปี', '1 month'. */
function part(age: Age, unit: keyof Age, language: Language): string {
  if (language === 'th') return `${age[unit]} ${UNITS[unit]}`;
  return `${age[unit]} ${age[unit] === 1 ? unit.slice(0, -1) : unit}`;
}

/** '35 ปี 2 เดือน 3 วัน', 'ประมาณ 69 ปี': months and days only where they matter, "about" for an inexact date. */
export function ageText(age: Age, precision: BirthPrecision, language: Language): string {
  const [y, m, d] = [
    part(age, 'years', language),
    part(age, 'months', language),
    part(age, 'days', language),
  ];
  if (precision === 'YEAR') return ABOUT[language] + y;
  if (precision === 'MONTH') return `${ABOUT[language]}${y} ${m}`;
  if (age.years > 0) return `${y} ${m} ${d}`;
  return age.months > 0 ? `${m} ${d}` : d;
}

/** The age today or on another day; empty if unknown. */
export function formatAge(
  birth: string,
  precision: BirthPrecision,
  language: Language,
  day: string = hospitalToday(),
): string {
  const age = ageOn(birth, day);
  return age ? ageText(age, precision, language) : '';
}

/** Up to this age in years months matter: for doses, vaccinations and growth charts. */
const CHILD = 7;

/** The short age for lists: '35 ปี', '2 เดือน', 'ประมาณ 69 ปี'; with months for small children: '2 ปี 3 เดือน'. */
export function formatShortAge(
  birth: string,
  precision: BirthPrecision,
  language: Language,
  day: string = hospitalToday(),
): string {
  const age = ageOn(birth, day);
  if (!age) return '';
  const about = precision === 'DAY' ? '' : ABOUT[language];
  // A list has space for one long unit only.
  const [y, m] =
    language === 'en' && age.years > 0 && age.years < CHILD
      ? [`${age.years} y`, `${age.months} mo`]
      : [part(age, 'years', language), part(age, 'months', language)];
  if (age.years > 0 && age.years < CHILD && age.months > 0 && precision !== 'YEAR')
    return `${about}${y} ${m}`;
  if (age.years > 0 || precision === 'YEAR') return about + y;
  if (age.months > 0 || precision === 'MONTH') return about + m;
  return part(age, 'days', language);
}
