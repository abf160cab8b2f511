import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { putRecord } from '@/api/put-record';
import { useT } from '@/i18n/provider';
import { showDone, showFailure, showUndo } from './toast';
import { useWrite } from './use-write';

interface Options<Rec, Value> {
  send: (record: Rec, to: Value) => Promise<Rec>;
  /** The queries that show the record and are refetched. */
  queryKey: QueryKey;
  done: (record: Rec, to: Value) => string;
  undone: (record: Rec) => string;
}

interface Step<Rec, Value> {
  record: Rec;
  to: Value;
  /** The previous value, for undo. */
  back: Value;
}

/**
 * A change that is applied without confirmation and can be undone. One at a time; it also works after leaving the page.
 */
export function useUndoable<Rec extends { id: number }, Value>({
  send,
  queryKey,
  done,
  undone,
}: Options<Rec, Value>) {
  const t = useT();
  const queryClient = useQueryClient();
  const shared = {
    mutationFn: async ({ record, to }: Step<Rec, Value>) => {
      const now = await send(record, to);
      putRecord(queryClient, queryKey, now);
      return now;
    },
    onError: (error: unknown) => showFailure(t, error),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  };
  const undo = useWrite({ ...shared, onSuccess: (now: Rec) => showDone(undone(now)) });
  const change = useWrite({
    ...shared,
    onSuccess: (now: Rec, { record, to, back }: Step<Rec, Value>) =>
      showUndo({
        message: done(record, to),
        undoLabel: t.action.undo,
        onUndo: () => undo.mutate({ record: now, to: back, back: to }),
      }),
  });
  return (record: Rec, to: Value, back: Value) => {
    if (!change.isPending && !undo.isPending) change.mutate({ record, to, back });
  };
}
