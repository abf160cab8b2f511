import {
  Autocomplete,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { allServicesQuery, type Service, serviceKeys } from '@/entities/service/api';
import { useCan } from '@/entities/session/session';
import { staffQuery } from '@/entities/user/api';
import { useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { inkOn } from '@/lib/colour';
import { hospitalToday } from '@/lib/thai-date';
import type { Change } from '@/ui/change-list';
import { ColourField } from '@/ui/colour-field';
import foot from '@/ui/drawer-foot.module.css';
import { ErrorAlert } from '@/ui/error-alert';
import { DESCRIPTION_BELOW } from '@/ui/input-order';
import { RecordConflict } from '@/ui/record-conflict';
import { SaveBar } from '@/ui/save-bar';
import { TextLink } from '@/ui/text-link';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useRecordForm } from '@/ui/use-record-form';
import { createService, updateService } from './api';
import { hoursText } from './hours';
import classes from './service.module.css';
import {
  BOUNDS,
  COLOURS,
  copyOf,
  type HospitalRule,
  inputOf,
  NEW_SERVICE,
  type ServiceValues,
  serviceSchema,
  textsOf,
  valuesOf,
} from './service-values';

/** What the hospital allows where a service says nothing else. */
export type HospitalRules = Record<HospitalRule, number>;

interface ServiceFormProps {
  /** None for a new one. */
  service?: Service;
  /** What a new one is copied from. */
  original?: Service;
  services: Service[];
  rules?: HospitalRules;
  /** After a new one was saved, or to leave. */
  onDone: () => void;
}

/** Adds or changes a service. */
export function ServiceForm({ service, original, services, rules, onDone }: ServiceFormProps) {
  const t = useT();
  const can = useCan();
  const queryClient = useQueryClient();
  const readOnly = !can(service ? 'SERVICE_CONFIG.UPDATE' : 'SERVICE_CONFIG.CREATE');
  const staff = useStaff(t);
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
  const text = (field: keyof typeof t.service.fields) => ({
    label: t.service.fields[field],
    readOnly,
    ...form.getInputProps(field),
  });
  const number = (field: keyof typeof BOUNDS) => ({
    ...text(field),
    min: BOUNDS[field][0],
    max: BOUNDS[field][1],
    allowDecimal: false,
    clampBehavior: 'none' as const,
  });
  const departments = [...new Set(services.map(({ department }) => department))].filter(
    (name) => name !== '',
  );
  const hours = service ?? original;
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
        <Section title={t.service.sections.general}>
          <TextInput {...text('name')} required maxLength={120} data-autofocus />
          <TextInput {...text('nameEn')} maxLength={120} />
          <TextInput
            {...text('code')}
            required
            description={readOnly ? undefined : t.service.hints.code}
            inputWrapperOrder={DESCRIPTION_BELOW}
            maxLength={20}
            autoCapitalize="characters"
            spellCheck={false}
          />
          <Autocomplete {...text('department')} data={departments} maxLength={120} />
          <TextInput {...text('location')} className={classes.wide} maxLength={200} />
          <div className={classes.wide}>
            {readOnly ? (
              <Sample color={form.values.color} name={form.values.name} />
            ) : (
              <>
                <ColourField
                  name={t.service.colourName}
                  value={form.values.color}
                  swatches={COLOURS}
                  onChange={(color) => form.setFieldValue('color', color)}
                />
                <Sample color={form.values.color} name={form.values.name} />
              </>
            )}
          </div>
          <Textarea {...text('description')} className={classes.wide} autosize minRows={2} maxLength={2000} />
          <Textarea
            {...text('instructions')}
            className={classes.wide}
            description={readOnly ? undefined : t.service.hints.instructions}
            autosize
            minRows={2}
            maxLength={2000}
          />
          <Switch
            className={classes.wide}
            label={t.service.fields.active}
            description={t.service.hints.active}
            disabled={readOnly}
            {...form.getInputProps('active', { type: 'checkbox' })}
          />
        </Section>
        <Section title={t.service.sections.booking}>
          <NumberInput {...number('slotMinutes')} required step={5} />
          <NumberInput {...number('defaultCapacity')} required />
          {!readOnly && (
            <Text size="xs" c="dimmed" className={classes.wide}>
              {t.service.hints.slots}
            </Text>
          )}
          <NumberInput
            {...number('overbookLimit')}
            className={classes.wide}
            description={t.service.hints.overbookLimit}
            required
          />
          {(['bookingWindowDays', 'leadMinutes', 'cancelCutoffMinutes'] as const).map((field) => (
            <OwnOrHospital
              key={field}
              field={field}
              value={form.values[field]}
              hospital={rules?.[field]}
              readOnly={readOnly}
              onChange={(value) => form.setFieldValue(field, value)}
            >
              <NumberInput {...number(field)} value={form.values[field] ?? ''} />
            </OwnOrHospital>
          ))}
          <Switch
            className={classes.wide}
            label={t.service.fields.requiresApproval}
            description={t.service.hints.requiresApproval}
            disabled={readOnly}
            {...form.getInputProps('requiresApproval', { type: 'checkbox' })}
          />
          <div className={classes.wide}>
            <Text size="sm" fw={500}>
              {t.service.hours}
            </Text>
            <Text size="sm" className="tabular">
              {service && hoursText(t, service.schedule, hospitalToday()).join(' · ')}
              {original &&
                t.service.hoursCopied(hoursText(t, original.schedule, hospitalToday()).join(' · '))}
              {!hours && t.service.hoursAfter}
            </Text>
            {service && can('SERVICE_SCHEDULE.SHOW') && (
              <TextLink
                to="/app/serviceSchedule"
                search={{ service: service.id, panel: 'hours' as const }}
                size="sm"
              >
                {t.service.editHours}
              </TextLink>
            )}
          </div>
        </Section>
        {staff.known && (
          <Section title={t.service.sections.staff}>
            <MultiSelect
              {...text('staffIds')}
              label={undefined}
              aria-label={t.service.fields.staffIds}
              className={classes.wide}
              description={t.service.hints.staff}
              placeholder={readOnly || form.values.staffIds.length > 0 ? undefined : t.service.chooseStaff}
              data={staff.choices(form.values.staffIds)}
              searchable={!readOnly}
              clearable={!readOnly}
              nothingFoundMessage={t.service.nobodyFound}
              maxDropdownHeight={240}
              hidePickedOptions
            />
          </Section>
        )}
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

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h4" mb="xs">
        {title}
      </Title>
      <div className={classes.grid}>{children}</div>
    </section>
  );
}

/** The colour as appointments wear it. */
function Sample({ color, name }: { color: string; name: string }) {
  const t = useT();
  return (
    <Text size="xs" c="dimmed" mt={6} component="div">
      {t.service.sample}{' '}
      <span className={classes.sample} style={{ background: color, color: inkOn(color) }}>
        09:30 {name || t.service.fields.name}
      </span>
    </Text>
  );
}

interface OwnOrHospitalProps {
  field: HospitalRule;
  value: ServiceValues[HospitalRule];
  hospital?: number;
  readOnly: boolean;
  onChange: (value: ServiceValues[HospitalRule]) => void;
  children: ReactNode;
}

/** A rule of the service's own, or the hospital's, whatever that will be. */
function OwnOrHospital({ field, value, hospital, readOnly, onChange, children }: OwnOrHospitalProps) {
  const t = useT();
  const amount = field === 'bookingWindowDays' ? t.service.days : t.service.minutes;
  const start = hospital ?? BOUNDS[field][0];
  return (
    <div className={classes.rule}>
      {value === null ? (
        <Text size="sm" fw={500}>
          {t.service.fields[field]}
        </Text>
      ) : (
        children
      )}
      <Checkbox
        mt={6}
        aria-label={t.service.asHospitalFor(t.service.fields[field])}
        label={hospital === undefined ? t.service.asHospital : t.service.asHospitalOf(amount(hospital))}
        disabled={readOnly}
        checked={value === null}
        onChange={({ currentTarget: { checked } }) => onChange(checked ? null : start)}
      />
      {field === 'cancelCutoffMinutes' && (
        <Text size="xs" c="dimmed">
          {t.service.hints[field]}
        </Text>
      )}
    </div>
  );
}

/** Those who can be assigned, as far as the viewer may know them. */
function useStaff(t: Messages) {
  const known = useCan()('USER.SHOW', 'APPOINTMENT.SHOW', 'AUDIT.SHOW');
  const { data: users = [] } = useQuery({ ...staffQuery, enabled: known });
  const nameOf = (id: string) =>
    users.find((user) => String(user.id) === id)?.name ?? t.service.staffNumbered(id);
  return {
    known,
    nameOf,
    /** Those already chosen are there whether they are still active or not. */
    choices: (chosen: string[]) =>
      [...new Set([...users.map(({ id }) => String(id)), ...chosen])].map((value) => ({
        value,
        label: nameOf(value),
      })),
  };
}
