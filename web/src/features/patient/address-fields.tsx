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

/** The props of an input, as a form returns them. */
type PartInput = Omit<TextInputProps, 'value' | 'onChange' | 'label'> & {
  label: string;
  value: string;
  onChange: (text: string) => void;
};

interface AddressFieldsProps {
  input: (part: AddressPart) => PartInput;
  /** Called with all four values when a place is chosen. */
  onChoose: (address: ChosenAddress) => void;
}

/**
 * Subdistrict, district, province and postal code. Each input suggests matching places, and choosing one fills all
 * four. Any other text is allowed, because some places are newer than the list.
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
