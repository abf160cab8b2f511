import { ActionIcon, Input, NativeSelect, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useId } from 'react';
import { PatientPicker } from '@/entities/patient/patient-picker';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { RELATIONS } from './api';
import classes from './customer.module.css';
import { type LinkedPatient, linkName } from './customer-values';

interface LinkedPatientsProps {
  links: LinkedPatient[];
  error?: React.ReactNode;
  readOnly: boolean;
  onChange: (links: LinkedPatient[]) => void;
}

/** The patients a customer books for, each with the relation. */
export function LinkedPatients({ links, error, readOnly, onChange }: LinkedPatientsProps) {
  const t = useT();
  const maySee = useCan()('PATIENT.SHOW');
  const id = useId();
  const relationId = (patientId: number) => `${id}-relation-${patientId}`;
  const setRelation = (patientId: number, relation: string) => {
    const chosen = RELATIONS.find((known) => known === relation) ?? '';
    onChange(links.map((link) => (link.patientId === patientId ? { ...link, relation: chosen } : link)));
  };
  const add = (patient: { id: number; hn: string; name: string }) => {
    onChange([...links, { patientId: patient.id, hn: patient.hn, name: patient.name, relation: '' }]);
    // The new row exists in the next frame: focus its first missing value.
    requestAnimationFrame(() => document.getElementById(relationId(patient.id))?.focus());
  };
  return (
    <fieldset className={classes.fieldset} disabled={readOnly}>
      <legend className={classes.legend}>{t.customer.patients}</legend>
      <Text size="xs" c="dimmed" mb={6}>
        {t.customer.patientsHint}
      </Text>
      {links.length === 0 && (
        <Text size="sm" c="dimmed" mb={6}>
          {t.customer.noPatients}
        </Text>
      )}
      <ul className={classes.links}>
        {links.map(({ patientId, name, hn, relation }) => (
          <li key={patientId} className={classes.link}>
            <span className={classes.linkName}>
              {name || linkName(t, { patientId })} {hn && <bdi className={classes.dim}>HN {hn}</bdi>}
            </span>
            <span className={classes.linkTools}>
              <NativeSelect
                id={relationId(patientId)}
                size="xs"
                w={150}
                aria-label={t.customer.relationOf(name || linkName(t, { patientId }))}
                error={Boolean(error) && relation === ''}
                value={relation}
                onChange={(event) => setRelation(patientId, event.currentTarget.value)}
              >
                {relation === '' && <option value="">{t.customer.chooseRelation}</option>}
                {RELATIONS.map((value) => (
                  <option key={value} value={value}>
                    {t.customer.relations[value]}
                  </option>
                ))}
              </NativeSelect>
              {!readOnly && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t.customer.unlink(name || linkName(t, { patientId }))}
                  onClick={() => onChange(links.filter((link) => link.patientId !== patientId))}
                >
                  <IconX size={16} aria-hidden />
                </ActionIcon>
              )}
            </span>
          </li>
        ))}
      </ul>
      {error && <Input.Error mt={4}>{error}</Input.Error>}
      {!readOnly && !maySee && (
        <Text size="sm" c="dimmed">
          {t.customer.patientsUnseen}
        </Text>
      )}
      {!readOnly && maySee && (
        <div style={{ marginBlockStart: 8 }}>
          <PatientPicker
            label={t.customer.findPatient}
            description={t.customer.findPatientHint}
            noneText={t.customer.noPatientFound}
            taken={(patient) =>
              links.some(({ patientId }) => patientId === patient.id) ? t.customer.alreadyLinked : undefined
            }
            onPick={add}
          />
        </div>
      )}
    </fieldset>
  );
}
