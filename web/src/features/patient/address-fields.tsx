import { Combobox, TextInput, type TextInputProps, useCombobox } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '@/i18n/provider';
import { loadPlaces, matchPlaces, type Place, placeText } from '@/lib/addresses';

export const placesQuery = queryOptions({
  queryKey: ['places'],
  queryFn: loadPlaces,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  retry: 1,
});

export type AddressPart = 'subdistrict' | 'district' | 'province' | 'postalCode';
type ChosenAddress = Record<AddressPart, string>;
const PARTS: AddressPart[] = ['subdistrict', 'district', 'province', 'postalCode'];

/** What an input shows and does, as a form gives it. */
type PartInput = Omit<TextInputProps, 'value' | 'onChange' | 'label'> & {
  label: string;
  value: string;
  onChange: (text: string) => void;
};

interface AddressFieldsProps {
  input: (part: AddressPart) => PartInput;
  /** A place was chosen: all four are known. */
  onChoose: (address: ChosenAddress) => void;
}

/**
 * Subdistrict, district, province and postal code. Whichever is typed into offers the places that match, and choosing
 * one fills all four. Nothing has to be chosen: any text may stay, since some places are newer than the list.
 */
export function AddressFields({ input, onChoose }: AddressFieldsProps) {
  return PARTS.map((part) => {
    const choose = (place: Place) => {
      const typed = input('postalCode').value;
      const postalCode = place.postalCodes.includes(typed) ? typed : (place.postalCodes[0] ?? '');
      onChoose({
        subdistrict: place.subdistrict,
        district: place.district,
        province: place.province,
        postalCode,
      });
    };
    return <PartField key={part} part={part} input={input(part)} onChoose={choose} />;
  });
}

interface PartFieldProps {
  part: AddressPart;
  input: PartInput;
  onChoose: (place: Place) => void;
}

function PartField({ part, input, onChoose }: PartFieldProps) {
  const t = useT();
  const { value, onChange, onFocus, onBlur, description, ...rest } = input;
  const [visited, setVisited] = useState(false);
  const places = useQuery({ ...placesQuery, enabled: visited });
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const found = combobox.dropdownOpened && places.data ? matchPlaces(places.data, value) : [];
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(index) => {
        const place = found[Number(index)];
        if (place) onChoose(place);
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target>
        <TextInput
          {...rest}
          value={value}
          autoComplete="off"
          inputMode={part === 'postalCode' ? 'numeric' : undefined}
          description={places.isError ? t.patient.addressFailed : description}
          onChange={(event) => {
            onChange(event.currentTarget.value);
            combobox.openDropdown();
            combobox.resetSelectedOption();
          }}
          onFocus={(event) => {
            setVisited(true);
            onFocus?.(event);
          }}
          onBlur={(event) => {
            combobox.closeDropdown();
            onBlur?.(event);
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={found.length === 0} miw={320}>
        <Combobox.Options
          mah={260}
          style={{ overflowY: 'auto' }}
          aria-label={t.patient.addressSuggestions(input.label)}
        >
          {found.map((place, index) => (
            <Combobox.Option value={String(index)} key={placeText(place)}>
              {placeText(place)}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
