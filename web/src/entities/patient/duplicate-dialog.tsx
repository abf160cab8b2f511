import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useLanguage, useT } from '@/i18n/provider';
import { formatAge } from '@/lib/age';
import { fullName } from '@/lib/full-name';
import { formatPhone } from '@/lib/phone';
import { useLast } from '@/ui/use-last';
import type { Patient } from './api';
import classes from './duplicate-dialog.module.css';
import { addressText, birthText } from './patient-text';
import { type PatientValues, valuesOf } from './patient-values';

interface DuplicateDialogProps {
  candidates: Patient[] | null;
  mine: PatientValues;
  text: string;
  confirmLabel: string;
  onClose: () => void;
  /** Called if the patient is this one. */
  onUse: (patient: Patient) => void;
  /** Called if the patient is none of them. */
  onConfirm: () => void;
}

/** Compares the typed values with patients of the same name and birth date. */
export function DuplicateDialog({ candidates, mine, onClose, ...body }: DuplicateDialogProps) {
  const t = useT();
  const content = useLast(candidates && { candidates, mine });
  return (
    <Modal
      opened={candidates !== null}
      onClose={onClose}
      title={t.patient.duplicate.title}
      size="xl"
      centered
    >
      {/* Ignore clicks while the dialog closes. */}
      <div inert={candidates === null}>
        {content && <DuplicateBody {...content} onClose={onClose} {...body} />}
      </div>
    </Modal>
  );
}

const ROWS = ['name', 'hn', 'birthDate', 'age', 'idCard', 'phone', 'address'] as const;

function DuplicateBody(props: DuplicateDialogProps & { candidates: Patient[] }) {
  const { candidates, mine, text, confirmLabel, onClose, onUse, onConfirm } = props;
  const t = useT();
  const { language } = useLanguage();
  const facts = (values: PatientValues): Record<(typeof ROWS)[number], string> => ({
    name: fullName(values),
    hn: values.hn,
    birthDate: birthText(values.birthDate, values.birthPrecision, language),
    age: formatAge(values.birthDate, values.birthPrecision, language),
    idCard: values.idCard,
    phone: formatPhone(values.phone),
    address: addressText(values.address),
  });
  const own = facts(mine);
  const others = candidates.map((patient) => ({ patient, shown: facts(valuesOf(patient)) }));
  return (
    <Stack gap="md">
      <Text size="sm">{text}</Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <section className={classes.scroll} tabIndex={0} aria-label={t.patient.duplicate.title}>
        <Table className={`tabular ${classes.table}`} withColumnBorders>
          <Table.Thead>
            <Table.Tr>
              <td />
              <Table.Th scope="col">{t.patient.duplicate.mine}</Table.Th>
              {others.map(({ patient }, index) => (
                <Table.Th scope="col" key={patient.id}>
                  {t.patient.duplicate.candidate(index + 1)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ROWS.map((row) => (
              <Table.Tr key={row}>
                <Table.Th scope="row">{t.patient.field[row]}</Table.Th>
                <Table.Td>{own[row] || '–'}</Table.Td>
                {others.map(({ patient, shown }) => (
                  <Table.Td key={patient.id}>
                    {shown[row] || '–'}
                    {shown[row] !== '' && shown[row] === own[row] && (
                      <IconCheck
                        className={classes.same}
                        size={14}
                        role="img"
                        aria-label={t.patient.duplicate.same}
                      />
                    )}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
            <Table.Tr>
              <td />
              <td />
              {others.map(({ patient }) => (
                <Table.Td key={patient.id}>
                  <Button
                    size="compact-md"
                    aria-label={t.patient.duplicate.thisRecord(fullName(patient), patient.hn)}
                    onClick={() => onUse(patient)}
                  >
                    {t.patient.duplicate.use}
                  </Button>
                </Table.Td>
              ))}
            </Table.Tr>
          </Table.Tbody>
        </Table>
      </section>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t.patient.duplicate.back}
        </Button>
        <Button variant="default" onClick={onConfirm}>
          {confirmLabel}
        </Button>
      </Group>
    </Stack>
  );
}
