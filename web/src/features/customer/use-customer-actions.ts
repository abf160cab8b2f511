import { useT } from '@/i18n/provider';
import { type Dialog, useDialog } from '@/ui/use-dialog';
import { useUndoable } from '@/ui/use-undoable';
import { type Customer, type CustomerStatus, customerKeys, updateCustomer } from './api';

export const menuId = ({ id }: Customer) => `customer-menu-${id}`;

export interface CustomerActions {
  remove: Dialog<Customer>;
  /** Applied immediately, with undo. */
  setStatus: (customer: Customer, status: CustomerStatus) => void;
}

export function useCustomerActions(): CustomerActions {
  const t = useT();
  const change = useUndoable<Customer, CustomerStatus>({
    send: ({ id, version }, status) => updateCustomer({ id, version, status }),
    queryKey: customerKeys.all,
    done: ({ name }, to) => (to === 'SUSPENDED' ? t.customer.suspended(name) : t.customer.activated(name)),
    undone: ({ name }) => t.customer.undone(name),
  });
  return {
    remove: useDialog<Customer>(menuId),
    setStatus: (customer, to) => change(customer, to, customer.status),
  };
}
