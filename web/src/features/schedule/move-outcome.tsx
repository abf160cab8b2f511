import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useT } from '@/i18n/provider';
import type { Appointment } from './api';
import classes from './move.module.css';
import { CallList, Person, PrintButton, When } from './move-lists';
import type { PlannedMove } from './move-plan';

export interface Result {
  moved: PlannedMove[];
  unplaced: Appointment[];
}

interface OutcomeProps {
  result: Result;
  people: Map<number, Appointment>;
  onDone: () => void;
}

/** Who was moved where, and who has to be called. */
export function Outcome({ result, people, onDone }: OutcomeProps) {
  const t = useT();
  const words = t.schedule.move;
  return (
    <Stack gap="sm">
      <Alert role="status" color="green" variant="light" p="xs" icon={<IconCheck aria-hidden />}>
        <Text size="sm" fw={600}>
          {words.done(result.moved.length)}
        </Text>
        {result.unplaced.length === 0 && <Text size="sm">{words.doneHint}</Text>}
      </Alert>
      <table className={classes.table} aria-label={words.table}>
        <thead>
          <tr>
            <th scope="col">{words.patient}</th>
            <th scope="col">{words.from}</th>
            <th scope="col">{words.to}</th>
          </tr>
        </thead>
        <tbody>
          {result.moved.map(({ appointmentId, to }) => {
            const appointment = people.get(appointmentId);
            return (
              appointment && (
                <tr key={appointmentId}>
                  <td>
                    <Person appointment={appointment} />
                  </td>
                  <td data-label={words.from}>
                    <When at={appointment} />
                  </td>
                  <td data-label={words.to}>
                    <When at={to} />
                  </td>
                </tr>
              )
            );
          })}
        </tbody>
      </table>
      {result.unplaced.length > 0 && <CallList people={result.unplaced} />}
      <Group justify="flex-end" gap="xs" className={classes.footer}>
        <PrintButton />
        <Button onClick={onDone} data-autofocus>
          {words.finish}
        </Button>
      </Group>
    </Stack>
  );
}
