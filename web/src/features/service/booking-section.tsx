import { Checkbox, NumberInput, Switch, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Service } from '@/entities/service/api';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { hospitalToday } from '@/lib/thai-date';
import { TextLink } from '@/ui/text-link';
import { hoursText } from './hours';
import { numberProps, Section, type SectionProps } from './section-parts';
import classes from './service.module.css';
import { BOUNDS, type HospitalRule, type ServiceValues } from './service-values';

/** The hospital's rules, which apply if the service has none. */
export type HospitalRules = Record<HospitalRule, number>;

interface BookingSectionProps extends SectionProps {
  service?: Service;
  original?: Service;
  rules?: HospitalRules;
}

/** Slots, capacity and booking rules. */
export function BookingSection({ service, original, rules, ...props }: BookingSectionProps) {
  const t = useT();
  const { form, readOnly } = props;
  const number = (field: keyof typeof BOUNDS) => numberProps(t, props, field);
  return (
    <Section title={t.service.sections.booking}>
      <NumberInput {...number('slotMinutes')} required step={5} />
      <NumberInput {...number('defaultCapacity')} required />
      {!readOnly && (
        <Text size="xs" c="dimmed" className={classes.wide}>
          {t.service.hints.slots}
        </Text>
      )}
      <NumberInput
        {...number('overbookLimit')}
        className={classes.wide}
        description={t.service.hints.overbookLimit}
        required
      />
      {(['bookingWindowDays', 'leadMinutes', 'cancelCutoffMinutes'] as const).map((field) => (
        <OwnOrHospital
          key={field}
          field={field}
          value={form.values[field]}
          hospital={rules?.[field]}
          readOnly={readOnly}
          onChange={(value) => form.setFieldValue(field, value)}
        >
          <NumberInput {...number(field)} value={form.values[field] ?? ''} />
        </OwnOrHospital>
      ))}
      <Switch
        className={classes.wide}
        label={t.service.fields.requiresApproval}
        description={t.service.hints.requiresApproval}
        disabled={readOnly}
        {...form.getInputProps('requiresApproval', { type: 'checkbox' })}
      />
      <Hours service={service} original={original} />
    </Section>
  );
}

/** The weekly hours, which are edited in the service schedule. */
function Hours({ service, original }: Pick<BookingSectionProps, 'service' | 'original'>) {
  const t = useT();
  const can = useCan();
  return (
    <div className={classes.wide}>
      <Text size="sm" fw={500}>
        {t.service.hours}
      </Text>
      <Text size="sm" className="tabular">
        {service && hoursText(t, service.schedule, hospitalToday()).join(' · ')}
        {original && t.service.hoursCopied(hoursText(t, original.schedule, hospitalToday()).join(' · '))}
        {!service && !original && t.service.hoursAfter}
      </Text>
      {service && can('SERVICE_SCHEDULE.SHOW') && (
        <TextLink
          to="/app/serviceSchedule"
          search={{ service: service.id, panel: 'hours' as const }}
          size="sm"
        >
          {t.service.editHours}
        </TextLink>
      )}
    </div>
  );
}

interface OwnOrHospitalProps {
  field: HospitalRule;
  value: ServiceValues[HospitalRule];
  hospital?: number;
  readOnly: boolean;
  onChange: (value: ServiceValues[HospitalRule]) => void;
  children: ReactNode;
}

/** A rule of the service, or the hospital's current value. */
function OwnOrHospital({ field, value, hospital, readOnly, onChange, children }: OwnOrHospitalProps) {
  const t = useT();
  const amount = field === 'bookingWindowDays' ? t.service.days : t.service.minutes;
  const start = hospital ?? BOUNDS[field][0];
  return (
    <div className={classes.rule}>
      {value === null ? (
        <Text size="sm" fw={500}>
          {t.service.fields[field]}
        </Text>
      ) : (
        children
      )}
      <Checkbox
        mt={6}
        aria-label={t.service.asHospitalFor(t.service.fields[field])}
        label={hospital === undefined ? t.service.asHospital : t.service.asHospitalOf(amount(hospital))}
        disabled={readOnly}
        checked={value === null}
        onChange={({ currentTarget: { checked } }) => onChange(checked ? null : start)}
      />
      {field === 'cancelCutoffMinutes' && (
        <Text size="xs" c="dimmed">
          {t.service.hints[field]}
        </Text>
      )}
    </div>
  );
}
