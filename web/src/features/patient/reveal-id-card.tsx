import { Button } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useState } from 'react';
import type { Patient } from '@/entities/patient/api';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { groupIdCard } from '@/lib/id-card';
import print from '@/ui/print.module.css';
import { ReasonDialog } from '@/ui/reason-dialog';
import { revealIdCard } from './api';

/** The masked ID card number. Users with the permission can reveal it until they leave the page. */
export function RevealIdCard({ patient, allowed }: { patient: Patient; allowed: boolean }) {
  const t = useT();
  const [asking, setAsking] = useState(false);
  const [shown, setShown] = useState('');
  const name = fullName(patient);
  return (
    <>
      <bdi className="tabular" aria-live="polite">
        {t.patient.idCardShown(shown || patient.idCard)}
      </bdi>{' '}
      {allowed && shown === '' && (
        <Button
          className={print.screen}
          variant="subtle"
          size="compact-sm"
          leftSection={<IconEye size={16} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          {t.patient.reveal}
        </Button>
      )}
      <ReasonDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t.patient.revealTitle(name)}
        text={t.patient.revealText}
        confirmLabel={t.patient.reveal}
        onConfirm={async (reason) => {
          const { idCard } = await revealIdCard(patient.id, reason);
          setShown(groupIdCard(idCard));
        }}
      />
    </>
  );
}
