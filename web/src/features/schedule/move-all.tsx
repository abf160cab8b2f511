import { Alert, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import foot from '@/ui/drawer-foot.module.css';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import print from '@/ui/print.module.css';
import { PrintButton } from '@/ui/print-button';
import { focusBack } from '@/ui/use-dialog';
import { useLast } from '@/ui/use-last';
import { usePhone } from '@/ui/use-phone';
import { useWrite } from '@/ui/use-write';
import { affectedQuery, applyMoves, scheduleKeys } from './api';
import classes from './move.module.css';
import { CallList } from './move-lists';
import { Outcome, type Result } from './move-outcome';
import { chosenOf, compared, isOutdated, type MovePlan, planOf, replan } from './move-plan';
import { MoveProgress } from './move-progress';
import { MoveTable } from './move-table';
import { ChangeTime } from './move-time';

const route = getRouteApi('/_signed-in/app/serviceSchedule');

/** Moves all appointments of the closure in the address. */
export function MoveAll() {
  const t = useT();
  const { move } = route.useSearch();
  const closureId = useLast(move);
  const navigate = route.useNavigate();
  const phone = usePhone();
  const close = async () => {
    await navigate({ search: ({ move: _, ...search }) => search });
    // After the dialog has released the focus; the button that opened it may be on another page.
    setTimeout(() => {
      if (document.activeElement === document.body) focusBack('');
    });
  };
  return (
    <Modal
      opened={move !== undefined}
      onClose={() => void close()}
      title={t.schedule.move.title}
      size={980}
      fullScreen={phone}
      classNames={{
        root: classes.root,
        inner: classes.inner,
        content: classes.content,
        close: print.screen,
      }}
      closeOnClickOutside={false}
    >
      {closureId !== null && <Planner key={closureId} closureId={closureId} onDone={() => void close()} />}
    </Modal>
  );
}

function Planner({ closureId, onDone }: { closureId: number; onDone: () => void }) {
  const t = useT();
  const words = t.schedule.move;
  const queryClient = useQueryClient();
  const affected = useQuery({ ...affectedQuery({ id: closureId }), refetchOnWindowFocus: false });
  const first = useQuery({
    queryKey: [...scheduleKeys.all, 'plan', closureId],
    queryFn: () => replan(closureId, new Map()),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const [later, setLater] = useState<MovePlan | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const [changedSince, setChangedSince] = useState(false);
  const plan = later ?? first.data;
  const apply = useWrite({
    mutationFn: async (current: MovePlan): Promise<Result | null> => {
      try {
        const moves = current.moves.map(({ appointmentId, to }) => ({ appointmentId, to }));
        const answer = await applyMoves(closureId, moves);
        return { moved: planOf(answer, chosenOf(current)).moves, unplaced: answer.unplaced };
      } catch (failure) {
        if (!isOutdated(failure)) throw failure;
        // Another booking took a seat: no appointment was moved, and the new plan is shown.
        setLater(compared(current, await replan(closureId, chosenOf(current))));
        setChangedSince(true);
        return null;
      }
    },
    onSuccess: (done) => {
      if (!done) return;
      setResult(done);
      void queryClient.invalidateQueries({ queryKey: scheduleKeys.slots });
    },
  });
  const people = new Map((affected.data ?? []).map((appointment) => [appointment.id, appointment]));
  if (affected.error) return <ErrorAlert error={affected.error} onRetry={affected.refetch} />;
  if (first.error) return <ErrorAlert error={first.error} onRetry={first.refetch} />;
  if (!affected.data || !plan) {
    return (
      <Stack gap="xs" role="status" aria-label={words.planning}>
        <Text size="sm">{words.planning}</Text>
        <Skeleton h={260} />
      </Stack>
    );
  }
  if (result) return <Outcome result={result} people={people} onDone={onDone} />;
  if (plan.moves.length + plan.unplaced.length === 0) {
    return (
      <EmptyState
        icon={IconCheck}
        title={words.nobody}
        action={<Button onClick={onDone}>{t.action.close}</Button>}
      />
    );
  }
  const changed = plan.moves.filter(({ was }) => was).length;
  return (
    <Stack gap="sm">
      {changedSince && (
        <Alert role="alert" color="yellow" variant="light" p="xs" icon={<IconAlertTriangle aria-hidden />}>
          <Text size="sm">{words.changedSince(changed)}</Text>
        </Alert>
      )}
      {plan.moves.length > 0 && (
        <>
          <Text size="sm">{words.text(plan.moves.length)}</Text>
          <MoveTable
            closureId={closureId}
            plan={plan}
            people={people}
            disabled={apply.isPending}
            onPlan={setLater}
          />
        </>
      )}
      {plan.unplaced.length > 0 && (
        <CallList
          people={plan.unplaced}
          chooser={(one) => (
            <ChangeTime
              closureId={closureId}
              plan={plan}
              people={people}
              appointment={one}
              label={words.choose}
              name={words.chooseFor(fullName(one.patient))}
              disabled={apply.isPending}
              onPlan={setLater}
            />
          )}
        />
      )}
      {apply.error && <ErrorAlert error={apply.error} />}
      <div className={`${foot.dialogFoot} ${print.screen}`}>
        {apply.isPending && <MoveProgress closureId={closureId} count={plan.moves.length} />}
        <Group justify="flex-end" gap="xs">
          <PrintButton variant="subtle" me="auto">
            {words.print}
          </PrintButton>
          <Button variant="default" onClick={onDone} disabled={apply.isPending}>
            {t.action.back}
          </Button>
          <Button
            loading={apply.isPending}
            disabled={plan.moves.length === 0}
            onClick={() => {
              setChangedSince(false);
              apply.mutate(plan);
            }}
          >
            {words.apply(plan.moves.length)}
          </Button>
        </Group>
      </div>
    </Stack>
  );
}
