import {
  Button,
  FileButton,
  Group,
  Progress,
  SegmentedControl,
  Slider,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconPhotoUp } from '@tabler/icons-react';
import { type DragEvent, useRef, useState } from 'react';
import { useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { formatBytes, isAbort } from '@/ui/download';
import { ErrorAlert } from '@/ui/error-alert';
import { showDone } from '@/ui/toast';
import { uploadFile } from '@/ui/upload';
import { useKeyboard } from '@/ui/use-keyboard';
import { CUTS, type Cut, cutOut } from './crop';
import classes from './setting.module.css';

const TYPES = ['image/png', 'image/jpeg', 'image/webp'];

/** What is wrong with a chosen file, or null. The server looks into the file itself and has the last word. */
export function fileFault(
  t: Messages,
  file: { name: string; type: string; size: number },
  max: number,
): string | null {
  if (!TYPES.includes(file.type)) return t.setting.upload.wrongType(file.name);
  if (file.size === 0) return t.setting.upload.empty(file.name);
  return file.size > max ? t.setting.upload.tooLarge(file.name, megabytes(max)) : null;
}

/** The largest picture that the server takes, whatever the setting says. */
const MAX_PICTURE = 20 * 1024 * 1024;
export const pictureLimit = (uploadMaxMb: number) => Math.min(uploadMaxMb * 1024 * 1024, MAX_PICTURE);

/** As the setting counts them. */
const megabytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MB`;

interface PictureUploadProps<Answer> {
  path: string;
  maxBytes: number;
  chooseLabel: string;
  submitLabel: string;
  /** Asks for the part to use and for a description. */
  banner?: boolean;
  onDone: (answer: Answer) => unknown;
}

interface Chosen {
  file: File;
  url: string;
}

/** Chooses a picture by the button or by dropping it, shows it, and sends it: with progress, and a way to cancel. */
export function PictureUpload<Answer>(props: PictureUploadProps<Answer>) {
  const { path, maxBytes, chooseLabel, submitLabel, banner = false, onDone } = props;
  const t = useT();
  const keyboard = useKeyboard();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [unreadable, setUnreadable] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [share, setShare] = useState<number | null>(null);
  const [over, setOver] = useState(false);
  const [alt, setAlt] = useState('');
  const [cut, setCut] = useState<Cut>('whole');
  const [position, setPosition] = useState(50);
  const running = useRef<AbortController | null>(null);
  const input = useRef<() => void>(null);

  const choose = (file: File | null) => {
    if (!file) return;
    if (chosen) URL.revokeObjectURL(chosen.url);
    const wrong = fileFault(t, file, maxBytes);
    setFault(wrong);
    setError(null);
    setUnreadable(false);
    setChosen(wrong ? null : { file, url: URL.createObjectURL(file) });
    input.current?.();
  };
  const reset = () => {
    if (chosen) URL.revokeObjectURL(chosen.url);
    setChosen(null);
    setError(null);
    setAlt('');
    setCut('whole');
    setPosition(50);
  };
  const send = async () => {
    if (!chosen || running.current) return;
    const control = new AbortController();
    running.current = control;
    setError(null);
    setShare(0);
    try {
      const file = await cutOut(chosen.file, cut, position / 100);
      const answer = await uploadFile<Answer>({
        path,
        file,
        name: chosen.file.name,
        texts: { alt: alt.trim() },
        signal: control.signal,
        onProgress: setShare,
      });
      reset();
      await onDone(answer);
    } catch (failure) {
      if (isAbort(failure)) showDone(t.setting.upload.cancelled);
      else setError(failure);
    } finally {
      running.current = null;
      setShare(null);
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const { files } = event.dataTransfer;
    if (files.length > 1) setFault(t.setting.upload.onlyOne);
    else choose(files[0] ?? null);
  };
  const sending = share !== null;
  const ratio = CUTS[cut];
  return (
    <Stack gap="xs">
      {!chosen && (
        // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a convenience; the button does the same.
        <div
          className={classes.drop}
          data-over={over || undefined}
          onDragOver={(event) => {
            if (!event.dataTransfer.types.includes('Files')) return;
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <IconPhotoUp size={22} stroke={1.6} aria-hidden />
          {keyboard && <Text size="sm">{t.setting.upload.drop}</Text>}
          <FileButton accept={TYPES.join(',')} onChange={choose} resetRef={input}>
            {(button) => (
              <Button variant="default" size="xs" {...button}>
                {chooseLabel}
              </Button>
            )}
          </FileButton>
          <Text size="xs" c="dimmed">
            {t.setting.upload.limits(megabytes(maxBytes))}
          </Text>
        </div>
      )}
      {fault && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          {fault}
        </Text>
      )}
      {chosen && (
        <section className={classes.chosen} aria-label={t.setting.upload.preview}>
          {unreadable ? (
            <Text role="alert" size="sm" c="var(--mantine-color-error)">
              {t.setting.upload.unreadable}
            </Text>
          ) : (
            <img
              className={classes.preview}
              data-banner={banner || undefined}
              src={chosen.url}
              alt={t.setting.upload.previewOf(chosen.file.name)}
              style={ratio ? { aspectRatio: ratio, objectPosition: `${position}% ${position}%` } : undefined}
              data-cut={ratio ? true : undefined}
              onError={() => setUnreadable(true)}
            />
          )}
          <Text size="xs" c="dimmed">
            {chosen.file.name} · {formatBytes(chosen.file.size)}
          </Text>
          {banner && !unreadable && (
            <Stack gap="xs">
              <div>
                <Text size="sm" fw={500} id="banner-cut">
                  {t.setting.banners.cut}
                </Text>
                <SegmentedControl
                  aria-labelledby="banner-cut"
                  size="xs"
                  disabled={sending}
                  value={cut}
                  onChange={setCut}
                  data={(Object.keys(CUTS) as Cut[]).map((value) => ({
                    value,
                    label: t.setting.banners.cuts[value],
                  }))}
                />
              </div>
              {ratio && (
                <Slider
                  maw={400}
                  min={0}
                  max={100}
                  disabled={sending}
                  value={position}
                  onChange={setPosition}
                  label={null}
                  thumbLabel={t.setting.banners.cutPosition}
                />
              )}
              <TextInput
                maw={560}
                label={t.setting.banners.alt}
                description={t.setting.banners.altHint}
                maxLength={200}
                readOnly={sending}
                value={alt}
                onChange={(event) => setAlt(event.currentTarget.value)}
              />
            </Stack>
          )}
          {sending && (
            <div>
              <Progress value={share * 100} aria-label={t.setting.upload.upload} />
              <Text size="xs" role="status">
                {share < 1
                  ? t.setting.upload.uploading(Math.round(share * 100))
                  : t.setting.upload.processing}
              </Text>
            </div>
          )}
          {error !== null && <ErrorAlert error={error} />}
          <Group gap="xs">
            {!unreadable && (
              <Button loading={sending} onClick={() => void send()}>
                {submitLabel}
              </Button>
            )}
            <Button variant="default" onClick={() => (sending ? running.current?.abort() : reset())}>
              {sending ? t.setting.upload.cancel : t.setting.upload.discard}
            </Button>
          </Group>
        </section>
      )}
    </Stack>
  );
}
