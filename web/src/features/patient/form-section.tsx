import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import fields from '@/entities/patient/patient-form.module.css';
import { useT } from '@/i18n/provider';
import classes from './form.module.css';
import type { SectionName } from './patient-facts';

export const sectionId = (name: SectionName) => `patient-${name}`;

export function FormSection({ name, children }: { name: SectionName; children: ReactNode }) {
  const t = useT();
  return (
    <section
      id={sectionId(name)}
      className={classes.section}
      data-section={name}
      tabIndex={-1}
      aria-labelledby={`${sectionId(name)}-title`}
    >
      <Title order={2} size="h3" mb="sm" id={`${sectionId(name)}-title`}>
        {t.patient.section[name]}
      </Title>
      <div className={fields.grid}>{children}</div>
    </section>
  );
}
