import { beforeAll, describe, expect, it } from 'vitest';
import { findPlace, loadPlaces, matchPlaces, placeText } from './addresses';

describe('places', () => {
  let places: Awaited<ReturnType<typeof loadPlaces>>;
  beforeAll(async () => {
    places = await loadPlaces();
  });

  it('knows every province and more than seven thousand subdistricts', () => {
    expect(new Set(places.map(({ province }) => province)).size).toBe(77);
    expect(places.length).toBeGreaterThan(7400);
    for (const { postalCodes } of places) for (const code of postalCodes) expect(code).toMatch(/^\d{5}$/);
  });

  const SUTHEP = 'ต.สุเทพ อ.เมืองเชียงใหม่ จ.เชียงใหม่ 50200';
  it.each([
    ['a whole subdistrict', 'สุเทพ', SUTHEP],
    ['with its kind written before it', 'ต.สุเทพ', SUTHEP],
    ['written out as on a letter', 'ตำบลสุเทพ อำเภอเมืองเชียงใหม่ จังหวัดเชียงใหม่', SUTHEP],
    ['words of different levels', 'สุเทพ เชียงใหม่', SUTHEP],
    ['words in any order', 'เชียงใหม่ สุเทพ', SUTHEP],
    ['without a space between', 'สุเทพเมืองเชียงใหม่', SUTHEP],
    ['a name and a postal code', 'สุเทพ 50200', SUTHEP],
    ['Thai digits', 'สุเทพ ๕๐๒๐๐', SUTHEP],
    ['invisible characters inside', 'สุ\u200bเทพ', SUTHEP],
    ['two เ for แ', 'เเม่เหียะ', 'ต.แม่เหียะ อ.เมืองเชียงใหม่ จ.เชียงใหม่ 50100'],
    ['a missing tone mark', 'แมเหียะ', 'ต.แม่เหียะ อ.เมืองเชียงใหม่ จ.เชียงใหม่ 50100'],
    ['Bangkok by its short name', 'หัวหมาก กทม.', 'แขวงหัวหมาก เขตบางกะปิ กรุงเทพมหานคร 10240/10250'],
  ])('finds %s first', (_, typed, first) => {
    expect(matchPlaces(places, typed).map(placeText)[0]).toBe(first);
  });

  it('ranks prefixes before substrings', () => {
    const found = matchPlaces(places, 'ในเมือง', 200).map(({ subdistrict }) => subdistrict);
    expect(found[0]).toBe('ในเมือง');
    expect(found.every((name) => name.includes('ในเมือง'))).toBe(true);
  });

  it('finds all places of a postal code', () => {
    const found = matchPlaces(places, '50200', 100);
    expect(found.length).toBeGreaterThan(2);
    expect(found.every(({ postalCodes }) => postalCodes.includes('50200'))).toBe(true);
  });

  it.each(['', '   ', 'ต.', 'ไม่มีที่นี้แน่นอน'])('finds nothing for %j', (typed) => {
    expect(matchPlaces(places, typed)).toEqual([]);
  });

  it('finds a place by its names', () => {
    const names = { subdistrict: 'สุเทพ', district: 'เมืองเชียงใหม่', province: 'เชียงใหม่' };
    expect(findPlace(places, names)?.postalCodes).toEqual(['50200']);
    expect(findPlace(places, { ...names, province: 'ลำพูน' })).toBeNull();
  });
});
