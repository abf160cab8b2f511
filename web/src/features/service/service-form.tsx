import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { allServicesQuery, type Service, serviceKeys } from '@/entities/service/api';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import type { Change } from '@/ui/change-list';
import foot from '@/ui/drawer-foot.module.css';
import { ErrorAlert } from '@/ui/error-alert';
import { RecordConflict } from '@/ui/record-conflict';
import { SaveBar } from '@/ui/save-bar';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useRecordForm } from '@/ui/use-record-form';
import { createService, updateService } from './api';
import { BookingSection, type HospitalRules } from './booking-section';
import { GeneralSection } from './general-section';
import {
  copyOf,
  inputOf,
  NEW_SERVICE,
  type ServiceValues,
  serviceSchema,
  textsOf,
  valuesOf,
} from './service-values';
import { StaffSection, useStaff } from './staff-section';

interface ServiceFormProps {
  /** Undefined for a new service. */
  service?: Service;
  /** The service to copy. */
  original?: Service;
  services: Service[];
  rules?: HospitalRules;
  /** Called after a new service was saved, or on cancel. */
  onDone: () => void;
}

/** Creates or changes a service. */
export function ServiceForm({ service, original, services, rules, onDone }: ServiceFormProps) {
  const t = useT();
  const can = useCan();
  const queryClient = useQueryClient();
  const readOnly = !can(service ? 'SERVICE_CONFIG.UPDATE' : 'SERVICE_CONFIG.CREATE');
  const staff = useStaff();
  const texts = (values: ServiceValues) => textsOf(t, values, staff.nameOf);
  const labels: Partial<Record<string, string>> = t.service.fields;
  const label = (field: string) => labels[field] ?? field;
  const record = useRecordForm({
    record: service ?? null,
    blank: original ? copyOf(original) : NEW_SERVICE,
    valuesOf,
    textsOf: texts,
    inputOf,
    schema: serviceSchema(t),
    create: (values) =>
      createService({
        ...inputOf(values),
        sort: Math.max(0, ...services.map(({ sort }) => sort)) + 1,
        ...(original && { schedule: original.schedule }),
      }),
    update: (change, { id }) => updateService({ id, ...change }),
    onSaved: (saved, fields) => {
      showDone(
        service ? t.service.saved(saved.name, fields.map(label).join(', ')) : t.service.created(saved.name),
      );
      queryClient.setQueryData(allServicesQuery.queryKey, (known) =>
        known?.map((one) => (one.id === saved.id ? saved : one)),
      );
      void queryClient.invalidateQueries({ queryKey: serviceKeys.all });
      if (!service) onDone();
    },
  });
  const { form, changed, start } = record;
  const [before, after] = [texts(start), texts(form.values)];
  const changes = changed.map(
    (key): Change => ({
      key,
      label: label(key),
      kind: 'value',
      before: before[key] ?? '',
      after: after[key] ?? '',
    }),
  );
  const section = { form, readOnly };
  return (
    <form
      noValidate
      onSubmit={record.onSubmit}
      aria-label={service ? t.service.editNamed(service.name) : t.service.add}
    >
      <Stack gap="md">
        {readOnly && (
          <Text size="sm" c="dimmed">
            {t.service.readOnly}
          </Text>
        )}
        <GeneralSection {...section} services={services} />
        <BookingSection {...section} service={service} original={original} rules={rules} />
        {staff.known && <StaffSection {...section} staff={staff} />}
        {service && !readOnly && (
          <SaveBar
            changes={changes}
            pending={record.pending}
            error={record.error}
            outdated={record.outdated}
            onDiscard={record.discard}
          />
        )}
        {!service && !readOnly && (
          <Group gap="xs" className={foot.foot}>
            {record.error !== null && <ErrorAlert error={record.error} />}
            <Button type="submit" loading={record.pending}>
              {t.action.save}
            </Button>
            <Button variant="default" onClick={onDone}>
              {t.action.back}
            </Button>
          </Group>
        )}
      </Stack>
      <RecordConflict conflict={record.conflict} label={label} textsOf={texts} />
      <UnsavedGuard unsaved={record.unsaved} leaves={(from, to) => openIn(from) !== openIn(to)} />
    </form>
  );
}

const openIn = ({ tab, service, copy }: { tab?: unknown; service?: unknown; copy?: unknown }) =>
  `${tab} ${service} ${copy}`;
