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
/** As many as show without scrolling; another letter is faster. */
const CHOICES = 6;

/** A patient that was chosen. */
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
  /** Patients who cannot be chosen again, and why. */
  taken?: (patient: Patient) => string | undefined;
  onPick: (patient: PickedPatient) => void;
  /** The last choice: registers the patient that was searched for. */
  onNew?: { label: (text: string) => string; open: (text: string) => void };
  autoFocus?: boolean;
  ref?: Ref<HTMLInputElement>;
}

/** The value of the choice that registers; no patient has it. */
const NEW = 'new';

/**
 * A patient by typing: part of the name, HN, phone or ID card. Enter takes the marked one, or the first; of what is not
 * found yet (a number scanned together with its Enter) only if the match is unambiguous (onlyMatch). Results for an
 * older text stay visible until they are replaced, but are disabled.
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
  const [sought] = useDebouncedValue(text.trim(), DELAY_MS);
  const { data, error, isPending, isFetching } = useQuery({
    ...patientSearchQuery(sought, CHOICES),
    enabled: sought !== '',
  });
  const found = sought === '' ? [] : (data ?? []);
  const settled = sought !== '' && sought === text.trim() && !isPending;
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
    onNew?.open(sought);
  };
  const takeWhenFound = async (typed: string) => {
    const answer = await queryClient.fetchQuery(patientSearchQuery(typed, CHOICES)).catch(() => []);
    // Typed on in the meantime: then it was not meant.
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
            isFetching && sought !== '' && <Loader size="xs" aria-label={t.quickSearch.searching} />
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
      <Combobox.Dropdown hidden={sought === '' || (isFetching && found.length === 0)}>
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
            // After a failed search the patient may exist: registering would create a duplicate.
            <Combobox.Empty role={error ? 'alert' : undefined}>
              {error ? errorText(t, error) : noneText(sought)}
            </Combobox.Empty>
          )}
          {onNew && !error && (
            <Combobox.Option value={NEW} disabled={!settled}>
              <IconUserPlus size={16} aria-hidden style={{ verticalAlign: 'text-bottom' }} />{' '}
              {onNew.label(sought)}
            </Combobox.Option>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
