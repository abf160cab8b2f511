import { Badge, Card, Group, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCalendarPlus, IconCircleCheck } from '@tabler/icons-react';
import { Allergies } from '@/entities/patient/allergies';
import type { PatientRecord } from '@/entities/patient/api';
import { allergiesText, birthText, rightText } from '@/entities/patient/patient-text';
import { valuesOf } from '@/entities/patient/patient-values';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { formatAge } from '@/lib/age';
import { fullName } from '@/lib/full-name';
import { formatPhone } from '@/lib/phone';
import { formatDate, hospitalToday } from '@/lib/thai-date';
import print from '@/ui/print.module.css';
import { StatusBadge } from '@/ui/status-badge';
import { BookLink } from './book-link';
import classes from './patient-header.module.css';
import { PatientMenu } from './patient-menu';
import { RevealIdCard } from './reveal-id-card';

/** Name and main data of a patient, and the most frequent actions. */
export function PatientHeader({ patient }: { patient: PatientRecord }) {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const { hn, sex, birthDate, birthPrecision, phone, idCard, lastVisit } = patient;
  const age = formatAge(birthDate, birthPrecision, language);
  return (
    <Card withBorder padding="md" className={print.sheet} component="section" aria-label={fullName(patient)}>
      <div className={classes.top}>
        <div>
          <Title order={2} className={classes.name}>
            {fullName(patient)}
          </Title>
          <Text size="sm" component="div" className={`tabular ${classes.line}`}>
            <bdi>
              HN <strong>{hn}</strong>
            </bdi>
            <bdi>{t.patient.sexes[sex]}</bdi>
            <bdi>
              <strong>{t.patient.ageNow(age)}</strong> ({birthText(birthDate, birthPrecision, language)})
            </bdi>
            {phone && (
              <bdi>
                <a href={`tel:${phone}`} className={classes.phone}>
                  {formatPhone(phone)}
                </a>
              </bdi>
            )}
          </Text>
        </div>
        <Group gap="xs" wrap="nowrap" className={print.screen}>
          {can('APPOINTMENT.CREATE') && (
            <BookLink patientId={patient.id} leftSection={<IconCalendarPlus size={18} aria-hidden />}>
              {t.patient.book}
            </BookLink>
          )}
          <PatientMenu patient={patient} />
        </Group>
      </div>
      <div className={classes.badges}>
        <Allergies
          substances={allergiesText(t, valuesOf(patient).allergies)}
          noKnownAllergy={patient.noKnownAllergy}
          framed
        />
        <Right patient={patient} />
      </div>
      <Text size="sm" component="div" c="dimmed" className={classes.line}>
        {idCard && (
          <div className={classes.idCard}>
            <RevealIdCard patient={patient} allowed={can('PATIENT.VIEW_CID')} />
          </div>
        )}
        <bdi>
          {t.patient.lastVisit} {lastVisit ? formatDate(lastVisit, language) : t.patient.neverVisited}
        </bdi>
      </Text>
    </Card>
  );
}

function Right({ patient: { rightCode, rightExpires } }: { patient: PatientRecord }) {
  const t = useT();
  const { language } = useLanguage();
  if (rightCode === '') {
    return (
      <Badge variant="default" tt="none" fw={500} radius="sm">
        {t.patient.noRight}
      </Badge>
    );
  }
  const expired = rightExpires !== '' && rightExpires < hospitalToday();
  const until = rightExpires && t.patient.rightUntil(formatDate(rightExpires, language));
  return expired ? (
    <StatusBadge icon={IconAlertTriangle} color="red">
      {`${rightText(t, rightCode)} ${until} (${t.patient.expired})`}
    </StatusBadge>
  ) : (
    <StatusBadge icon={IconCircleCheck} color="blue">
      {`${rightText(t, rightCode)} ${until}`.trim()}
    </StatusBadge>
  );
}
