import { Combobox, Loader, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue, useMergedRef } from '@mantine/hooks';
import { IconSearch, IconUserPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type Ref, useRef, useState } from 'react';
import { errorText } from '@/api/error';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { onlyMatch } from '@/lib/only-match';
import { type Patient, patientSearchQuery } from './api';
import { PatientLine } from './patient-line';

const DELAY_MS = 150;
/** As many as fit without scrolling; typing another letter is faster than reading more. */
const CHOICES = 6;

/** A chosen patient. */
interface PickedPatient {
  id: number;
  hn: string;
  name: string;
}

interface PatientPickerProps {
  label: string;
  description?: string;
  /** The message when no patient matches. */
  noneText: (text: string) => string;
  /** Patients who cannot be chosen again, with the reason. */
  taken?: (patient: Patient) => string | undefined;
  onPick: (patient: PickedPatient) => void;
  /** The last option: registers the patient that was searched for. */
  onNew?: { label: (text: string) => string; open: (text: string) => void };
  autoFocus?: boolean;
  ref?: Ref<HTMLInputElement>;
}

/** The value of the option that registers; not a patient's id. */
const NEW = 'new';

/**
 * Selects a patient by part of the name, HN, phone or ID card number. Enter takes the marked option, or the first one.
 * If the results have not arrived (a scanner sends Enter together with the number), it acts only if the match is
 * unambiguous (onlyMatch). Results for an older text stay visible but disabled until they are replaced.
 */
export function PatientPicker({
  label,
  description,
  noneText,
  taken = () => undefined,
  onPick,
  onNew,
  autoFocus,
  ref,
}: PatientPickerProps) {
  const t = useT();
  const queryClient = useQueryClient();
  const box = useRef<HTMLInputElement>(null);
  const inputRef = useMergedRef(box, ref);
  const [text, setText] = useState('');
  const [searchText] = useDebouncedValue(text.trim(), DELAY_MS);
  const { data, error, isPending, isFetching } = useQuery({
    ...patientSearchQuery(searchText, CHOICES),
    enabled: searchText !== '',
  });
  const found = searchText === '' ? [] : (data ?? []);
  const settled = searchText !== '' && searchText === text.trim() && !isPending;
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const take = (patient: Patient | undefined) => {
    if (!patient || taken(patient) !== undefined) return;
    setText('');
    combobox.closeDropdown();
    onPick({ id: patient.id, hn: patient.hn, name: fullName(patient) });
  };
  const pick = (id: string) => {
    if (id !== NEW) return take(found.find((one) => String(one.id) === id));
    combobox.closeDropdown();
    onNew?.open(searchText);
  };
  const takeWhenFound = async (typed: string) => {
    const answer = await queryClient.fetchQuery(patientSearchQuery(typed, CHOICES)).catch(() => []);
    // The user typed on, so the earlier Enter no longer applies.
    if (box.current?.value.trim() === typed) take(onlyMatch(answer, typed, ({ hn }) => hn));
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    const typed = text.trim();
    const marked = combobox.dropdownOpened && combobox.getSelectedOptionIndex() >= 0;
    if (typed === '' || marked) return;
    event.preventDefault();
    if (settled) take(found.find((patient) => taken(patient) === undefined));
    else void takeWhenFound(typed);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={pick} withinPortal>
      <Combobox.Target>
        <TextInput
          ref={inputRef}
          autoFocus={autoFocus}
          label={label}
          description={description}
          autoComplete="off"
          maxLength={100}
          value={text}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={
            isFetching && searchText !== '' && <Loader size="xs" aria-label={t.quickSearch.searching} />
          }
          onChange={(event) => {
            setText(event.currentTarget.value);
            combobox.openDropdown();
            combobox.resetSelectedOption();
          }}
          onKeyDown={press}
          onClick={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={searchText === '' || (isFetching && found.length === 0)}>
        <Combobox.Options aria-label={label}>
          {found.map((patient) => {
            const why = taken(patient);
            return (
              <Combobox.Option
                key={patient.id}
                value={String(patient.id)}
                disabled={!settled || why !== undefined}
              >
                <PatientLine patient={patient} />
                {why}
              </Combobox.Option>
            );
          })}
          {found.length === 0 && (
            // After a failed search the patient may exist; registering would create a duplicate.
            <Combobox.Empty role={error ? 'alert' : undefined}>
              {error ? errorText(t, error) : noneText(searchText)}
            </Combobox.Empty>
          )}
          {onNew && !error && (
            <Combobox.Option value={NEW} disabled={!settled}>
              <IconUserPlus size={16} aria-hidden style={{ verticalAlign: 'text-bottom' }} />{' '}
              {onNew.label(searchText)}
            </Combobox.Option>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
