import type { ReactNode } from 'react';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { formatPhone } from '@/lib/phone';
import type { Column } from '@/ui/data-table-column';
import { TextLink } from '@/ui/text-link';
import type { Customer } from './api';
import classes from './customer.module.css';
import { CustomerStatusBadge } from './customer-status';
import { linkName } from './customer-values';

export function customerColumns(t: Messages, actions: (customer: Customer) => ReactNode): Column<Customer>[] {
  return [
    {
      key: 'name',
      title: t.customer.name,
      sort: 'name',
      card: 'heading',
      render: ({ id, name }) => (
        <TextLink
          from="/app/patient-management"
          to="."
          search={(search) => ({ ...search, customer: id })}
          size="sm"
          fw={500}
        >
          {name}
        </TextLink>
      ),
    },
    {
      key: 'phone',
      title: t.customer.phone,
      sort: 'phone',
      render: ({ phone }) => <bdi className={classes.phone}>{formatPhone(phone)}</bdi>,
    },
    {
      key: 'status',
      title: t.customer.status,
      sort: 'status',
      render: ({ status }) => <CustomerStatusBadge status={status} />,
    },
    {
      key: 'patients',
      title: t.customer.patients,
      render: (customer) => <PatientChips customer={customer} />,
    },
    {
      key: 'actions',
      title: t.customer.actions,
      card: 'actions',
      width: 90,
      align: 'center',
      render: actions,
    },
  ];
}

/** The linked patients with their relation, as links. */
function PatientChips({ customer: { patients } }: { customer: Customer }) {
  const t = useT();
  const mayOpen = useCan()('PATIENT.SHOW');
  if (patients.length === 0) return <span className={classes.dim}>{t.customer.noPatients}</span>;
  return (
    <ul className={classes.chips}>
      {patients.map(({ patientId, name, hn, relation }) => (
        <li key={patientId} className={classes.chip} title={hn && `HN ${hn}`}>
          {mayOpen ? (
            <TextLink to="/app/patient-management/$id/edit" params={{ id: String(patientId) }} size="xs">
              {name}
            </TextLink>
          ) : (
            linkName(t, { patientId })
          )}{' '}
          <span className={classes.dim}>{t.customer.relations[relation]}</span>
        </li>
      ))}
    </ul>
  );
}
