import { z } from 'zod';
import type { Messages } from '@/i18n/th';
import { type Typed, wholeNumber } from '@/lib/number-rule';
import type { Change } from '@/ui/change-list';
import { CHANNELS, type ReminderChannel } from './api';
import { durationText } from './setting-values';
import { unknownToken } from './template';
import type { SettingPart } from './use-setting-form';

export interface ReminderValue {
  /** The React key; not sent. */
  key: string;
  offsetHours: Typed;
  channel: ReminderChannel;
  template: string;
}

interface RemindersValues extends Record<string, unknown> {
  reminders: ReminderValue[];
}

export const MAX_REMINDERS = 10;
export const MAX_HOURS = 30 * 24;

export function offsetText(t: Messages, hours: Typed): string {
  return t.setting.reminders.before(durationText(t, Number(hours) * 60) || '–');
}

function reminderText(t: Messages, { offsetHours, channel, template }: ReminderValue): string {
  return `${offsetText(t, offsetHours)} · ${t.setting.reminders.channels[channel]}: ${template.trim()}`;
}

export function remindersPart(t: Messages): SettingPart<RemindersValues> {
  const lines = ({ reminders }: RemindersValues) => reminders.map((one) => reminderText(t, one));
  const row = z.object({
    key: z.string(),
    offsetHours: wholeNumber(1, MAX_HOURS, t.setting.rule.between(1, MAX_HOURS)),
    channel: z.enum(CHANNELS),
    template: z
      .string()
      .refine((value) => value.trim() !== '', t.account.rule.required)
      .refine((value) => [...value.trim()].length <= 1000, t.account.rule.tooLong(1000))
      .superRefine((value, context) => {
        const unknown = unknownToken(value);
        if (unknown) context.addIssue({ code: 'custom', message: t.setting.rule.placeholder(unknown) });
      }),
  });
  return {
    valuesOf: ({ reminders }) => ({
      reminders: reminders.map((one, index) => ({ key: `saved ${index}`, ...one })),
    }),
    textsOf: (values) => ({ reminders: lines(values).join('\n') }),
    inputOf: ({ reminders }) => ({
      reminders: reminders.map(({ offsetHours, channel, template }) => ({
        offsetHours: Number(offsetHours),
        channel,
        template: template.trim(),
      })),
    }),
    schema: z.object({
      reminders: z.array(row).superRefine((rows, context) => {
        for (const [index, { offsetHours, channel }] of rows.entries()) {
          const same = (other: { offsetHours: Typed; channel: string }) =>
            Number(other.offsetHours) === Number(offsetHours) && other.channel === channel;
          if (offsetHours !== '' && rows.slice(0, index).some(same)) {
            context.addIssue({ code: 'custom', message: t.setting.rule.twice, path: [index, 'offsetHours'] });
          }
        }
      }),
    }),
    changesOf: (before, after): Change[] => {
      const [old, now] = [lines(before), lines(after)];
      const added = now.filter((line) => !old.includes(line));
      const removed = old.filter((line) => !now.includes(line));
      if (old.join('\n') === now.join('\n')) return [];
      return [{ key: 'reminders', label: t.audit.fields.setting.reminders, kind: 'list', added, removed }];
    },
  };
}
