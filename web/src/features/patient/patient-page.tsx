import { Card, Skeleton, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { patientQuery } from '@/entities/patient/api';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { ErrorAlert } from '@/ui/error-alert';
import print from '@/ui/print.module.css';
import { TabRow } from '@/ui/tab-row';
import { usePrinting } from '@/ui/use-printing';
import { EditPatientForm } from './edit-patient-form';
import { PATIENT_TABS, type PatientTab } from './list-search';
import { PatientHeader } from './patient-header';
import { PatientReadOnly } from './patient-read-only';
import { PatientTimeline } from './patient-timeline';

interface PatientPageProps {
  id: number;
  tab: PatientTab;
  onTab: (tab: PatientTab) => void;
}

/** One patient: header, all data, and the timeline. */
export function PatientPage({ id, tab, onTab }: PatientPageProps) {
  const t = useT();
  const mayUpdate = useCan()('PATIENT.UPDATE');
  const printing = usePrinting();
  const { data: patient, error, refetch } = useQuery(patientQuery(id));
  if (error && !patient) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!patient) return <Skeleton h={480} role="status" aria-label={t.app.loading} />;
  return (
    <Stack gap="md" maw={1280}>
      <PatientHeader key={patient.id} patient={patient} />
      {/* Stays mounted, so that typed values are not lost while the timeline is shown. */}
      <Tabs value={tab} onChange={(next) => onTab(next === 'timeline' ? 'timeline' : 'data')} keepMounted>
        <TabRow
          mb="md"
          label={t.patient.tabs}
          tabs={PATIENT_TABS}
          words={{ data: t.patient.tabData, timeline: t.patient.tabTimeline }}
        />
        <Tabs.Panel value="data">
          {mayUpdate && (
            <div className={print.screen}>
              <EditPatientForm key={patient.id} patient={patient} />
            </div>
          )}
          {/* The saved data is printed, not the form. */}
          {(!mayUpdate || printing) && <PatientReadOnly patient={patient} />}
        </Tabs.Panel>
        <Tabs.Panel value="timeline">
          <Card withBorder padding="lg" className={print.sheet}>
            <PatientTimeline patient={patient} />
          </Card>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
