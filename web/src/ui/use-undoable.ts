import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useT } from '@/i18n/provider';
import { showDone, showFailure, showUndo } from './toast';

interface Options<Rec, Value> {
  send: (record: Rec, to: Value) => Promise<Rec>;
  /** What shows it, and is fetched again afterwards. */
  queryKey: QueryKey;
  done: (record: Rec, to: Value) => string;
  undone: (record: Rec) => string;
}

interface Step<Rec, Value> {
  record: Rec;
  to: Value;
  /** What it was, for the way back. */
  back: Value;
}

/** A change that is made at once, without a question, and offers to be taken back. One at a time; leaving the page loses neither. */
export function useUndoable<Rec, Value>({ send, queryKey, done, undone }: Options<Rec, Value>) {
  const t = useT();
  const queryClient = useQueryClient();
  const shared = {
    mutationFn: ({ record, to }: Step<Rec, Value>) => send(record, to),
    onError: (error: unknown) => showFailure(t, error),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  };
  const undo = useMutation({ ...shared, onSuccess: (now: Rec) => showDone(undone(now)) });
  const change = useMutation({
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
