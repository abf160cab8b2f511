import { Button, Card, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Patient } from '@/entities/patient/api';
import fields from '@/entities/patient/patient-form.module.css';
import { type PatientForm, PatientFormProvider } from '@/entities/patient/patient-form-context';
import { meQuery } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { ErrorAlert } from '@/ui/error-alert';
import { LinkButton } from '@/ui/link-button';
import { CardReaderButton } from './card-reader-button';
import classes from './form.module.css';
import { ConsentSection } from './section-consent';
import { ContactSection } from './section-contact';
import { HealthSection } from './section-health';
import { IdentitySection } from './section-identity';
import { SectionNav } from './section-nav';
import { PersonSection } from './section-person';
import { RightSection } from './section-right';

interface PatientFormBodyProps {
  form: PatientForm;
  patient?: Patient;
  label: string;
  submitLabel: string;
  pending: boolean;
  error: unknown;
  onSubmit: (event?: FormEvent<HTMLFormElement>) => void;
}

/** All fields of a patient in sections, with links to the sections at the side and a save button that stays visible. */
export function PatientFormBody(props: PatientFormBodyProps) {
  const { form, patient, label, submitLabel, pending, error, onSubmit } = props;
  const t = useT();
  const [fromCard, setFromCard] = useState<Record<string, unknown>>({});
  const { data: me } = useQuery(meQuery);
  const reader = me?.cardReaderUrl && (
    <CardReaderButton
      url={me.cardReaderUrl}
      form={form}
      onFilled={(read) => setFromCard((before) => ({ ...before, ...read }))}
    />
  );
  return (
    <PatientFormProvider form={form} patient={patient} fromCard={fromCard}>
      <div className={classes.layout}>
        <SectionNav errors={form.errors} />
        <Card withBorder padding="lg" className={classes.card}>
          <form noValidate onSubmit={onSubmit} aria-label={label} className={fields.form}>
            <IdentitySection cardReader={reader} />
            <ContactSection />
            <RightSection />
            <HealthSection />
            <PersonSection />
            <ConsentSection />
            <Stack gap="sm" className={classes.bar}>
              {error !== null && <ErrorAlert error={error} />}
              <Group gap="xs">
                <Button type="submit" loading={pending}>
                  {submitLabel}
                </Button>
                <LinkButton to="/app/patient-management" variant="default">
                  {t.patient.backToList}
                </LinkButton>
              </Group>
            </Stack>
          </form>
        </Card>
      </div>
    </PatientFormProvider>
  );
}
