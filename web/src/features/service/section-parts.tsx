import { Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import type { Messages } from '@/i18n/th';
import classes from './service.module.css';
import { BOUNDS, type ServiceValues } from './service-values';

/** The props of every section of the form. */
export interface SectionProps {
  form: UseFormReturnType<ServiceValues>;
  readOnly: boolean;
}

/** A section of the form with its title. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h4" mb="xs">
        {title}
      </Title>
      <div className={classes.grid}>{children}</div>
    </section>
  );
}

/** The props of an input, with its label. */
export function textProps(
  t: Messages,
  { form, readOnly }: SectionProps,
  field: keyof Messages['service']['fields'],
) {
  return { label: t.service.fields[field], readOnly, ...form.getInputProps(field) };
}

/** The props of an input for an integer. */
export function numberProps(t: Messages, props: SectionProps, field: keyof typeof BOUNDS) {
  const [min, max] = BOUNDS[field];
  return { ...textProps(t, props, field), min, max, allowDecimal: false, clampBehavior: 'none' as const };
}
