import { useQueryClient } from '@tanstack/react-query';
import { useT } from '@/i18n/provider';
import { showDone, showFailure, showUndo } from '@/ui/toast';
import { type CapacityChange, type CapacityWas, scheduleKeys, updateCapacity } from './api';
import { type Cell, capacityCalls, restoreCalls, type Week } from './week';

/** Sends the changes one after the other and appends the previous capacities from each response to `previous`. */
async function sendAll(calls: CapacityChange[], previous: CapacityWas[] = []): Promise<void> {
  for (const call of calls) previous.push(...(await updateCapacity(call)).previous);
}

/**
 * Sets the capacity of slots or restores that of the weekly hours, with undo. Several calls are one change: if one is
 * rejected, the previous ones are reverted.
 */
export function useCapacity(serviceId: number, { days }: Week) {
  const t = useT();
  const queryClient = useQueryClient();
  const slotsOf = (date: string) =>
    days
      .find((day) => day.date === date)
      ?.cells.flatMap(({ slot, startTime }) => (slot ? [startTime] : [])) ?? [];
  const refresh = () => queryClient.invalidateQueries({ queryKey: scheduleKeys.slots });
  const undo = async (previous: CapacityWas[]) => {
    try {
      await sendAll(restoreCalls(serviceId, previous, slotsOf));
      showDone(t.schedule.editor.undone);
    } catch (error) {
      showFailure(t, error);
    }
    await refresh();
  };
  return async (cells: Cell[], capacity: number | null, force: boolean) => {
    const calls = capacityCalls(serviceId, cells, capacity, slotsOf);
    const previous: CapacityWas[] = [];
    try {
      await sendAll(
        calls.map((call) => ({ ...call, force })),
        previous,
      );
    } catch (error) {
      // If that fails too, the first error is reported; the grid shows the result.
      await sendAll(restoreCalls(serviceId, previous, slotsOf)).catch(() => {});
      throw error;
    } finally {
      await refresh();
    }
    showUndo({
      message:
        capacity === null
          ? t.schedule.editor.reset(cells.length)
          : t.schedule.editor.saved(cells.length, capacity),
      undoLabel: t.action.undo,
      onUndo: () => void undo(previous),
    });
  };
}
