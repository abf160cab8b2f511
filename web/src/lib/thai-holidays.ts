import { addDays, weekdayOf } from './thai-date';

export interface Holiday {
  key: string;
  th: string;
  en: string;
  /** ISO; null if it cannot be computed and must be typed. */
  date: string | null;
  /** The date moves from year to year and must be checked against the announcement. */
  moving: boolean;
  /** Many hospitals work on this day, or it is not announced for all: proposed but not selected. */
  optional: boolean;
}

type Fixed = [key: string, monthDay: string, th: string, en: string];

const FIXED: Fixed[] = [
  ['new-year', '01-01', 'วันขึ้นปีใหม่', "New Year's Day"],
  ['chakri', '04-06', 'วันจักรี', 'Chakri Memorial Day'],
  ['songkran-1', '04-13', 'วันสงกรานต์', 'Songkran Festival'],
  ['songkran-2', '04-14', 'วันสงกรานต์', 'Songkran Festival'],
  ['songkran-3', '04-15', 'วันสงกรานต์', 'Songkran Festival'],
  ['labour', '05-01', 'วันแรงงานแห่งชาติ', 'Labour Day'],
  ['coronation', '05-04', 'วันฉัตรมงคล', 'Coronation Day'],
  ['queen', '06-03', 'วันเฉลิมพระชนมพรรษาสมเด็จพระนางเจ้าฯ พระบรมราชินี', "H.M. Queen Suthida's Birthday"],
  ['king', '07-28', 'วันเฉลิมพระชนมพรรษาพระบาทสมเด็จพระเจ้าอยู่หัว', "H.M. the King's Birthday"],
  ['mother', '08-12', 'วันแม่แห่งชาติ', "Mother's Day"],
  ['memorial', '10-13', 'วันนวมินทรมหาราช', 'King Bhumibol Memorial Day'],
  ['chulalongkorn', '10-23', 'วันปิยมหาราช', 'Chulalongkorn Day'],
  ['father', '12-05', 'วันพ่อแห่งชาติ', "Father's Day"],
  ['constitution', '12-10', 'วันรัฐธรรมนูญ', 'Constitution Day'],
  ['year-end', '12-31', 'วันสิ้นปี', "New Year's Eve"],
];

/** Not a civil service holiday, so there is no substitute day if it falls on a weekend. */
const LABOUR = 'labour';

/**
 * First day (ขึ้น 1 ค่ำ เดือนอ้าย) of the lunar year that contains Visakha Bucha of 2024, and the kinds of the years
 * from there.
 */
const LUNAR_START = '2023-12-13';
const FIRST_LUNAR_YEAR = 2024;
/** n: 354 days; d: with an extra day in the seventh month; m: with a second eighth month. */
const LUNAR_YEARS = 'ndmnnmdmnnmndmnn';

/**
 * Days from the first day of the lunar year to the full moon of months 3, 6 and 8; one month later in a year with an
 * extra month.
 */
const FULL_MOONS = { n: [73, 161, 220], d: [73, 161, 221], m: [102, 191, 250] } as const;
const LENGTHS = { n: 354, d: 355, m: 384 } as const;

/** Makha, Visakha and Asalha Bucha of a year by the lunar calendar; null for years without data. */
export function buddhistDays(year: number): { makha: string; visakha: string; asalha: string } | null {
  const index = year - FIRST_LUNAR_YEAR;
  const kind = LUNAR_YEARS[index] as keyof typeof LENGTHS | undefined;
  if (index < 0 || !kind) return null;
  const passed = [...LUNAR_YEARS.slice(0, index)] as (keyof typeof LENGTHS)[];
  const start = addDays(
    LUNAR_START,
    passed.reduce((days, one) => days + LENGTHS[one], 0),
  );
  const [makha, visakha, asalha] = FULL_MOONS[kind];
  return { makha: addDays(start, makha), visakha: addDays(start, visakha), asalha: addDays(start, asalha) };
}

/**
 * The public holidays of Thailand in a year (Common Era), by date: fixed ones, those of the lunar calendar, and the
 * substitute days for those on a weekend. The cabinet announces the final dates.
 */
export function thaiHolidays(year: number): Holiday[] {
  const fixed: Holiday[] = FIXED.map(([key, monthDay, th, en]) => ({
    key,
    th,
    en,
    date: `${year}-${monthDay}`,
    moving: false,
    optional: key === LABOUR,
  }));
  const days = buddhistDays(year);
  const moving = (key: string, th: string, en: string, date: string | null, optional = false): Holiday => ({
    key,
    th,
    en,
    date,
    moving: true,
    optional,
  });
  const lunar = [
    moving('makha', 'วันมาฆบูชา', 'Makha Bucha Day', days?.makha ?? null),
    moving('visakha', 'วันวิสาขบูชา', 'Visakha Bucha Day', days?.visakha ?? null),
    moving('asalha', 'วันอาสาฬหบูชา', 'Asalha Bucha Day', days?.asalha ?? null),
    moving('khao-phansa', 'วันเข้าพรรษา', 'Buddhist Lent Day', days && addDays(days.asalha, 1)),
    // The palace announces the day, in May.
    moving('ploughing', 'วันพืชมงคล', 'Royal Ploughing Ceremony Day', null, true),
  ];
  const all = [...fixed, ...lunar];
  return [...all, ...substitutes(all)].sort((a, b) => (a.date ?? '9').localeCompare(b.date ?? '9'));
}

/** Adds a substitute day for each weekend with holidays: the next weekday that is not a holiday. */
function substitutes(holidays: Holiday[]): Holiday[] {
  const taken = new Set(holidays.map(({ date }) => date));
  const found: Holiday[] = [];
  const weekends = new Set<string>();
  const official = holidays
    .filter(({ key }) => key !== LABOUR)
    .sort((a, b) => (a.date ?? '9').localeCompare(b.date ?? '9'));
  for (const { key, th, en, date } of official) {
    if (date === null) continue;
    const weekday = weekdayOf(date);
    const monday = weekday === 6 ? addDays(date, 2) : addDays(date, 1);
    if ((weekday !== 0 && weekday !== 6) || weekends.has(monday)) continue;
    weekends.add(monday);
    let day = monday;
    while (taken.has(day) || weekdayOf(day) === 6 || weekdayOf(day) === 0) day = addDays(day, 1);
    // A substitute day in the next year is announced with that year.
    if (day.slice(0, 4) !== date.slice(0, 4)) continue;
    taken.add(day);
    found.push({
      key: `${key}-substitute`,
      th: `วันหยุดชดเชย${th}`,
      en: `${en} (substitute)`,
      date: day,
      moving: true,
      optional: false,
    });
  }
  return found;
}
