import { Button, Modal, Skeleton, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useT } from '@/i18n/provider';
import { fetchFile, saveFile } from '@/ui/download';
import { ErrorAlert } from '@/ui/error-alert';
import { useFileUrl } from '@/ui/use-file-url';
import { filePath, type Result } from './api';
import classes from './result.module.css';

/**
 * Shows an image, rotated by its EXIF data, or a PDF in the browser's viewer. The viewer does not work in a sandboxed
 * frame but is isolated itself; files of any other type are never passed to it.
 */
export function FileView({ file }: { file: File }) {
  const t = useT();
  const url = useFileUrl(file);
  const [broken, setBroken] = useState(false);
  if (!url) return null;
  if (file.type === 'application/pdf') {
    return navigator.pdfViewerEnabled ? (
      <iframe
        className={classes.pdf}
        src={`${url}#navpanes=0&view=FitH`}
        title={t.result.preview(file.name)}
      />
    ) : (
      <Text size="sm">{t.result.noPdfView}</Text>
    );
  }
  return broken ? (
    <Text size="sm" role="alert" c="var(--mantine-color-error)">
      {t.result.unreadable}
    </Text>
  ) : (
    <img
      className={classes.picture}
      src={url}
      alt={t.result.preview(file.name)}
      onError={() => setBroken(true)}
    />
  );
}

/** Shows the file of a result. */
export function FileDialog({
  result,
  opened,
  onClose,
}: {
  result: Result | null;
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title={result?.file?.name} size="xl" centered>
      {result && <FetchedFile key={result.id} id={result.id} />}
    </Modal>
  );
}

function FetchedFile({ id }: { id: number }) {
  const t = useT();
  const [file, setFile] = useState<File | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const control = new AbortController();
    fetchFile({ path: filePath(id), signal: control.signal, onProgress: () => {} }).then(
      setFile,
      (failure) => !control.signal.aborted && setError(failure),
    );
    return () => control.abort();
  }, [id]);
  if (error) return <ErrorAlert error={error} />;
  if (!file) return <Skeleton h={240} />;
  return (
    <div className={classes.stack}>
      <FileView file={file} />
      <div>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => saveFile(file)}
        >
          {t.result.download}
        </Button>
      </div>
    </div>
  );
}
