import { Alert, Card, Title } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { Patient } from '@/entities/patient/api';
import { valuesOf } from '@/entities/patient/patient-values';
import { useLanguage, useT } from '@/i18n/provider';
import print from '@/ui/print.module.css';
import { FACTS, factText, SECTIONS } from './patient-facts';
import classes from './patient-page.module.css';

/** The record for users who may see but not change it. */
export function PatientReadOnly({ patient }: { patient: Patient }) {
  const t = useT();
  const { language } = useLanguage();
  const values = valuesOf(patient);
  return (
    <Card withBorder padding="lg" className={print.sheet}>
      <Alert variant="default" icon={<IconLock aria-hidden />} p="xs" mb="md" className={print.screen}>
        {t.patient.readOnly}
      </Alert>
      <div className={classes.facts}>
        {SECTIONS.map((section) => (
          <section key={section}>
            <Title order={3}>{t.patient.section[section]}</Title>
            <dl>
              {FACTS[section].map((fact) => (
                <div key={fact} className={classes.fact}>
                  <dt>{t.patient.field[fact]}</dt>
                  <dd>{factText(t, language, values, fact) || '–'}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Card>
  );
}
