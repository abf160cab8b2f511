import { Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { FormErrors } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { formatDateTime } from '@/lib/thai-date';
import foot from '@/ui/drawer-foot.module.css';
import { ErrorAlert } from '@/ui/error-alert';
import { RecordConflict } from '@/ui/record-conflict';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useRecordForm } from '@/ui/use-record-form';
import { type Customer, createCustomer, customerKeys, updateCustomer } from './api';
import { customerSchema, EMPTY_CUSTOMER, inputOf, textsOf, valuesOf } from './customer-values';
import { LinkedPatients } from './linked-patients';

interface CustomerFormProps {
  /** Undefined for a new customer. */
  customer?: Customer;
  /** Called after saving, or on cancel. */
  onDone: () => void;
}

/** Creates or changes a customer. */
export function CustomerForm({ customer, onDone }: CustomerFormProps) {
  const t = useT();
  const { language } = useLanguage();
  const readOnly = !useCan()(customer ? 'CUSTOMER.UPDATE' : 'CUSTOMER.CREATE');
  const queryClient = useQueryClient();
  const { form, start, ...record } = useRecordForm({
    record: customer ?? null,
    blank: EMPTY_CUSTOMER,
    valuesOf,
    textsOf: (values) => textsOf(t, values),
    inputOf,
    schema: customerSchema(t),
    create: (values) => createCustomer(inputOf(values)),
    update: (change, { id }) => updateCustomer({ id, ...change }),
    onSaved: (saved, fields) => {
      if (!customer) showDone(t.customer.created(saved.name));
      else showDone(fields.length > 0 ? t.customer.saved(saved.name) : t.customer.unchanged);
      queryClient.setQueryData(customerKeys.one(saved.id), saved);
      void queryClient.invalidateQueries({ queryKey: customerKeys.all });
      onDone();
    },
  });
  const { consentAt, patients } = form.values;
  const consentText = (at: string) => at && formatDateTime(at, language);
  const { name, phone, email, lineUserId, consent, note, patients: linked } = t.customer;
  const labels: Partial<Record<string, string>> = {
    name,
    phone,
    email,
    lineUserId,
    consentAt: consent,
    note,
    patients: linked,
  };
  return (
    <form
      noValidate
      onSubmit={record.onSubmit}
      aria-label={customer ? t.customer.editNamed(customer.name) : t.customer.add}
    >
      <Stack gap="sm">
        {readOnly && (
          <Text size="sm" c="dimmed">
            {t.customer.readOnly}
          </Text>
        )}
        <TextInput
          label={t.customer.name}
          required
          readOnly={readOnly}
          data-autofocus
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t.customer.phone}
          description={t.customer.phoneHint}
          required
          readOnly={readOnly}
          type="tel"
          inputMode="tel"
          maxLength={20}
          {...form.getInputProps('phone')}
        />
        <TextInput
          label={t.customer.email}
          readOnly={readOnly}
          type="email"
          maxLength={254}
          {...form.getInputProps('email')}
        />
        <TextInput
          label={t.customer.lineUserId}
          readOnly={readOnly}
          maxLength={100}
          {...form.getInputProps('lineUserId')}
        />
        <Checkbox
          label={t.customer.consent}
          disabled={readOnly}
          description={
            consentAt ? t.customer.consentAt(formatDateTime(consentAt, language)) : t.customer.noConsent
          }
          checked={consentAt !== ''}
          onChange={({ currentTarget: { checked } }) =>
            // Checking the box again restores the previous consent.
            form.setFieldValue('consentAt', checked ? start.consentAt || new Date().toISOString() : '')
          }
        />
        <LinkedPatients
          links={patients}
          readOnly={readOnly}
          error={linkError(form.errors)}
          onChange={(links) => form.setFieldValue('patients', links)}
        />
        <Textarea
          label={t.customer.note}
          readOnly={readOnly}
          autosize
          minRows={2}
          maxLength={2000}
          {...form.getInputProps('note')}
        />
        {record.error !== null && <ErrorAlert error={record.error} />}
        <Group gap="xs" className={foot.foot}>
          {!readOnly && (
            <Button type="submit" loading={record.pending}>
              {t.action.save}
            </Button>
          )}
          <Button variant="default" onClick={onDone}>
            {readOnly ? t.action.close : t.action.back}
          </Button>
        </Group>
      </Stack>
      <RecordConflict
        conflict={record.conflict}
        label={(field) => labels[field] ?? field}
        textsOf={(values) => ({ ...textsOf(t, values), consentAt: consentText(values.consentAt) })}
      />
      <UnsavedGuard unsaved={record.unsaved} leaves={(from, to) => customerIn(from) !== customerIn(to)} />
    </form>
  );
}

const customerIn = (search: { customer?: unknown }) => search.customer;

/** The error of the linked patients, or the server's error for one of them ("patients.0.patientId"). */
function linkError(errors: FormErrors): ReactNode {
  return Object.entries(errors).find(([path]) => path.split('.')[0] === 'patients')?.[1];
}
