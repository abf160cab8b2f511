import { searchKey } from './thai-text';

export interface Place {
  subdistrict: string;
  district: string;
  province: string;
  /** The most common one first; a few subdistricts have several. */
  postalCodes: string[];
}

/** A place with its normalised names. */
interface Entry extends Place {
  keys: { subdistrict: string; district: string; province: string };
}

/** The format of scripts/addresses.mjs. */
type Packed = [province: string, [district: string, [codes: string, names: string][]][]][];

/** All subdistricts of Thailand; loaded when a user is about to type an address. */
export async function loadPlaces(): Promise<Entry[]> {
  const { default: text } = await import('@/data/addresses.json?raw');
  return unpack(JSON.parse(text) as Packed);
}

function unpack(packed: Packed): Entry[] {
  return packed.flatMap(([province, districts]) =>
    districts.flatMap(([district, groups]) =>
      groups.flatMap(([codes, names]) => {
        const postalCodes = codes.split(',');
        return names.split('|').map((subdistrict) => ({
          subdistrict,
          district,
          province,
          postalCodes,
          keys: {
            subdistrict: searchKey(subdistrict),
            district: searchKey(district),
            province: searchKey(province),
          },
        }));
      }),
    ),
  );
}

const KINDS = /(^|\s)(ตำบล|แขวง|อำเภอ|เขต|จังหวัด|ต\.|อ\.|จ\.)\s*/g;
const BANGKOK = /(^|\s)(กทม\.?|กรุงเทพฯ?)(?=\s|$)/g;

/** Returns the places whose names or postal code contain every word of the text, best match first. */
export function matchPlaces(places: Entry[], typed: string, limit = 20): Place[] {
  const words = searchKey(typed.replace(KINDS, ' ').replace(BANGKOK, ' กรุงเทพมหานคร'))
    .split(' ')
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  const ranked: { place: Place; rank: number }[] = [];
  for (const entry of places) {
    const rank = rankOf(entry, words);
    if (rank !== null) ranked.push({ place: entry, rank });
  }
  // The sort is stable: places of one rank remain in Thai order by province, district, subdistrict.
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ place }) => place);
}

function rankOf(entry: Entry, words: string[]): number | null {
  let sum = 0;
  for (const word of words) {
    const rank = rankOfWord(entry, word);
    if (rank === null) return null;
    sum += rank;
  }
  return sum;
}

/** The rank of a match: 0 for the exact subdistrict, then prefixes, then substrings; null for none. */
function rankOfWord({ keys, postalCodes }: Entry, word: string): number | null {
  if (/^\d+$/.test(word)) {
    if (postalCodes.some((code) => code.startsWith(word))) return 1;
    return postalCodes.some((code) => code.includes(word)) ? 8 : null;
  }
  const { subdistrict, district, province } = keys;
  if (subdistrict === word) return 0;
  if (subdistrict.startsWith(word)) return 1;
  if (district === word) return 2;
  if (province === word) return 3;
  if (district.startsWith(word)) return 4;
  if (province.startsWith(word)) return 5;
  if (subdistrict.includes(word)) return 6;
  if (district.includes(word) || province.includes(word)) return 7;
  // Typed without a space: สุเทพเมืองเชียงใหม่.
  return `${subdistrict}${district}${province}`.includes(word) ? 9 : null;
}

/** 'ต.สุเทพ อ.เมืองเชียงใหม่ จ.เชียงใหม่ 50200', or 'แขวง… เขต… กรุงเทพมหานคร 10…'. */
export function placeText({ subdistrict, district, province, postalCodes }: Place): string {
  const bangkok = province === 'กรุงเทพมหานคร';
  const [sub, dist, prov] = bangkok ? ['แขวง', 'เขต', ''] : ['ต.', 'อ.', 'จ.'];
  return `${sub}${subdistrict} ${dist}${district} ${prov}${province} ${postalCodes.join('/')}`;
}

/** Returns the one place with exactly these names, if it is known. */
export function findPlace(
  places: Place[],
  names: Pick<Place, 'subdistrict' | 'district' | 'province'>,
): Place | null {
  return (
    places.find(
      (place) =>
        place.subdistrict === names.subdistrict &&
        place.district === names.district &&
        place.province === names.province,
    ) ?? null
  );
}
