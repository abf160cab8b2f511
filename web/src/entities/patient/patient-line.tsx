import { IconAlertTriangle } from '@tabler/icons-react';
import { linkOptions } from '@tanstack/react-router';
import { useLanguage, useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { formatShortAge } from '@/lib/age';
import { fullName } from '@/lib/full-name';
import { formatPhone } from '@/lib/phone';
import type { Patient } from './api';
import classes from './patient-line.module.css';

/** The page of a patient. */
export const patientLink = (id: number) =>
  linkOptions({ to: '/app/patient-management/$id/edit', params: { id: String(id) } });

/** The masked ID card, or the passport. */
export function idOf(t: Messages, { idCard, passportNo }: Pick<Patient, 'idCard' | 'passportNo'>): string {
  return idCard || (passportNo && t.patientList.passport(passportNo));
}

function allergyText(t: Messages, { allergies }: Pick<Patient, 'allergies'>): string {
  return t.patient.allergicTo(allergies.map(({ substance }) => substance).join(', '));
}

/** Marks a patient with allergies; its text names the substances. */
export function AllergyMark({ patient, short }: { patient: Patient; short?: boolean }) {
  const t = useT();
  if (patient.allergies.length === 0) return null;
  const text = allergyText(t, patient);
  return (
    <span className={classes.allergy} title={text}>
      <IconAlertTriangle
        size={15}
        stroke={2}
        {...(short ? { role: 'img', 'aria-label': text } : { 'aria-hidden': true })}
      />
      {!short && <span className={classes.allergyText}>{text}</span>}
    </span>
  );
}

/** A patient on two lines: name and allergies, then the data that distinguishes patients of the same name. */
export function PatientLine({ patient }: { patient: Patient }) {
  const t = useT();
  const { language } = useLanguage();
  const { hn, sex, birthDate, birthPrecision, phone } = patient;
  const details = [
    `HN ${hn}`,
    `${t.patient.sexes[sex]} ${formatShortAge(birthDate, birthPrecision, language)}`,
    idOf(t, patient),
    formatPhone(phone),
  ].filter(Boolean);
  return (
    <span className={classes.line}>
      <span className={classes.name}>
        {fullName(patient)} <AllergyMark patient={patient} />
      </span>
      <span className={`tabular ${classes.details}`}>
        {details.map((detail) => (
          <bdi key={detail}>{detail}</bdi>
        ))}
      </span>
    </span>
  );
}
