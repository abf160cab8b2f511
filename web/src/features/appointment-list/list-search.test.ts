import { describe, expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { criteriaOf, daysOf, filtersText, listSearch, periodText, sortOf } from './list-search';

const SUNDAY = '2026-11-15';

describe('the address of the list', () => {
  test('without anything means today, with those whose visit is over at the end', () => {
    expect(criteriaOf(listSearch.parse({}), SUNDAY)).toMatchObject({
      dateFrom: SUNDAY,
      dateTo: SUNDAY,
      sort: 'turn',
    });
  });

  test.each([
    [{ range: 'tomorrow' }, 'date', undefined],
    [{ from: SUNDAY, to: SUNDAY }, 'date', undefined],
    [{ range: 'all', sort: '-number' }, '-number', '-number'],
    [{ sort: 'date' }, 'date', 'date'],
  ])('%j is sorted by %s, which is asked for as %s', (search, sort, asked) => {
    expect(sortOf(listSearch.parse(search))).toBe(sort);
    expect(criteriaOf(listSearch.parse(search)).sort).toBe(asked);
  });

  test('holds only what the list knows', () => {
    const read = listSearch.parse({
      status: 'NONSENSE',
      from: '2026-02-30',
      q: 81,
      sort: '-nothing',
      page: -1,
    });
    expect(read).toEqual({ range: 'today', pageSize: 20, q: '81', sort: 'turn', page: 1 });
  });

  test.each([
    ['tomorrow', { dateFrom: '2026-11-16', dateTo: '2026-11-16' }],
    ['week', { dateFrom: '2026-11-09', dateTo: '2026-11-15' }],
    ['coming', { dateFrom: SUNDAY }],
    ['all', {}],
  ] as const)('%s is its days', (range, days) => expect(daysOf({ range }, SUNDAY)).toEqual(days));

  test('a group of statuses is requested by its name', () => {
    const { statuses, statusGroup } = criteriaOf(listSearch.parse({ status: 'EXPECTED' }));
    expect({ statuses, statusGroup }).toEqual({ statuses: undefined, statusGroup: 'EXPECTED' });
    expect(criteriaOf(listSearch.parse({ status: 'NO_SHOW' }))).toMatchObject({ statuses: ['NO_SHOW'] });
    expect(criteriaOf(listSearch.parse({})).statuses).toBeUndefined();
  });

  test('two dates count more than a range', () => {
    const search = listSearch.parse({ range: 'all', from: '2026-11-01', to: '2026-11-02' });
    expect(daysOf(search, SUNDAY)).toEqual({ dateFrom: '2026-11-01', dateTo: '2026-11-02' });
    expect(periodText(th, 'th', search, SUNDAY)).toBe('1 พ.ย. 2569 – 2 พ.ย. 2569');
  });

  test('on paper every filter is said, and a name that is not known is left out', () => {
    const search = listSearch.parse({
      q: 'สม',
      service: 3,
      status: 'NO_SHOW',
      staff: 9,
      channel: 'PHONE',
      kind: 'NEW',
    });
    expect(filtersText(th, search, { service: 'อายุรกรรม' })).toBe(
      'ค้นหา “สม” · บริการ อายุรกรรม · สถานะ ไม่มาตามนัด · ช่องทาง โทรศัพท์ · ประเภทนัด นัดใหม่',
    );
    expect(filtersText(th, listSearch.parse({}), {})).toBe('');
  });
});
