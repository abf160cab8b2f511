import { CloseButton, TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useT } from '@/i18n/provider';
import { useSentText } from './use-sent-text';

const DELAY_MS = 250;

interface SearchInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  label: string;
  /** The current search text; a change from outside (Back, a link) updates the input. */
  value: string;
  onSearch: (text: string) => void;
}

/** A search box that searches while the user types, a moment after the last key. */
export function SearchInput({ label, value, onSearch, ...props }: SearchInputProps) {
  const t = useT();
  const [text, change] = useSentText(value, onSearch, DELAY_MS);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text !== '' && <CloseButton size="sm" aria-label={t.action.clearSearch} onClick={() => change('')} />
      }
      maxLength={100}
      {...props}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
