/** Thai marks by their stored order within a letter: below, above, tone, silencer; 0 is no mark. */
function markRank(char: string): number {
  const code = char.charCodeAt(0);
  if (code >= 0x0e38 && code <= 0x0e3a) return 1;
  if (code === 0x0e31 || (code >= 0x0e34 && code <= 0x0e37) || code === 0x0e47 || code === 0x0e4d) return 2;
  if (code >= 0x0e48 && code <= 0x0e4b) return 3;
  if (code === 0x0e4c || code === 0x0e4e) return 4;
  return 0;
}

const NIKHAHIT = '\u0e4d';
const SARA_AA = '\u0e32';
const SARA_AM = '\u0e33';
const MARKS = /[\u0e31\u0e33-\u0e3a\u0e47-\u0e4e]+\u0e32?/g;

/** Orders and deduplicates the marks of a letter, and joins the two halves of ำ. */
function orderMarks(run: string): string {
  const endsInAa = run.endsWith(SARA_AA);
  const typed = [...(endsInAa ? run.slice(0, -1) : run)];
  const marks = [...new Set(typed.filter((char) => char !== SARA_AM))];
  const am = typed.includes(SARA_AM);
  const joins = marks.includes(NIKHAHIT) && (am || endsInAa);
  const kept = joins ? marks.filter((mark) => mark !== NIKHAHIT) : marks;
  const sorted = kept.sort((a, b) => markRank(a) - markRank(b)).join('');
  if (am) return sorted + SARA_AM + (endsInAa ? SARA_AA : '');
  if (joins) return sorted + SARA_AM;
  return sorted + (endsInAa ? SARA_AA : '');
}

/**
 * Normalises typed text like the server: no invisible characters, single spaces, Thai marks ordered and unique, เเ as
 * แ.
 */
export function cleanText(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim()
    .replaceAll('เเ', 'แ')
    .replace(MARKS, orderMarks);
}

/** Converts Thai digits to Arabic ones. */
export function arabicDigits(text: string): string {
  return text.replace(/[๐-๙]/g, (digit) => String(digit.charCodeAt(0) - 0x0e50));
}

/** The digits of a number written with dashes, spaces or Thai digits. */
export function digitsOf(text: string): string {
  return arabicDigits(text).replace(/[^0-9]/g, '');
}

/** The search form of a name: normalised, lower case, without tone marks and punctuation. */
export function searchKey(text: string): string {
  return arabicDigits(cleanText(text))
    .toLowerCase()
    .replace(/[\u0e48-\u0e4b]/g, '')
    .replace(/[^\p{L}\p{M}\p{Nd}\s]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Prenames with the sex they imply; null for none. */
export const PRENAMES: Record<string, 'M' | 'F' | null> = {
  นาย: 'M',
  นาง: 'F',
  นางสาว: 'F',
  เด็กชาย: 'M',
  เด็กหญิง: 'F',
  'น.ส.': 'F',
  'ด.ช.': 'M',
  'ด.ญ.': 'F',
  พระ: 'M',
  พระภิกษุ: 'M',
  สามเณร: 'M',
  แม่ชี: 'F',
  ว่าที่ร้อยตรี: null,
  'ว่าที่ ร.ต.': null,
  นายแพทย์: 'M',
  แพทย์หญิง: 'F',
  'ดร.': null,
  'Mr.': 'M',
  'Mrs.': 'F',
  'Ms.': 'F',
  Miss: 'F',
};

export function sexOfPrename(prename: string): 'M' | 'F' | null {
  return PRENAMES[cleanText(prename)] ?? null;
}

const LONGEST_FIRST = Object.keys(PRENAMES)
  .filter((prename) => /[ก-ฮ]/.test(prename))
  .sort((a, b) => b.length - a.length);

/**
 * Splits a prename from a name: "นายสมชาย" → "นาย" and "สมชาย". The rest must be a word of at least two letters;
 * "นายิกา" is not split.
 */
export function splitPrename(name: string): { prename: string; rest: string } {
  const clean = cleanText(name);
  for (const prename of LONGEST_FIRST) {
    if (!clean.startsWith(prename)) continue;
    const rest = clean.slice(prename.length).trim();
    if (rest.length >= 2 && /^[ก-ฮเ-ไA-Za-z]/.test(rest)) return { prename, rest };
  }
  return { prename: '', rest: clean };
}
