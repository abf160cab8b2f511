import { describe, expect, test } from 'vitest';
import { th } from '@/i18n/th';
import type { Banner } from './api';
import { bannersPart, daysOf, endOf, startOf, stateOf } from './banners-part';

const banner = (id: string, more: Partial<Banner> = {}): Banner => ({
  id,
  image: `/media/${id}.png`,
  alt: id,
  link: '',
  startsAt: null,
  endsAt: null,
  active: true,
  ...more,
});
const part = bannersPart(th, 'th');

describe('the period', () => {
  test('includes its last day, in the hospital’s time zone', () => {
    const endsAt = endOf('2026-11-30');
    expect(new Date(endsAt ?? '').toISOString()).toBe('2026-11-30T17:00:00.000Z');
    expect(daysOf({ startsAt: startOf('2026-11-16'), endsAt })).toEqual({
      from: '2026-11-16',
      to: '2026-11-30',
    });
    expect(daysOf({ startsAt: null, endsAt: null })).toEqual({ from: null, to: null });
  });

  test.each([
    ['always', banner('a'), 'now'],
    ['switched off', banner('a', { active: false }), 'off'],
    ['from tomorrow', banner('a', { startsAt: startOf('2026-11-17') }), 'later'],
    ['until yesterday', banner('a', { endsAt: endOf('2026-11-15') }), 'over'],
    ['until today', banner('a', { endsAt: endOf('2026-11-16') }), 'now'],
  ])('%s', (_, one, state) => {
    expect(stateOf(one, new Date('2026-11-16T16:59:00+07:00'))).toBe(state);
  });
});

describe('what changes', () => {
  const changes = (before: Banner[], after: Banner[]) =>
    part.changesOf?.({ banners: before }, { banners: after }) ?? [];

  test('nothing', () => {
    expect(changes([banner('a')], [banner('a')])).toEqual([]);
  });

  test('the same instant in another format is no change', () => {
    const [one, other] = ['2026-11-15T17:00:00Z', '2026-11-16T00:00:00+07:00'];
    expect(changes([banner('a', { startsAt: one })], [banner('a', { startsAt: other })])).toEqual([]);
  });

  test('order, by name', () => {
    expect(changes([banner('ก'), banner('ข')], [banner('ข'), banner('ก')])).toEqual([
      { key: 'order', label: 'ลำดับแบนเนอร์', kind: 'value', before: 'ก, ข', after: 'ข, ก' },
    ]);
  });

  test('one removed, another renamed, closed and given a period', () => {
    const renamed = banner('b', {
      alt: 'ใหม่',
      active: false,
      startsAt: startOf('2026-11-16'),
      endsAt: endOf('2026-11-30'),
    });
    expect(changes([banner('a'), banner('b', { alt: '' })], [renamed])).toEqual([
      { key: 'banners', label: 'แบนเนอร์', kind: 'list', added: [], removed: ['a'] },
      { key: 'b.alt', label: 'แบนเนอร์ 2 › คำอธิบายรูป', kind: 'value', before: '', after: 'ใหม่' },
      {
        key: 'b.period',
        label: 'แบนเนอร์ 2 › ช่วงวันที่',
        kind: 'value',
        before: 'ตลอดเวลา',
        after: '16 พ.ย. 2569 ถึง 30 พ.ย. 2569',
      },
      { key: 'b.active', label: 'แบนเนอร์ 2 › แสดงแบนเนอร์นี้', kind: 'value', before: 'ใช่', after: 'ไม่ใช่' },
    ]);
  });
});

describe('what may be saved', () => {
  const faults = (one: Banner) =>
    (part.schema.safeParse({ banners: [one] }).error?.issues ?? []).map(({ path }) => path.join('.'));

  test.each([
    ['https://hospital.example/flu?x=1', []],
    ['', []],
    ['hospital.example', ['banners.0.link']],
    ['javascript:alert(1)', ['banners.0.link']],
    ['https://hospital.example@evil.example', ['banners.0.link']],
  ])('the link %s', (link, wrong) => {
    expect(faults(banner('a', { link }))).toEqual(wrong);
  });

  test('a period that ends before it begins', () => {
    expect(faults(banner('a', { startsAt: startOf('2026-11-16'), endsAt: endOf('2026-11-16') }))).toEqual([]);
    expect(faults(banner('a', { startsAt: startOf('2026-11-17'), endsAt: endOf('2026-11-16') }))).toEqual([
      'banners.0.endsAt',
    ]);
  });
});
