import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { EMPTY_PATIENT } from '@/entities/patient/patient-values';
import { loadPlaces } from '@/lib/addresses';
import { cardChanges, cardValues } from './card-fill';
import { parseCard, readCard } from './card-reader';

const CARD = {
  pid: '1111111111119',
  title: 'นาย',
  firstName: 'สมชาย',
  lastName: 'ใจดี',
  birthDate: '1988-02-09',
  address: { line: '99/1', moo: '4', subdistrict: 'สุเทพ', district: 'เมืองเชียงใหม่', province: 'เชียงใหม่' },
};
const READ = {
  idCard: '1-1111-11111-11-9',
  prename: 'นาย',
  firstName: 'สมชาย',
  lastName: 'ใจดี',
  birthDate: '1988-02-09',
  sex: 'M',
  address: CARD.address,
};

afterEach(() => vi.unstubAllGlobals());

describe('what a card says', () => {
  it.each([
    ['in our words', CARD],
    ['inside an envelope', { data: CARD }],
    [
      'in other words, Buddhist and run together',
      {
        citizenId: '1-1111-11111-11-9',
        prename: 'นาย',
        fname: ' สมชาย ',
        lname: 'ใจดี',
        dob: '25310209',
        sex: '1',
        address: '99/1#หมู่ที่ 4####ตำบลสุเทพ#อำเภอเมืองเชียงใหม่#จังหวัดเชียงใหม่',
      },
    ],
  ])('%s', (_, answer) => {
    expect(parseCard(answer)).toEqual(READ);
  });

  test('in Bangkok', () => {
    const address = '12 ถนนรามคำแหง แขวงหัวหมาก เขตบางกะปิ กรุงเทพมหานคร';
    expect(parseCard({ ...CARD, address }).address).toEqual({
      line: '12 ถนนรามคำแหง',
      subdistrict: 'หัวหมาก',
      district: 'บางกะปิ',
      province: 'กรุงเทพมหานคร',
    });
  });

  it.each([{}, null, 'x', { pid: '1111111111110' }])('cannot be %j', (answer) => {
    expect(() => parseCard(answer)).toThrow(expect.objectContaining({ problem: 'unreadable' }));
  });

  test('a day that is not on the card stays empty', () => {
    expect(parseCard({ ...CARD, birthDate: '25310000' })).not.toHaveProperty('birthDate');
  });
});

describe('an agent', () => {
  it.each([
    ['noCard', () => new Response(null, { status: 404 })],
    ['noCard', () => Response.json({ error: 'NO_CARD' }, { status: 409 })],
    ['unreadable', () => new Response('<html>')],
    ['unreadable', () => Response.json({}, { status: 500 })],
    [
      'noAgent',
      () => {
        throw new TypeError('Failed to fetch');
      },
    ],
  ])('reports %s', async (problem, answer) => {
    vi.stubGlobal('fetch', async () => answer());
    await expect(readCard('http://127.0.0.1:9/card')).rejects.toMatchObject({ problem });
  });
});

test('fills what is empty, with the postal code, and names what would be replaced', async () => {
  const typed = { ...EMPTY_PATIENT, firstName: 'สมชาติ' };
  const read = cardValues(typed, parseCard(CARD), await loadPlaces());
  expect(read.address.postalCode).toBe('50200');
  const { fills, replaces } = cardChanges(typed, read);
  expect(replaces).toEqual(['firstName']);
  expect(fills).toContain('address.postalCode');
  expect(fills).not.toContain('firstNameEn');
});
