import { Button, CopyButton, Group, TextInput } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useT } from '@/i18n/provider';

interface CopyFieldProps {
  label: string;
  value: string;
}

/** Text to take elsewhere: selectable, and copied with one press. */
export function CopyField({ label, value }: CopyFieldProps) {
  const t = useT();
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        label={label}
        value={value}
        readOnly
        flex="1 1 14rem"
        dir="ltr"
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            onClick={copy}
            leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          >
            <span aria-live="polite">{copied ? t.action.copied : t.action.copy}</span>
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
