import { useQueryClient } from '@tanstack/react-query';
import { currentOf } from '@/api/error';
import { allServicesQuery, type Service, serviceKeys } from '@/entities/service/api';
import { useT } from '@/i18n/provider';
import { moved } from '@/ui/sortable-list';
import { showDone, showFailure } from '@/ui/toast';
import { type Dialog, useDialog } from '@/ui/use-dialog';
import { useUndoable } from '@/ui/use-undoable';
import { useWrite } from '@/ui/use-write';
import { updateService } from './api';
import { placesOf } from './order';

export const menuId = ({ id }: Service) => `service-menu-${id}`;

export interface ServiceActions {
  remove: Dialog<Service>;
  displays: Dialog<Service>;
  /** Applied immediately, with undo. */
  setActive: (service: Service, active: boolean) => void;
  move: (from: number, to: number) => void;
}

export function useServiceActions(): ServiceActions {
  const t = useT();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: serviceKeys.all });
  const setActive = useUndoable<Service, boolean>({
    send: ({ id, version }, active) => updateService({ id, version, active }),
    queryKey: serviceKeys.all,
    done: ({ name }, to) => (to ? t.service.activated(name) : t.service.deactivated(name)),
    undone: ({ name }) => t.service.undone(name),
  });
  const list = () => queryClient.getQueryData(allServicesQuery.queryKey) ?? [];
  const order = useWrite({
    // Sequential: the next order is computed from the result of the previous one.
    scope: { id: 'service-order' },
    mutationFn: async (ids: number[]) => {
      const order = ids.flatMap((id) => list().find((one) => one.id === id) ?? []);
      const places = placesOf(order);
      for (const [index, service] of order.entries()) {
        const [{ id, sort }, newSort] = [service, places[index] ?? service.sort];
        if (sort === newSort) continue;
        const changed = await setSort(service, newSort);
        queryClient.setQueryData(allServicesQuery.queryKey, (services) =>
          services?.map((one) => (one.id === id ? changed : one)),
        );
      }
    },
    onSuccess: () => showDone(t.service.orderSaved),
    onError: (error) => showFailure(t, error),
    onSettled: () => {
      if (queryClient.isMutating({ mutationKey: ['service', 'order'] }) <= 1) void refresh();
    },
    mutationKey: ['service', 'order'],
  });
  return {
    remove: useDialog<Service>(menuId),
    displays: useDialog<Service>(menuId),
    setActive: (service, to) => setActive(service, to, service.active),
    move: (from, to) => {
      const next = moved(list(), from, to);
      void queryClient.cancelQueries({ queryKey: allServicesQuery.queryKey });
      queryClient.setQueryData(allServicesQuery.queryKey, next);
      order.mutate(next.map(({ id }) => id));
    },
  };
}

/** Sets a service's sort number, even if other fields were changed meanwhile. */
async function setSort({ id, version }: Service, sort: number): Promise<Service> {
  try {
    return await updateService({ id, version, sort });
  } catch (failure) {
    const current = currentOf<Service>(failure);
    if (!current) throw failure;
    return updateService({ id, version: current.version, sort });
  }
}
