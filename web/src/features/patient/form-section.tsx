import type { ReactNode } from 'react';
import { useT } from '@/i18n/provider';
import classes from './form.module.css';
import type { SectionName } from './patient-facts';

export const sectionId = (name: SectionName) => `patient-${name}`;

export function FormSection({ name, children }: { name: SectionName; children: ReactNode }) {
  const t = useT();
  return (
    <fieldset id={sectionId(name)} className={classes.section} data-section={name} tabIndex={-1}>
      <legend>{t.patient.section[name]}</legend>
      <div className={classes.grid}>{children}</div>
    </fieldset>
  );
}
