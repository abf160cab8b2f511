import { Card, Skeleton, Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { NoAccess } from '@/entities/session/no-access';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import print from '@/ui/print.module.css';
import { TabRow } from '@/ui/tab-row';
import { PatientsTab } from './list-tab';

const route = getRouteApi('/_signed-in/app/patient-management/');

/** Patients, and the customers who book for them: the tabs that the signed-in person may see. */
export function PatientManagement({ customers }: { customers: ReactNode }) {
  const t = useT();
  const can = useCan();
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const mayPatients = can('PATIENT.SHOW');
  const mayCustomers = can('CUSTOMER.SHOW');
  if (!mayPatients && !mayCustomers) return <NoAccess needed={['PATIENT.SHOW', 'CUSTOMER.SHOW']} />;
  if (tab === 'customers' && !mayCustomers) return <NoAccess needed={['CUSTOMER.SHOW']} />;
  const shown = tab === 'customers' || !mayPatients ? 'customers' : 'patients';
  return (
    <Card withBorder padding="md" className={print.sheet}>
      <Tabs
        value={shown}
        onChange={(next) => void navigate({ search: next === 'customers' ? { tab: 'customers' } : {} })}
        keepMounted={false}
      >
        <TabRow
          mb="md"
          label={t.patientList.tabs}
          tabs={[
            ...(mayPatients ? ['patients' as const] : []),
            ...(mayCustomers ? ['customers' as const] : []),
          ]}
          words={{ patients: t.patientList.patientsTab, customers: t.patientList.customersTab }}
        />
        <Tabs.Panel value="patients">
          <PatientsTab />
        </Tabs.Panel>
        <Tabs.Panel value="customers">
          <Suspense fallback={<Skeleton h={240} />}>{customers}</Suspense>
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}
