import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useT } from '@/i18n/provider';
import { showDone, showFailure, showUndo } from '@/ui/toast';
import { type Dialog, useDialog } from '@/ui/use-dialog';
import { type Customer, type CustomerStatus, customerKeys, updateCustomer } from './api';

export const menuId = ({ id }: Customer) => `customer-menu-${id}`;

export interface CustomerActions {
  remove: Dialog<Customer>;
  /** At once, with a way back. */
  setStatus: (customer: Customer, status: CustomerStatus) => void;
}

export function useCustomerActions(): CustomerActions {
  const t = useT();
  const queryClient = useQueryClient();
  const status = useMutation({
    mutationFn: ({ customer, to }: { customer: Customer; to: CustomerStatus }) =>
      updateCustomer({ id: customer.id, version: customer.version, status: to }),
    onError: (error) => showFailure(t, error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: customerKeys.all }),
  });
  return {
    remove: useDialog<Customer>(menuId),
    setStatus: (customer, to) => {
      if (status.isPending) return;
      const { name } = customer;
      status.mutate(
        { customer, to },
        {
          onSuccess: (changed) =>
            showUndo({
              message: to === 'SUSPENDED' ? t.customer.suspended(name) : t.customer.activated(name),
              undoLabel: t.action.undo,
              onUndo: () =>
                status.mutate(
                  { customer: changed, to: customer.status },
                  { onSuccess: () => showDone(t.customer.undone(name)) },
                ),
            }),
        },
      );
    },
  };
}
