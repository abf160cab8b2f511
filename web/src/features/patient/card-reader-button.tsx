import { Alert, Button, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { IconAlertCircle, IconId } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PatientForm } from '@/entities/patient/patient-form-context';
import type { PatientValues } from '@/entities/patient/patient-values';
import { useLanguage, useT } from '@/i18n/provider';
import { showDone } from '@/ui/toast';
import { useLast } from '@/ui/use-last';
import { placesQuery } from './address-fields';
import { cardChanges, cardValues, readMarks } from './card-fill';
import { CardReaderError, readCard } from './card-reader';
import classes from './form.module.css';
import { type FactKey, factText, withFacts } from './patient-facts';

interface CardReaderButtonProps {
  /** The address of the reader's agent on this computer. */
  url: string;
  form: PatientForm;
  onFilled: (marks: Record<string, unknown>) => void;
}

interface Question {
  read: PatientValues;
  fills: FactKey[];
  replaces: FactKey[];
}

/** Fills the form from the card in the reader. It asks before it replaces typed values. */
export function CardReaderButton({ url, form, onFilled }: CardReaderButtonProps) {
  const t = useT();
  const queryClient = useQueryClient();
  const [question, setQuestion] = useState<Question | null>(null);
  const fill = (read: PatientValues, facts: FactKey[]) => {
    setQuestion(null);
    if (facts.length === 0) return showDone(t.patient.card.nothingNew);
    form.setValues({ ...withFacts(form.getValues(), read, facts), idType: 'CID' });
    form.clearErrors();
    onFilled(readMarks(read, facts));
    showDone(t.patient.card.done(facts.length));
  };
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const card = await readCard(url);
      // Without the list of places only the postal code is missing.
      const places = card.address ? await queryClient.ensureQueryData(placesQuery).catch(() => []) : [];
      return cardValues(form.getValues(), card, places);
    },
    onSuccess: (read) => {
      const { fills, replaces } = cardChanges(form.getValues(), read);
      if (replaces.length > 0) setQuestion({ read, fills, replaces });
      else fill(read, fills);
    },
  });
  const asked = useLast(question && { question, typed: form.values });
  return (
    <>
      <Button
        variant="light"
        leftSection={<IconId size={18} aria-hidden />}
        loading={isPending}
        onClick={() => mutate()}
      >
        {t.patient.card.read}
      </Button>
      {error && (
        <Alert
          className={classes.full}
          role="alert"
          color="red"
          icon={<IconAlertCircle aria-hidden />}
          p="xs"
        >
          {t.patient.card[error instanceof CardReaderError ? error.problem : 'unreadable']}
        </Alert>
      )}
      <Modal
        opened={question !== null}
        onClose={() => setQuestion(null)}
        title={t.patient.card.overwriteTitle}
        size="lg"
        centered
      >
        {asked && (
          <div inert={question === null}>
            <Overwrite
              {...asked}
              onAll={() => question && fill(question.read, [...question.fills, ...question.replaces])}
              onEmpty={() => question && fill(question.read, question.fills)}
            />
          </div>
        )}
      </Modal>
    </>
  );
}

interface OverwriteProps {
  question: Question;
  typed: PatientValues;
  onAll: () => void;
  onEmpty: () => void;
}

function Overwrite({ question: { read, replaces }, typed, onAll, onEmpty }: OverwriteProps) {
  const t = useT();
  const { language } = useLanguage();
  return (
    <Stack gap="md">
      <Text size="sm">{t.patient.card.overwriteText}</Text>
      <Table className="tabular">
        <Table.Thead>
          <Table.Tr>
            <td />
            <Table.Th scope="col">{t.patient.card.typed}</Table.Th>
            <Table.Th scope="col">{t.patient.card.onCard}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {replaces.map((fact) => (
            <Table.Tr key={fact}>
              <Table.Th scope="row">{t.patient.field[fact]}</Table.Th>
              <Table.Td>{factText(t, language, typed, fact)}</Table.Td>
              <Table.Td>{factText(t, language, read, fact)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onEmpty} data-autofocus>
          {t.patient.card.onlyEmpty}
        </Button>
        <Button onClick={onAll}>{t.patient.card.overwrite}</Button>
      </Group>
    </Stack>
  );
}
