import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc';
import type { Language } from '@/i18n/language';
import { arabicDigits } from './thai-text';

dayjs.extend(utc);

/**
 * The hospital's time zone, independent of the browser's. Thailand has had one offset since 1920, without daylight
 * saving time.
 */
const HOSPITAL_OFFSET = '+07:00';
const HOSPITAL_OFFSET_MS = 7 * 3_600_000;

/** Years between the Buddhist Era and the Common Era. */
const BE = 543;

interface Names {
  months: readonly string[];
  shortMonths: readonly string[];
  weekdays: readonly string[];
}

const NAMES: Record<Language, Names> = {
  th: {
    months: [
      'มกราคม',
      'กุมภาพันธ์',
      'มีนาคม',
      'เมษายน',
      'พฤษภาคม',
      'มิถุนายน',
      'กรกฎาคม',
      'สิงหาคม',
      'กันยายน',
      'ตุลาคม',
      'พฤศจิกายน',
      'ธันวาคม',
    ],
    shortMonths: [
      'ม.ค.',
      'ก.พ.',
      'มี.ค.',
      'เม.ย.',
      'พ.ค.',
      'มิ.ย.',
      'ก.ค.',
      'ส.ค.',
      'ก.ย.',
      'ต.ค.',
      'พ.ย.',
      'ธ.ค.',
    ],
    weekdays: ['อาทิตย์', 'จันทร์', 'อังคาร', 'พุธ', 'พฤหัสบดี', 'ศุกร์', 'เสาร์'],
  },
  en: {
    months: [
      'January',
      'February',
      'March',
      'April',
      'May',
      'June',
      'July',
      'August',
      'September',
      'October',
      'November',
      'December',
    ],
    shortMonths: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
    weekdays: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
  },
};

/** The year to display: Buddhist Era in Thai, Common Era in English. */
export function shownYear(iso: string, language: Language): number {
  return Number(iso.slice(0, 4)) + (language === 'th' ? BE : 0);
}

function parts(iso: string, language: Language) {
  const day = Number(iso.slice(8, 10));
  const month = Number(iso.slice(5, 7)) - 1;
  return { day, month, year: shownYear(iso, language), names: NAMES[language] };
}

/** '2026-11-15' → '15 พ.ย. 2569', or '15 Nov 2026'. */
export function formatDate(iso: string, language: Language = 'th'): string {
  const { day, month, year, names } = parts(iso, language);
  return `${day} ${names.shortMonths[month]} ${year}`;
}

/** '2026-11-15' → 'วันอาทิตย์ที่ 15 พฤศจิกายน 2569', or 'Sunday 15 November 2026'. */
export function formatLongDate(iso: string, language: Language = 'th'): string {
  const { day, month, year, names } = parts(iso, language);
  const weekday = names.weekdays[weekdayOf(iso)];
  return `${language === 'th' ? `วัน${weekday}ที่` : weekday} ${day} ${names.months[month]} ${year}`;
}

/** '2026-11-15' → '15/11/2569' (15/11/2026 in English): the format of inputs. */
export function formatTypedDate(iso: string, language: Language = 'th'): string {
  return `${iso.slice(8, 10)}/${iso.slice(5, 7)}/${shownYear(iso, language)}`;
}

/** The date and time of an instant (RFC 3339) at the hospital: { date: '2026-11-15', time: '09:30' }. */
export function inHospital(instant: string | Date): { date: string; time: string } {
  const local = new Date(new Date(instant).getTime() + HOSPITAL_OFFSET_MS).toISOString();
  return { date: local.slice(0, 10), time: local.slice(11, 16) };
}

/** '09:30' → '09:30 น.'; unchanged in English. */
export function formatTime(time: string, language: Language = 'th'): string {
  return language === 'th' ? `${time} น.` : time;
}

/** '2026-11-15T02:30:00Z' → '15 พ.ย. 2569 09:30 น.', or '15 Nov 2026 09:30'. */
export function formatDateTime(instant: string | Date, language: Language = 'th'): string {
  const { date, time } = inHospital(instant);
  return `${formatDate(date, language)} ${formatTime(time, language)}`;
}

/** The texts of relative times, from the catalogue's `date` section. */
interface RelativeWords {
  justNow: string;
  minutesAgo: (count: number) => string;
  hoursAgo: (count: number) => string;
  yesterdayAt: (time: string) => string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** '5 นาทีที่แล้ว', 'เมื่อวาน 09:30 น.'; older and future instants as date and time. */
export function formatRelative(
  instant: string | Date,
  words: RelativeWords,
  language: Language = 'th',
  now: Date = new Date(),
): string {
  const age = now.getTime() - new Date(instant).getTime();
  const { date, time } = inHospital(instant);
  const today = hospitalToday(now);
  // Clocks of two machines differ slightly: a recent event must not be in the future.
  if (Math.abs(age) < MINUTE_MS) return words.justNow;
  if (age < 0) return formatDateTime(instant, language);
  if (age < HOUR_MS) return words.minutesAgo(Math.floor(age / MINUTE_MS));
  if (date === today) return words.hoursAgo(Math.floor(age / HOUR_MS));
  if (date === addDays(today, -1)) return words.yesterdayAt(formatTime(time, language));
  return formatDateTime(instant, language);
}

/** Today's date at the hospital. */
export function hospitalToday(now: Date = new Date()): string {
  return inHospital(now).date;
}

export function addDays(iso: string, days: number): string {
  return dayjs.utc(iso).add(days, 'day').format('YYYY-MM-DD');
}

/** 0 is Sunday. */
export function weekdayOf(iso: string): number {
  return dayjs.utc(iso).day();
}

export function addMonths(iso: string, months: number): string {
  return dayjs.utc(iso).add(months, 'month').format('YYYY-MM-DD');
}

/** 'จันทร์', or 'Monday'; short: 'จ.', or 'Mon'. */
export function weekdayName(weekday: number, language: Language = 'th', short = false): string {
  const name = NAMES[language].weekdays[weekday] ?? '';
  if (!short) return name;
  return language === 'th' ? (SHORT_WEEKDAYS[weekday] ?? '') : name.slice(0, 3);
}

const SHORT_WEEKDAYS = ['อา.', 'จ.', 'อ.', 'พ.', 'พฤ.', 'ศ.', 'ส.'];

/** '2026-11-15' → 'พฤศจิกายน 2569', or 'November 2026'. */
export function formatMonth(iso: string, language: Language = 'th'): string {
  const { month, year, names } = parts(iso, language);
  return `${names.months[month]} ${year}`;
}

/** '15–21 พ.ย. 2569', '29 พ.ย. – 5 ธ.ค. 2569': the common part is shown once. */
export function formatDateRange(from: string, to: string, language: Language = 'th'): string {
  if (from === to) return formatDate(from, language);
  const { day, month, names } = parts(from, language);
  if (from.slice(0, 7) === to.slice(0, 7)) return `${day}–${formatDate(to, language)}`;
  if (from.slice(0, 4) === to.slice(0, 4))
    return `${day} ${names.shortMonths[month]} – ${formatDate(to, language)}`;
  return `${formatDate(from, language)} – ${formatDate(to, language)}`;
}

export function firstOfMonth(iso: string): string {
  return `${iso.slice(0, 8)}01`;
}

/** The Sunday on or before a day; Thai calendars start on Sunday. */
export function firstOfWeek(iso: string): string {
  return addDays(iso, -weekdayOf(iso));
}

/** The instant at which a day starts at the hospital, as the API expects it. */
export function startOfDay(iso: string): string {
  return `${iso}T00:00:00${HOSPITAL_OFFSET}`;
}

/** Reports whether the text is an existing date in the API's format. */
export function isIsoDate(text: string): boolean {
  const date = dayjs.utc(text);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && date.isValid() && date.format('YYYY-MM-DD') === text;
}

const SLASHED = /^(\d{1,2}) ?[/\-. ] ?(\d{1,2}) ?[/\-. ] ?(\d{4}|\d{2})$/;
const DIGITS_ONLY = /^(\d{2})(\d{2})(\d{4})$/;
const YEAR_FIRST = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const WITH_MONTH_NAME = /^(\d{1,2}) ?([ก-๎.]+|[a-z.]+) ?,? ?(?:(พ\.?ศ\.?|ค\.?ศ\.?) ?)?(\d{4}|\d{2})$/i;
const WEEKDAY = /^(?:วัน[ก-๎]*ที่|[a-z]+day,?) ?/i;

/** Dates outside are typing errors, such as 2251 for 2551. */
const [FIRST_YEAR, LAST_YEAR] = [1850, 2199];

/**
 * Parses a typed date to ISO, or returns null if it is not clearly a date. Accepts 9/2/2531, 09022531, 9 ก.พ. 2531,
 * words, Thai digits, and the output of these functions. A four-digit year below 2400 is a Common Era year. A two-digit
 * year is a Buddhist one; `shortYear: false` rejects it, because it may be incomplete.
 */
export function parseThaiDate(typed: string, { shortYear = true } = {}): string | null {
  const text = arabicDigits(typed)
    .replace(/[\u200b-\u200f\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(WEEKDAY, '');
  const numeric = SLASHED.exec(text) ?? DIGITS_ONLY.exec(text);
  if (numeric) return toIso(numeric[1], Number(numeric[2]), numeric[3], undefined, shortYear);
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst) return toIso(yearFirst[3], Number(yearFirst[2]), yearFirst[1], undefined, shortYear);
  const words = WITH_MONTH_NAME.exec(text);
  if (words) return toIso(words[1], monthNamed(words[2] ?? ''), words[4], words[3], shortYear);
  return null;
}

function toIso(day = '', month: number, year = '', era: string | undefined, shortYear: boolean) {
  const short = year.length === 2;
  const common = era?.startsWith('ค');
  if (short && (!shortYear || common)) return null;
  const written = short ? 2500 + Number(year) : Number(year);
  const ce = !common && (era || written >= 2400) ? written - BE : written;
  if (ce < FIRST_YEAR || ce > LAST_YEAR) return null;
  const iso = `${ce}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isIsoDate(iso) ? iso : null;
}

/** 1 for 'ม.ค.', 'มค', 'มกราคม', 'มกรา', 'Jan', 'january'; 0 for none. */
function monthNamed(name: string): number {
  const plain = name.replaceAll('.', '').toLowerCase();
  const matches = (index: number) =>
    [NAMES.th, NAMES.en].some(({ months, shortMonths }) => {
      const long = (months[index] ?? '').toLowerCase();
      const short = (shortMonths[index] ?? '').replaceAll('.', '').toLowerCase();
      return plain === long || plain === short || plain === long.replace(/(คม|ยน|พันธ์)$/, '');
    });
  return NAMES.th.months.findIndex((_, index) => matches(index)) + 1;
}
