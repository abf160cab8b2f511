import { Button, Card, Group, Modal, Title } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import type { Ref } from 'react';
import { PatientSummary } from '@/entities/appointment/patient-summary';
import { nameFromSearch } from '@/entities/patient/name-from-search';
import { PatientPicker } from '@/entities/patient/patient-picker';
import { PatientQuickForm } from '@/entities/patient/patient-quick-form';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import layout from '@/ui/layout.module.css';
import type { BookingContext } from './use-booking';

interface PatientSectionProps {
  booking: BookingContext;
  onChoose: (patient: { id: number }) => void;
  inputRef: Ref<HTMLInputElement>;
}

/** The patient: found, or registered in a dialog. */
export function PatientSection({ booking, onChoose, inputRef }: PatientSectionProps) {
  const t = useT();
  const mayRegister = useCan()('PATIENT.CREATE');
  const words = t.appointment;
  const { state, dispatch, upcoming } = booking;
  const { patientId, registering } = state;
  const register = (text: string) => dispatch({ type: 'register', text });
  const close = () => dispatch({ type: 'cancelRegistration' });
  return (
    <>
      <Card withBorder padding="md" component="section" aria-label={words.step.patient}>
        <Title order={2} className={layout.heading}>
          {words.step.patient}
        </Title>
        {patientId > 0 ? (
          <PatientSummary
            id={patientId}
            upcoming={upcoming}
            action={
              <Button variant="default" size="compact-md" onClick={() => dispatch({ type: 'changePatient' })}>
                {words.changePatient}
              </Button>
            }
          />
        ) : (
          <Group gap="xs" align="flex-end">
            <div style={{ flex: '1 1 20rem', maxWidth: '32rem' }}>
              <PatientPicker
                ref={inputRef}
                label={words.findPatient}
                description={words.findPatientHint}
                noneText={words.noPatientFound}
                onPick={onChoose}
                autoFocus
                onNew={mayRegister ? { label: words.newPatientNamed, open: register } : undefined}
              />
            </div>
            {mayRegister && (
              <Button
                variant="default"
                leftSection={<IconUserPlus size={18} aria-hidden />}
                onClick={() => register('')}
              >
                {words.newPatient}
              </Button>
            )}
          </Group>
        )}
      </Card>
      <Modal
        opened={registering !== null}
        onClose={close}
        title={words.newPatient}
        size="lg"
        returnFocus={false}
      >
        <PatientQuickForm
          initial={nameFromSearch(registering ?? '') ?? undefined}
          onDone={onChoose}
          onCancel={close}
        />
      </Modal>
    </>
  );
}
