import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { isNetworkError } from '@/api/error';
import { useT } from '@/i18n/provider';
import { ErrorAlert } from './error-alert';
import { useLast } from './use-last';

interface ConfirmProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** Describes the effect, with the name of the record. */
  children: ReactNode;
  confirmLabel: string;
  danger?: boolean;
  /** The dialog stays open and busy until this settles; it shows an error. */
  onConfirm: () => Promise<unknown>;
}

/** Asks before an action that cannot be undone. */
export function Confirm({ opened, onClose, title, children, ...body }: ConfirmProps) {
  const content = useLast(opened ? { title, children } : null);
  return (
    <Modal opened={opened} onClose={onClose} title={content?.title} centered returnFocus={false}>
      <ConfirmBody onClose={onClose} {...body}>
        {content?.children}
      </ConfirmBody>
    </Modal>
  );
}

function ConfirmBody({
  onClose,
  children,
  confirmLabel,
  danger,
  onConfirm,
}: Omit<ConfirmProps, 'opened' | 'title'>) {
  const t = useT();
  // State lags a render behind: two clicks in one frame would both see "not running".
  const running = useRef(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: onConfirm,
    onSuccess: onClose,
    onError: () => {
      running.current = false;
    },
  });
  const confirm = () => {
    if (running.current) return;
    running.current = true;
    mutate();
  };
  return (
    <Stack gap="md">
      <div>{children}</div>
      {error && <ErrorAlert error={error} onRetry={isNetworkError(error) ? confirm : undefined} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t.action.back}
        </Button>
        <Button color={danger ? 'red' : undefined} loading={isPending} onClick={confirm}>
          {confirmLabel}
        </Button>
      </Group>
    </Stack>
  );
}
