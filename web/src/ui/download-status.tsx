import { Button, Group, Loader, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useT } from '@/i18n/provider';
import { type DownloadProgress, fetchFile, formatBytes, isAbort, saveFile } from './download';
import { showDone, showFailure, showNotice } from './toast';

export interface Download {
  /** Null while no download is running. */
  progress: DownloadProgress | null;
  start: (path: string, body: object) => void;
  cancel: () => void;
}

/** Downloads one file at a time, saves it and reports the result. Leaving the page cancels it. */
export function useDownload(): Download {
  const t = useT();
  const [progress, setProgress] = useState<DownloadProgress | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const { mutate } = useMutation({
    mutationFn: ({ path, body, signal }: { path: string; body: object; signal: AbortSignal }) =>
      fetchFile({ path, body, signal, onProgress: setProgress }),
    onSuccess: (file) => {
      saveFile(file);
      showDone(t.download.done(file.name));
    },
    onError: (error) => (isAbort(error) ? showNotice(t.download.cancelled) : showFailure(t, error)),
    onSettled: () => {
      running.current = null;
      setProgress(null);
    },
  });
  return {
    progress,
    start: (path, body) => {
      if (running.current) return;
      running.current = new AbortController();
      setProgress({ received: 0 });
      mutate({ path, body, signal: running.current.signal });
    },
    cancel: () => running.current?.abort(),
  };
}

/** The progress of a download, with a cancel button. */
export function DownloadStatus({ download: { progress, cancel } }: { download: Download }) {
  const t = useT();
  if (!progress) return null;
  const { received, total } = progress;
  const size = total ? `${formatBytes(received)} / ${formatBytes(total)}` : formatBytes(received);
  return (
    <Group gap="xs" wrap="nowrap">
      <Loader size="xs" aria-hidden />
      <Text size="sm" role="status" className="tabular">
        {received === 0 ? t.download.starting : t.download.running(size)}
      </Text>
      <Button variant="default" size="compact-sm" onClick={cancel}>
        {t.download.cancel}
      </Button>
    </Group>
  );
}
