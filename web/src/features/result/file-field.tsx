import { Button, FileButton, Group, Text } from '@mantine/core';
import { IconCamera, IconFileUpload, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { hospitalQuery } from '@/entities/hospital/hospital';
import { useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { formatBytes } from '@/ui/download';
import { FileDrop } from '@/ui/file-drop';
import { useKeyboard } from '@/ui/use-keyboard';
import { FileView } from './file-view';
import classes from './result.module.css';

const TYPES = ['application/pdf', 'image/png', 'image/jpeg', 'image/webp'];

/** Returns the error of a chosen file, or null. The server checks the content, too. */
export function fileFault(t: Messages, { size, type }: File, maxMb: number): string | null {
  if (size === 0) return t.result.empty;
  if (!TYPES.includes(type)) return t.result.wrongType;
  return size > maxMb * 1024 * 1024 ? t.result.tooLarge(`${maxMb} MB`) : null;
}

interface FileFieldProps {
  file: File | null;
  disabled: boolean;
  onChange: (file: File | null) => void;
}

/** A file input: choose, drop, paste anywhere on the page, or take a photo; with a preview. */
export function FileField({ file, disabled, onChange }: FileFieldProps) {
  const t = useT();
  const keyboard = useKeyboard();
  const { data: hospital } = useQuery(hospitalQuery);
  const maxMb = hospital?.uploadMaxMb ?? 20;
  const [fault, setFault] = useState<string | null>(null);
  const input = useRef<() => void>(null);
  const camera = useRef<() => void>(null);
  const choose = (chosen: File | null | undefined) => {
    if (!chosen || disabled) return;
    const wrong = fileFault(t, chosen, maxMb);
    setFault(wrong);
    if (!wrong) onChange(chosen);
    input.current?.();
    camera.current?.();
  };
  const paste = useEffectEvent((event: ClipboardEvent) => {
    const pasted = event.clipboardData?.files[0];
    if (!pasted) return; // text is pasted where it was aimed
    event.preventDefault();
    const name = /^image\.\w+$/.test(pasted.name)
      ? pasted.name.replace('image', t.result.pasted)
      : pasted.name;
    choose(new File([pasted], name, { type: pasted.type }));
  });
  useEffect(() => {
    const listen = (event: ClipboardEvent) => paste(event);
    document.addEventListener('paste', listen);
    return () => document.removeEventListener('paste', listen);
  }, []);
  return (
    <section className={classes.stack} aria-label={t.result.file}>
      {!file && (
        <FileDrop className={classes.drop} onFile={choose} onSeveral={() => setFault(t.result.onlyOne)}>
          {keyboard && <Text size="sm">{t.result.drop}</Text>}
          <Group gap="xs" justify="center">
            <FileButton accept={TYPES.join(',')} onChange={choose} resetRef={input} disabled={disabled}>
              {(button) => (
                <Button variant="default" leftSection={<IconFileUpload size={16} aria-hidden />} {...button}>
                  {t.result.choose}
                </Button>
              )}
            </FileButton>
            <FileButton
              accept="image/jpeg,image/png,image/webp"
              capture="environment"
              onChange={choose}
              resetRef={camera}
              disabled={disabled}
            >
              {(button) => (
                <Button variant="default" leftSection={<IconCamera size={16} aria-hidden />} {...button}>
                  {t.result.camera}
                </Button>
              )}
            </FileButton>
          </Group>
          <Text size="xs" c="dimmed">
            {t.result.limits(`${maxMb} MB`)}
          </Text>
        </FileDrop>
      )}
      {fault && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          {fault}
        </Text>
      )}
      {file && (
        <div className={classes.chosen}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" className={classes.breakable}>
              <bdi>{file.name}</bdi> · {formatBytes(file.size)}
            </Text>
            <Button
              variant="default"
              size="compact-sm"
              disabled={disabled}
              leftSection={<IconX size={14} aria-hidden />}
              onClick={() => {
                onChange(null);
                setFault(null);
              }}
            >
              {t.result.removeFile}
            </Button>
          </Group>
          <FileView file={file} />
        </div>
      )}
    </section>
  );
}
