import type { Patient } from '@/entities/patient/api';
import { AllergyMark, idOf, patientLink } from '@/entities/patient/patient-line';
import { birthText } from '@/entities/patient/patient-text';
import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { formatAge, formatShortAge } from '@/lib/age';
import { formatPhone } from '@/lib/phone';
import { rightName } from '@/lib/right-name';
import { formatDate, inHospital } from '@/lib/thai-date';
import type { Column } from '@/ui/data-table-column';
import { RowLink } from '@/ui/row-link';
import classes from './list.module.css';

export function patientColumns(t: Messages, language: Language): Column<Patient>[] {
  const words = t.patientList;
  return [
    { key: 'hn', title: words.hn, sort: 'hn', render: ({ hn }) => <bdi>{hn}</bdi> },
    {
      key: 'firstName',
      title: words.firstName,
      sort: 'firstName',
      card: 'heading',
      render: (patient) => (
        <span className={classes.name}>
          <RowLink {...patientLink(patient.id)} data-row-link>
            {patient.prename}
            {patient.firstName} <span className={`heard ${classes.inCard}`}>{patient.lastName}</span>
          </RowLink>{' '}
          <AllergyMark patient={patient} short />
        </span>
      ),
    },
    {
      key: 'lastName',
      title: words.lastName,
      sort: 'lastName',
      card: 'none',
      render: ({ lastName }) => lastName,
    },
    { key: 'sex', title: words.sex, render: ({ sex }) => t.patient.sexes[sex] },
    {
      key: 'age',
      title: words.age,
      render: ({ birthDate, birthPrecision }) => (
        <span title={formatAge(birthDate, birthPrecision, language)} className={classes.still}>
          {formatShortAge(birthDate, birthPrecision, language)}
        </span>
      ),
    },
    {
      key: 'birthDate',
      title: words.birthDate,
      sort: 'birthDate',
      from: 1200,
      render: ({ birthDate, birthPrecision }) => (
        <span className={classes.still}>{birthText(birthDate, birthPrecision, language)}</span>
      ),
    },
    {
      key: 'idCard',
      title: words.idCard,
      from: 1280,
      render: (patient) => <bdi className={classes.still}>{idOf(t, patient)}</bdi>,
    },
    {
      key: 'phone',
      title: words.phone,
      render: ({ phone }) => <bdi className={classes.still}>{formatPhone(phone)}</bdi>,
    },
    {
      key: 'right',
      title: words.rightShort,
      render: ({ rightCode }) => rightCode && <span title={rightName(t, rightCode)}>{rightCode}</span>,
    },
    {
      key: 'province',
      title: words.province,
      from: 1480,
      render: ({ address }) => address.province,
    },
    {
      key: 'lastVisit',
      title: words.lastVisit,
      sort: 'lastVisit',
      from: 1024,
      render: ({ lastVisit }) =>
        lastVisit ? (
          <span className={classes.still}>{formatDate(lastVisit, language)}</span>
        ) : (
          <span className={classes.dim}>{words.neverCame}</span>
        ),
    },
    {
      key: 'createdAt',
      title: words.createdAt,
      sort: 'createdAt',
      from: 1680,
      card: 'none',
      render: ({ createdAt }) => (
        <span className={classes.still}>{formatDate(inHospital(createdAt).date, language)}</span>
      ),
    },
  ];
}
