import { Button, Group, TextInput } from '@mantine/core';
import { useClipboard, useTimeout } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useT } from '@/i18n/provider';

interface CopyFieldProps {
  label: string;
  value: string;
}

const COPIED_MS = 2_000;

/** Selectable text with a copy button. */
export function CopyField({ label, value }: CopyFieldProps) {
  const t = useT();
  const input = useRef<HTMLInputElement>(null);
  const clipboard = useClipboard({ timeout: COPIED_MS });
  const [taken, setTaken] = useState(false);
  const { start } = useTimeout(() => setTaken(false), COPIED_MS);
  const copy = () => {
    if ('clipboard' in navigator) return clipboard.copy(value);
    // On plain HTTP there is no clipboard API: use the selection.
    input.current?.select();
    setTaken(document.execCommand('copy'));
    start();
  };
  const copied = clipboard.copied || taken;
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        ref={input}
        label={label}
        value={value}
        readOnly
        flex="1 1 14rem"
        dir="ltr"
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button
        variant="default"
        onClick={copy}
        leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
      >
        <span aria-live="polite">{copied ? t.action.copied : t.action.copy}</span>
      </Button>
    </Group>
  );
}
