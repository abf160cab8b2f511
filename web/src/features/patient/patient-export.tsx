import { Menu } from '@mantine/core';
import { useState } from 'react';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { ExportMenu } from '@/ui/export-menu';
import { ReasonDialog } from '@/ui/reason-dialog';

const EXPORT = '/admin/api/v1/patients/export';

/** Exports the filtered patients. Full ID card numbers need PATIENT.VIEW_CID and a reason. */
export function PatientExport({ criteria }: { criteria: object }) {
  const t = useT();
  const mayReveal = useCan()('PATIENT.VIEW_CID');
  const [whole, setWhole] = useState(false);
  const [asking, setAsking] = useState<{ start: (more: object) => void } | null>(null);
  return (
    <>
      <ExportMenu
        words={t.patientList}
        path={EXPORT}
        criteria={criteria}
        option={
          mayReveal && (
            <Menu.CheckboxItem checked={whole} onChange={setWhole}>
              {t.patientList.exportCards}
            </Menu.CheckboxItem>
          )
        }
        onChoose={(start) => (whole ? setAsking({ start }) : start({}))}
      />
      <ReasonDialog
        opened={asking !== null}
        onClose={() => setAsking(null)}
        title={t.patientList.exportCardsTitle}
        text={t.patientList.exportCardsText}
        confirmLabel={t.patientList.export}
        onConfirm={async (reason) => {
          asking?.start({ includeIdCard: true, reason });
          setWhole(false);
        }}
      />
    </>
  );
}
