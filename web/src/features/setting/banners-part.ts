import { z } from 'zod';
import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { addDays, formatDate, inHospital, startOfDay } from '@/lib/thai-date';
import type { Change } from '@/ui/change-list';
import type { Banner } from './api';
import type { SettingPart } from './use-setting-form';

interface BannersValues extends Record<string, unknown> {
  banners: Banner[];
}

/** The first and last day of a banner. The server stores its end as the time from which it is hidden. */
export function daysOf({ startsAt, endsAt }: Pick<Banner, 'startsAt' | 'endsAt'>): {
  from: string | null;
  to: string | null;
} {
  return {
    from: startsAt ? inHospital(startsAt).date : null,
    to: endsAt ? inHospital(new Date(new Date(endsAt).getTime() - 1)).date : null,
  };
}

export const startOf = (day: string | null) => (day ? startOfDay(day) : null);
export const endOf = (day: string | null) => (day ? startOfDay(addDays(day, 1)) : null);

export function stateOf({ active, startsAt, endsAt }: Banner, now: Date): 'now' | 'off' | 'later' | 'over' {
  if (!active) return 'off';
  if (endsAt && new Date(endsAt) <= now) return 'over';
  return startsAt && new Date(startsAt) > now ? 'later' : 'now';
}

export function periodText(t: Messages, language: Language, banner: Banner): string {
  const { from, to } = daysOf(banner);
  const words = t.setting.banners;
  if (from && to) return words.period(formatDate(from, language), formatDate(to, language));
  if (from) return words.fromOn(formatDate(from, language));
  return to ? words.until(formatDate(to, language)) : words.always;
}

/** A banner by its description, or by its position if it has none. */
export const bannerName = (t: Messages, { alt }: Banner, index: number) =>
  alt.trim() || t.setting.banners.numbered(index + 1);

const sameInstant = (a: string | null, b: string | null) =>
  a === b || (a !== null && b !== null && new Date(a).getTime() === new Date(b).getTime());

export function bannersPart(t: Messages, language: Language): SettingPart<BannersValues> {
  const words = t.setting.banners;
  const line = (banner: Banner, index: number) =>
    [
      `${index + 1}. ${bannerName(t, banner, index)}`,
      banner.link.trim(),
      periodText(t, language, banner),
      banner.active ? '' : words.state.off,
    ]
      .filter((part) => part !== '')
      .join(' · ');
  const names = (banners: Banner[]) => banners.map((one, index) => bannerName(t, one, index));
  return {
    valuesOf: ({ banners }) => ({ banners }),
    // Two banners may have the same description, so the number distinguishes them.
    textsOf: ({ banners }) => ({
      banners: banners.map((one, index) => `${line(one, index)} #${one.id.slice(-4)}`).join('\n'),
    }),
    inputOf: ({ banners }) => ({
      banners: banners.map((one) => ({ ...one, alt: one.alt.trim(), link: one.link.trim() })),
    }),
    schema: z.object({
      banners: z.array(
        z
          .object({
            id: z.string(),
            image: z.string(),
            alt: z.string().refine((value) => [...value.trim()].length <= 200, t.account.rule.tooLong(200)),
            link: z
              .string()
              .refine((value) => value.trim() === '' || isLink(value.trim()), t.setting.rule.link),
            startsAt: z.string().nullable(),
            endsAt: z.string().nullable(),
            active: z.boolean(),
          })
          .refine(({ startsAt, endsAt }) => !startsAt || !endsAt || new Date(startsAt) < new Date(endsAt), {
            message: t.setting.rule.period,
            path: ['endsAt'],
          }),
      ),
    }),
    changesOf: (before, after) => bannerChanges(t, language, before.banners, after.banners, names),
  };
}

function bannerChanges(
  t: Messages,
  language: Language,
  before: Banner[],
  after: Banner[],
  names: (banners: Banner[]) => string[],
): Change[] {
  const words = t.setting.banners;
  const [oldNames, newNames] = [names(before), names(after)];
  const removed = before.flatMap(({ id }, i) =>
    after.some((one) => one.id === id) ? [] : [oldNames[i] ?? ''],
  );
  const added = after.flatMap(({ id }, i) =>
    before.some((one) => one.id === id) ? [] : [newNames[i] ?? ''],
  );
  const changes: Change[] = [];
  if (added.length + removed.length > 0) {
    changes.push({ key: 'banners', label: words.list, kind: 'list', added, removed });
  }
  const idsInBoth = (banners: Banner[], others: Banner[]) =>
    banners.filter(({ id }) => others.some((one) => one.id === id)).map(({ id }) => id);
  const oldOrder = idsInBoth(before, after);
  if (oldOrder.join() !== idsInBoth(after, before).join()) {
    const orderText = (banners: Banner[], texts: string[]) =>
      banners.flatMap(({ id }, i) => (oldOrder.includes(id) ? [texts[i] ?? ''] : [])).join(', ');
    changes.push({
      key: 'order',
      label: words.order,
      kind: 'value',
      before: orderText(before, oldNames),
      after: orderText(after, newNames),
    });
  }
  for (const [index, banner] of after.entries()) {
    const old = before.find(({ id }) => id === banner.id);
    if (!old) continue;
    const change = (field: string, label: string, was: string, is: string) => {
      const owner = oldNames[before.indexOf(old)] ?? newNames[index];
      if (was === is) return;
      changes.push({
        key: `${banner.id}.${field}`,
        label: `${owner} › ${label}`,
        kind: 'value',
        before: was,
        after: is,
      });
    };
    change('alt', words.alt, old.alt.trim(), banner.alt.trim());
    change('link', words.link, old.link.trim(), banner.link.trim());
    if (!sameInstant(old.startsAt, banner.startsAt) || !sameInstant(old.endsAt, banner.endsAt)) {
      change('period', t.date.period, periodText(t, language, old), periodText(t, language, banner));
    }
    const shown = ({ active }: Banner) => (active ? t.audit.yes : t.audit.no);
    change('active', words.active, shown(old), shown(banner));
  }
  return changes;
}

function isLink(text: string): boolean {
  try {
    const { protocol, hostname, username } = new URL(text);
    return /^https?:$/.test(protocol) && hostname !== '' && username === '' && text.length <= 500;
  } catch {
    return false;
  }
}
