import { Button, Checkbox, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError, currentOf } from '@/api/error';
import { useCan } from '@/app/session';
import { useLanguage, useT } from '@/i18n/provider';
import { formatDateTime } from '@/lib/thai-date';
import { ErrorAlert } from '@/ui/error-alert';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { type Customer, createCustomer, customerKeys, updateCustomer } from './api';
import classes from './customer.module.css';
import { CustomerConflict } from './customer-conflict';
import {
  bothChanged,
  type CustomerValues,
  changeOf,
  customerSchema,
  EMPTY_CUSTOMER,
  inputOf,
  valuesOf,
} from './customer-values';
import { LinkedPatients, type PatientPickerType } from './linked-patients';

interface CustomerFormProps {
  /** None for a new one. */
  customer?: Customer;
  PatientPicker: PatientPickerType;
  /** After saving, or to leave without. */
  onDone: () => void;
}

/**
 * Adds or changes a customer. Only changed fields are sent. When somebody else saved in the meantime, each field that
 * both changed is asked about; where there is none, it is saved on top of theirs without a question.
 */
export function CustomerForm({ customer, PatientPicker, onDone }: CustomerFormProps) {
  const t = useT();
  const { language } = useLanguage();
  const readOnly = !useCan()(customer ? 'CUSTOMER.UPDATE' : 'CUSTOMER.CREATE');
  const queryClient = useQueryClient();
  /** The record that the form's changes are counted from. */
  const base = useRef(customer);
  const saved = useRef(false);
  const [conflict, setConflict] = useState<{ before: Customer; current: Customer } | null>(null);
  const initial = customer ? valuesOf(customer) : EMPTY_CUSTOMER;
  const form = useLiveForm<CustomerValues>(initial, customerSchema(t));

  const save = async (values: CustomerValues): Promise<Customer> => {
    if (!base.current) return createCustomer(inputOf(values));
    const change = changeOf(t, base.current, values);
    if (!change) return base.current;
    try {
      return await updateCustomer(change);
    } catch (failure) {
      const theirs = currentOf<Customer>(failure);
      if (!theirs || bothChanged(t, base.current, values, theirs).length > 0) throw failure;
      return updateCustomer({ ...change, version: theirs.version });
    }
  };
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: save,
    onSuccess: (changed) => {
      showDone(
        changed === base.current
          ? t.customer.unchanged
          : customer
            ? t.customer.saved(changed.name)
            : t.customer.created(changed.name),
      );
      saved.current = true;
      queryClient.setQueryData(customerKeys.one(changed.id), changed);
      void queryClient.invalidateQueries({ queryKey: customerKeys.all });
      onDone();
    },
    onError: (failure) => {
      const current = currentOf<Customer>(failure);
      if (current && base.current) setConflict({ before: base.current, current });
      const aboutLink = linkError(failure);
      if (aboutLink) form.setFieldError('patients', aboutLink);
      return current !== null || aboutLink !== undefined;
    },
  });
  const resolve = (values?: CustomerValues) => {
    if (!conflict) return;
    base.current = conflict.current;
    form.setInitialValues(valuesOf(conflict.current));
    form.setValues(values ?? valuesOf(conflict.current));
    form.clearErrors();
    setConflict(null);
    if (values) requestAnimationFrame(() => onSubmit());
  };
  const { consentAt, patients } = form.values;
  return (
    <form
      noValidate
      onSubmit={onSubmit}
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
            // Ticked again, it is the consent that was there before.
            form.setFieldValue('consentAt', checked ? initial.consentAt || new Date().toISOString() : '')
          }
        />
        <LinkedPatients
          PatientPicker={PatientPicker}
          links={patients}
          readOnly={readOnly}
          error={form.errors.patients}
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
        {error !== null && <ErrorAlert error={error} />}
        <div className={classes.buttons}>
          {!readOnly && (
            <Button type="submit" loading={pending}>
              {t.action.save}
            </Button>
          )}
          <Button variant="default" onClick={onDone}>
            {readOnly ? t.action.close : t.action.back}
          </Button>
        </div>
      </Stack>
      <CustomerConflict
        conflict={conflict}
        mine={form.values}
        onClose={() => setConflict(null)}
        onUseTheirs={() => resolve()}
        onSave={resolve}
      />
      <UnsavedGuard
        unsaved={() => !saved.current && form.isDirty()}
        leaves={(from, to) => customerIn(from) !== customerIn(to)}
      />
    </form>
  );
}

const customerIn = (search: { customer?: unknown }) => search.customer;

/** What the server says about one of the linked patients ("patients[0].patientId"). */
function linkError(failure: unknown): string | undefined {
  if (!(failure instanceof ApiError)) return undefined;
  return failure.fields.find(({ field }) => field.startsWith('patients'))?.message;
}
