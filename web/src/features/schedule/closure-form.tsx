import {
  Alert,
  Button,
  Checkbox,
  Group,
  Modal,
  MultiSelect,
  Radio,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconInfoCircle, IconUsers } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { allServicesQuery } from '@/entities/service/api';
import { serviceName } from '@/entities/service/service-name';
import { useCan, useMayMoveClosed } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { ClockInput } from '@/ui/clock-input';
import { ErrorAlert } from '@/ui/error-alert';
import { ThaiDateInput } from '@/ui/thai-date-input';
import { showDone } from '@/ui/toast';
import type { Dialog } from '@/ui/use-dialog';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { affectedQuery, type ClosureFields, createClosure, scheduleKeys } from './api';
import {
  type ClosureDraft,
  type ClosureValues,
  closureFaults,
  closureSchema,
  fieldsOf,
  valuesOf,
} from './closure-values';

const CHECK_DELAY_MS = 300;
const NAMES_SHOWN = 5;

interface ClosureDialogProps {
  dialog: Dialog<ClosureDraft>;
  /** Opens the dialog that moves the appointments of the new closure. */
  onMove: (closureId: number) => void;
}

/** Closes days or times. It lists the appointments in them first, and offers to move these afterwards. */
export function ClosureDialog({ dialog, onMove }: ClosureDialogProps) {
  const t = useT();
  const [last, setLast] = useState<{ draft: ClosureDraft | null; id: number; affected: number } | null>(null);
  // Stays set until another closure is started, so that the dialog does not change while it closes.
  const made = last && last.draft === dialog.subject ? last : null;
  const { close } = dialog;
  const mayMove = useMayMoveClosed();
  return (
    <Modal
      opened={dialog.opened}
      onClose={close}
      title={made ? t.schedule.closure.savedTitle : t.schedule.closure.title}
      centered
      size="md"
      returnFocus={false}
    >
      {made ? (
        <Stack gap="md">
          <Text size="sm" role="status">
            {mayMove
              ? t.schedule.closure.offer(made.affected)
              : `${t.schedule.closure.affected(made.affected)} ${t.schedule.closure.affectedHint}`}
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} data-autofocus={!mayMove || undefined}>
              {mayMove ? t.schedule.closure.later : t.action.close}
            </Button>
            {mayMove && (
              <Button
                data-autofocus
                onClick={() => {
                  close();
                  onMove(made.id);
                }}
              >
                {t.schedule.closure.moveAll}
              </Button>
            )}
          </Group>
        </Stack>
      ) : (
        dialog.subject && (
          <ClosureForm
            draft={dialog.subject}
            onCancel={close}
            onMade={(closure) =>
              closure.affected > 0 ? setLast({ ...closure, draft: dialog.subject }) : close()
            }
          />
        )
      )}
    </Modal>
  );
}

interface ClosureFormProps {
  draft: ClosureDraft;
  onCancel: () => void;
  onMade: (closure: { id: number; affected: number }) => void;
}

function ClosureForm({ draft, onCancel, onMade }: ClosureFormProps) {
  const t = useT();
  const { language } = useLanguage();
  const queryClient = useQueryClient();
  const { data: services = [] } = useQuery(allServicesQuery);
  // Names need the permission to see appointments; the number of appointments does not.
  const maySee = useCan()('APPOINTMENT.SHOW');
  const form = useLiveForm<ClosureValues>(valuesOf(draft), closureSchema(t) as never, (values) =>
    closureFaults(t, values),
  );
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: (values) => {
      const fields = fieldsOf(t, values);
      if (!fields) throw new Error('sent before it was complete');
      return createClosure(fields);
    },
    onSuccess: (closure) => {
      showDone(t.schedule.closure.saved(closure.reason));
      void queryClient.invalidateQueries({ queryKey: scheduleKeys.all });
      onMade(closure);
    },
  });
  const { values } = form;
  const words = t.schedule.closure;
  return (
    <form noValidate onSubmit={onSubmit} aria-label={words.title}>
      <Stack gap="sm">
        <Group gap="xs" align="flex-start" grow>
          <ThaiDateInput label={words.dateFrom} required {...form.getInputProps('dateFrom')} />
          <ThaiDateInput label={words.dateTo} required {...form.getInputProps('dateTo')} />
        </Group>
        <Checkbox label={words.allDay} {...form.getInputProps('allDay', { type: 'checkbox' })} />
        {!values.allDay && (
          <Group gap="xs" align="flex-start" grow>
            <ClockInput label={words.startTime} required {...form.getInputProps('startTime')} />
            <ClockInput label={words.endTime} required {...form.getInputProps('endTime')} />
          </Group>
        )}
        <Radio.Group label={words.scope} {...form.getInputProps('scope')}>
          <Group gap="md" mt={4}>
            <Radio value="services" label={words.someServices} />
            <Radio value="hospital" label={words.wholeHospital} />
          </Group>
        </Radio.Group>
        {values.scope === 'services' && (
          <MultiSelect
            label={words.services}
            data={services
              .filter(({ id, active }) => active || id === draft.serviceId)
              .map((service) => ({ value: String(service.id), label: serviceName(service, language) }))}
            searchable
            required
            {...form.getInputProps('services')}
          />
        )}
        <Radio.Group label={words.kind} {...form.getInputProps('kind')}>
          <Group gap="md" mt={4}>
            <Radio value="CLOSED" label={words.kinds.CLOSED} />
            <Radio value="HOLIDAY" label={words.kinds.HOLIDAY} />
          </Group>
        </Radio.Group>
        <TextInput
          label={words.reason}
          description={words.reasonHint}
          required
          maxLength={250}
          data-autofocus
          {...form.getInputProps('reason')}
        />
        {maySee && <Affected fields={fieldsOf(t, values)} />}
        {error !== null && <ErrorAlert error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {t.action.back}
          </Button>
          <Button type="submit" loading={pending}>
            {words.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The appointments in the time that is about to be closed. */
function Affected({ fields }: { fields: ClosureFields | null }) {
  const t = useT();
  // Without the reason, so that typing it sends no request.
  const [asked] = useDebouncedValue(
    fields ? JSON.stringify({ ...fields, reason: undefined }) : '',
    CHECK_DELAY_MS,
  );
  const { data, error, refetch } = useQuery({
    ...affectedQuery(asked === '' ? { dateFrom: '', dateTo: '' } : JSON.parse(asked)),
    enabled: asked !== '',
  });
  const words = t.schedule.closure;
  if (asked === '') return null;
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={40} role="status" aria-label={words.checking} />;
  const names = data
    .slice(0, NAMES_SHOWN)
    .map(({ patient, startTime }) => `${startTime} ${fullName(patient)}`);
  const rest = data.length - names.length;
  return (
    <Alert
      role="status"
      color={data.length > 0 ? 'yellow' : 'gray'}
      variant="light"
      p="xs"
      icon={data.length > 0 ? <IconUsers aria-hidden /> : <IconInfoCircle aria-hidden />}
    >
      <Text size="sm" fw={data.length > 0 ? 600 : undefined}>
        {data.length > 0 ? words.affected(data.length) : words.nobody}
      </Text>
      {data.length > 0 && (
        <>
          <Text size="xs">{[...names, ...(rest > 0 ? [words.andMore(rest)] : [])].join(', ')}</Text>
          <Text size="xs">{words.affectedHint}</Text>
        </>
      )}
    </Alert>
  );
}
