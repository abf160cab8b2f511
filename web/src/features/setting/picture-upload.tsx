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
import { useRef, useState } from 'react';
import { isNetworkError } from '@/api/error';
import { useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { formatBytes, isAbort } from '@/ui/download';
import { ErrorAlert } from '@/ui/error-alert';
import { FileDrop } from '@/ui/file-drop';
import { showNotice } from '@/ui/toast';
import { uploadFile } from '@/ui/upload';
import { useFileUrl } from '@/ui/use-file-url';
import { useKeyboard } from '@/ui/use-keyboard';
import { CUTS, type Cut, cutOut } from './crop';
import classes from './setting.module.css';

const TYPES = ['image/png', 'image/jpeg', 'image/webp'];

/** Returns the error of a chosen file, or null. The server checks the content, too. */
export function fileFault(
  t: Messages,
  file: { name: string; type: string; size: number },
  max: number,
): string | null {
  if (!TYPES.includes(file.type)) return t.setting.upload.wrongType(file.name);
  if (file.size === 0) return t.setting.upload.empty(file.name);
  return file.size > max ? t.setting.upload.tooLarge(file.name, megabytes(max)) : null;
}

/** The largest image that the server accepts, whatever the setting. */
const MAX_PICTURE = 20 * 1024 * 1024;
export const pictureLimit = (uploadMaxMb: number) => Math.min(uploadMaxMb * 1024 * 1024, MAX_PICTURE);

/** In the unit of the setting. */
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

/** Chooses an image by button or drop, previews it and uploads it, with progress and cancel. */
export function PictureUpload<Answer>(props: PictureUploadProps<Answer>) {
  const { path, maxBytes, chooseLabel, submitLabel, banner = false, onDone } = props;
  const t = useT();
  const keyboard = useKeyboard();
  const [chosen, setChosen] = useState<File | null>(null);
  const url = useFileUrl(chosen);
  const [unreadable, setUnreadable] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [share, setShare] = useState<number | null>(null);
  const [alt, setAlt] = useState('');
  const [cut, setCut] = useState<Cut>('whole');
  const [position, setPosition] = useState(50);
  const running = useRef<AbortController | null>(null);
  const input = useRef<() => void>(null);

  const choose = (file: File | null) => {
    if (!file) return;
    const wrong = fileFault(t, file, maxBytes);
    setFault(wrong);
    setError(null);
    setUnreadable(false);
    setChosen(wrong ? null : file);
    input.current?.();
  };
  const reset = () => {
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
      const file = await cutOut(chosen, cut, position / 100);
      const answer = await uploadFile<Answer>({
        path,
        file,
        name: chosen.name,
        texts: { alt: alt.trim() },
        signal: control.signal,
        onProgress: setShare,
      });
      reset();
      await onDone(answer);
    } catch (failure) {
      if (isAbort(failure)) showNotice(t.setting.upload.cancelled);
      else setError(failure);
    } finally {
      running.current = null;
      setShare(null);
    }
  };
  const sending = share !== null;
  const ratio = CUTS[cut];
  return (
    <Stack gap="xs">
      {!chosen && (
        <FileDrop
          className={classes.drop}
          onFile={choose}
          onSeveral={() => setFault(t.setting.upload.onlyOne)}
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
        </FileDrop>
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
            url && (
              <img
                className={classes.preview}
                data-banner={banner || undefined}
                src={url}
                alt={t.setting.upload.previewOf(chosen.name)}
                style={
                  ratio ? { aspectRatio: ratio, objectPosition: `${position}% ${position}%` } : undefined
                }
                data-cut={ratio ? true : undefined}
                onError={() => setUnreadable(true)}
              />
            )
          )}
          <Text size="xs" c="dimmed">
            {chosen.name} · {formatBytes(chosen.size)}
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
          {error !== null && <ErrorAlert error={error} onRetry={isNetworkError(error) ? send : undefined} />}
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
