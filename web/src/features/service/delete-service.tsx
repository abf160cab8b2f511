import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError } from '@/api/error';
import { type Service, serviceKeys } from '@/entities/service/api';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { ErrorAlert } from '@/ui/error-alert';
import { showDone } from '@/ui/toast';
import type { Dialog } from '@/ui/use-dialog';
import { useWrite } from '@/ui/use-write';
import { deleteService } from './api';

interface DeleteServiceProps {
  dialog: Dialog<Service>;
  onDeactivate: (service: Service) => void;
}

/** Confirms deleting a service. A service with bookings cannot be deleted: it offers to deactivate it instead. */
export function DeleteService({ dialog, onDeactivate }: DeleteServiceProps) {
  const t = useT();
  const { subject, opened, close } = dialog;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t.service.deleteTitle(subject?.name ?? '')}
      centered
      returnFocus={false}
    >
      {subject && <DeleteBody service={subject} onClose={close} onDeactivate={onDeactivate} />}
    </Modal>
  );
}

interface DeleteBodyProps {
  service: Service;
  onClose: () => void;
  onDeactivate: (service: Service) => void;
}

function DeleteBody({ service, onClose, onDeactivate }: DeleteBodyProps) {
  const t = useT();
  const can = useCan();
  const queryClient = useQueryClient();
  // State lags a render behind: two clicks in one frame would both see "not running".
  const running = useRef(false);
  const { mutate, isPending, error } = useWrite({
    mutationFn: () => deleteService(service.id),
    onSuccess: () => {
      showDone(t.service.deleted(service.name));
      onClose();
      return queryClient.invalidateQueries({ queryKey: serviceKeys.all });
    },
    onSettled: () => {
      running.current = false;
    },
  });
  const inUse = error instanceof ApiError && error.code === 'IN_USE';
  const mayClose = inUse && service.active && can('SERVICE_CONFIG.UPDATE');
  return (
    <Stack gap="md">
      {!inUse && <Text size="sm">{t.service.deleteText(service.name)}</Text>}
      {error && <ErrorAlert error={error} />}
      {mayClose && <Text size="sm">{t.service.inUseHint}</Text>}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          {inUse ? t.action.close : t.action.back}
        </Button>
        {mayClose && (
          <Button
            onClick={() => {
              onDeactivate(service);
              onClose();
            }}
          >
            {t.service.deactivate}
          </Button>
        )}
        {!inUse && (
          <Button
            color="red"
            loading={isPending}
            onClick={() => {
              if (running.current) return;
              running.current = true;
              mutate();
            }}
          >
            {t.service.delete}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
