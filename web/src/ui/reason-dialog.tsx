import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { z } from 'zod';
import { useT } from '@/i18n/provider';
import { nameKey } from '@/lib/account-rules';
import { ErrorAlert } from './error-alert';
import { useFormSubmit } from './use-form-submit';
import { useLiveForm } from './use-live-form';

const LONGEST = 300;

interface ReasonDialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** Describes the effect, with the name of the record. */
  text: string;
  confirmLabel: string;
  /** The label of the cancel button, where “back” could be misread. */
  keepLabel?: string;
  danger?: boolean;
  onConfirm: (reason: string) => Promise<unknown>;
}

/** Asks for the reason that the server records. */
export function ReasonDialog({ opened, onClose, title, ...body }: ReasonDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered>
      <ReasonBody onClose={onClose} {...body} />
    </Modal>
  );
}

function ReasonBody({
  onClose,
  text,
  confirmLabel,
  keepLabel,
  danger,
  onConfirm,
}: Omit<ReasonDialogProps, 'opened' | 'title'>) {
  const t = useT();
  const form = useLiveForm(
    { reason: '' },
    z.object({
      reason: z
        .string()
        .refine((value) => nameKey(value) !== '', t.account.rule.required)
        .refine((value) => [...value].length <= LONGEST, t.account.rule.tooLong(LONGEST)),
    }),
  );
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: ({ reason }) => onConfirm(reason),
    onSuccess: onClose,
  });
  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack gap="md">
        <Text size="sm">{text}</Text>
        <Textarea
          label={t.action.reason}
          withAsterisk
          rows={3}
          data-autofocus
          {...form.getInputProps('reason')}
        />
        {error !== null && <ErrorAlert error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {keepLabel ?? t.action.back}
          </Button>
          <Button type="submit" color={danger ? 'red' : undefined} loading={pending}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
