import type { AddressValues, PatientValues } from '@/entities/patient/patient-values';
import { groupIdCard, isIdCard } from '@/lib/id-card';
import { isIsoDate } from '@/lib/thai-date';
import { cleanText, digitsOf, sexOfPrename } from '@/lib/thai-text';

const TIMEOUT_MS = 8000;
const BE = 543;

type CardProblem = 'noAgent' | 'noCard' | 'unreadable';

export class CardReaderError extends Error {
  readonly problem: CardProblem;

  constructor(problem: CardProblem) {
    super(problem);
    this.name = 'CardReaderError';
    this.problem = problem;
  }
}

/** The data of a card; fields that could not be read are missing. */
export interface CardData
  extends Partial<
    Pick<
      PatientValues,
      'idCard' | 'prename' | 'firstName' | 'lastName' | 'firstNameEn' | 'lastNameEn' | 'birthDate'
    >
  > {
  sex?: 'M' | 'F';
  address?: Partial<AddressValues>;
}

/** Reads the inserted card through the reader's agent on this computer. Throws CardReaderError. */
export async function readCard(url: string): Promise<CardData> {
  let response: Response;
  try {
    response = await fetch(url, {
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    throw new CardReaderError('noAgent');
  }
  if (response.status === 204 || response.status === 404) throw new CardReaderError('noCard');
  let answer: unknown;
  try {
    answer = await response.json();
  } catch {
    throw new CardReaderError('unreadable');
  }
  if (/no.?card/i.test(JSON.stringify(answer))) throw new CardReaderError('noCard');
  if (!response.ok) throw new CardReaderError('unreadable');
  return parseCard(answer);
}

/** Agents use different field names. A card without a valid number counts as not read. */
export function parseCard(answer: unknown): CardData {
  const outer = isRecord(answer) ? answer : {};
  const card = isRecord(outer.data) ? outer.data : outer;
  const text = (...names: string[]) => {
    const found = names
      .map((name) => card[name])
      .find((value) => typeof value === 'string' || typeof value === 'number');
    return found === undefined ? '' : cleanText(String(found).replaceAll('#', ' '));
  };
  const pid = digitsOf(text('pid', 'citizenId', 'idCard', 'cid', 'nationalId'));
  if (!isIdCard(pid)) throw new CardReaderError('unreadable');
  const prename = text('title', 'prename', 'titleTh', 'prefix');
  const read: CardData = {
    idCard: groupIdCard(pid),
    prename,
    firstName: text('firstName', 'fname', 'firstNameTh', 'first_name'),
    lastName: text('lastName', 'lname', 'lastNameTh', 'last_name'),
    firstNameEn: text('firstNameEn', 'fnameEn', 'first_name_en'),
    lastNameEn: text('lastNameEn', 'lnameEn', 'last_name_en'),
    birthDate: birthDateOf(text('birthDate', 'dob', 'dateOfBirth', 'birth_date')),
    sex: sexOf(text('sex', 'gender')) ?? sexOfPrename(prename) ?? undefined,
    address: addressOf(card.address),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value)) as CardData;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** '1988-02-09', '25310209' or '19880209' → ISO; empty for anything else, and for an unknown day (00). */
function birthDateOf(text: string): string {
  const [, year = '', month = '', day = ''] = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(text) ?? [];
  const ce = Number(year) >= 2400 ? Number(year) - BE : Number(year);
  const iso = `${ce}-${month}-${day}`;
  return isIsoDate(iso) ? iso : '';
}

function sexOf(text: string): 'M' | 'F' | null {
  if (/^(1|m|male|ชาย)$/i.test(text)) return 'M';
  return /^(2|f|female|หญิง)$/i.test(text) ? 'F' : null;
}

const ADDRESS_PARTS: [keyof AddressValues, RegExp][] = [
  ['moo', /(?:หมู่ที่|หมู่|ม\.)\s*([0-9๐-๙]+)/],
  ['subdistrict', /(?:ตำบล|แขวง|ต\.)\s*(\S+)/],
  ['district', /(?:อำเภอ|เขต|อ\.)\s*(\S+)/],
  ['province', /(?:จังหวัด|จ\.)\s*(\S+)|(กรุงเทพมหานคร)/],
];

/**
 * An address in parts, or written in one line as on the card: '99 หมู่ที่ 4 ตำบลสุเทพ อำเภอเมืองเชียงใหม่
 * จังหวัดเชียงใหม่'.
 */
function addressOf(value: unknown): Partial<AddressValues> | undefined {
  if (isRecord(value)) {
    const part = (...names: string[]) => {
      const found = names
        .map((name) => value[name])
        .find((item) => typeof item === 'string' || typeof item === 'number');
      return found === undefined ? '' : cleanText(String(found));
    };
    return filled({
      line: part('line', 'houseNo', 'address'),
      moo: part('moo', 'villageNo').replace(/^(หมู่ที่|หมู่)\s*/, ''),
      subdistrict: part('subdistrict', 'tambol', 'tambon').replace(/^(ตำบล|แขวง)/, ''),
      district: part('district', 'amphur', 'amphoe').replace(/^(อำเภอ|เขต)/, ''),
      province: part('province', 'changwat').replace(/^จังหวัด/, ''),
      postalCode: digitsOf(part('postalCode', 'zipcode')),
    });
  }
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  let rest = cleanText(value.replaceAll('#', ' '));
  const parts: Partial<AddressValues> = {};
  for (const [name, pattern] of ADDRESS_PARTS) {
    const found = pattern.exec(rest);
    if (!found) continue;
    parts[name] = found[1] ?? found[2] ?? '';
    rest = rest.replace(found[0], ' ');
  }
  return filled({ ...parts, line: cleanText(rest) });
}

function filled(parts: Partial<AddressValues>): Partial<AddressValues> | undefined {
  const known = Object.entries(parts).filter(([, value]) => value !== '');
  return known.length > 0 ? (Object.fromEntries(known) as Partial<AddressValues>) : undefined;
}
