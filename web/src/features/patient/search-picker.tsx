import { Combobox, Loader, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '@/i18n/provider';
import { type Patient, patientSearchQuery } from './api';
import { fullName, PatientLine } from './search-line';

const DELAY_MS = 150;
/** As many as show without scrolling; another letter is faster. */
const CHOICES = 6;

/** A patient that was chosen. */
export interface PickedPatient {
  id: number;
  hn: string;
  name: string;
}

interface PatientPickerProps {
  label: string;
  description?: string;
  /** What is said when nobody matches. */
  noneText: (text: string) => string;
  /** Patients who cannot be chosen again, and why. */
  taken: (patient: Patient) => string | undefined;
  onPick: (patient: PickedPatient) => void;
}

/** A patient by typing: part of the name, HN, phone or ID card. */
export function PatientPicker({ label, description, noneText, taken, onPick }: PatientPickerProps) {
  const t = useT();
  const [text, setText] = useState('');
  const [sought] = useDebouncedValue(text.trim(), DELAY_MS);
  const { data, isFetching } = useQuery({ ...patientSearchQuery(sought, CHOICES), enabled: sought !== '' });
  const found = sought === '' ? [] : (data ?? []);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const pick = (id: string) => {
    const patient = found.find((one) => String(one.id) === id);
    if (!patient) return;
    setText('');
    combobox.closeDropdown();
    onPick({ id: patient.id, hn: patient.hn, name: fullName(patient) });
  };
  return (
    <Combobox store={combobox} onOptionSubmit={pick} withinPortal>
      <Combobox.Target>
        <TextInput
          label={label}
          description={description}
          autoComplete="off"
          maxLength={100}
          value={text}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={
            isFetching && sought !== '' && <Loader size="xs" aria-label={t.quickSearch.searching} />
          }
          onChange={(event) => {
            setText(event.currentTarget.value);
            combobox.openDropdown();
            combobox.resetSelectedOption();
          }}
          onClick={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={sought === '' || (isFetching && found.length === 0)}>
        <Combobox.Options aria-label={label}>
          {found.map((patient) => {
            const why = taken(patient);
            return (
              <Combobox.Option key={patient.id} value={String(patient.id)} disabled={why !== undefined}>
                <PatientLine patient={patient} />
                {why}
              </Combobox.Option>
            );
          })}
          {found.length === 0 && <Combobox.Empty>{noneText(sought)}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
