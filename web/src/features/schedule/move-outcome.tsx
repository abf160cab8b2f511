import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { Appointment } from '@/entities/appointment/api';
import { useT } from '@/i18n/provider';
import foot from '@/ui/drawer-foot.module.css';
import print from '@/ui/print.module.css';
import { PrintButton } from '@/ui/print-button';
import { CallList, MoveRow, MoveRows, useRows, When } from './move-lists';
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

/** The moved appointments, and the patients who have to be called. */
export function Outcome({ result, people, onDone }: OutcomeProps) {
  const t = useT();
  const words = t.schedule.move;
  const { rows, more } = useRows(result.moved);
  return (
    <Stack gap="sm">
      <Alert role="status" color="green" variant="light" p="xs" icon={<IconCheck aria-hidden />}>
        <Text size="sm" fw={600}>
          {words.done(result.moved.length)}
        </Text>
        {result.unplaced.length === 0 && <Text size="sm">{words.doneHint}</Text>}
      </Alert>
      <MoveRows>
        {rows.map(({ appointmentId, to }) => {
          const appointment = people.get(appointmentId);
          return (
            appointment && (
              <MoveRow key={appointmentId} appointment={appointment}>
                <When at={to} />
              </MoveRow>
            )
          );
        })}
      </MoveRows>
      {more}
      {result.unplaced.length > 0 && <CallList people={result.unplaced} />}
      <Group justify="flex-end" gap="xs" className={`${foot.dialogFoot} ${print.screen}`}>
        <PrintButton variant="subtle" me="auto">
          {words.print}
        </PrintButton>
        <Button onClick={onDone} data-autofocus>
          {words.finish}
        </Button>
      </Group>
    </Stack>
  );
}
