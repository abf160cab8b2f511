import {
  Button,
  Card,
  Group,
  Progress,
  SegmentedControl,
  TagsInput,
  Text,
  Textarea,
  Title,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type AppointmentDetails, appointmentKeys } from '@/entities/appointment/api';
import { useLanguage, useT } from '@/i18n/provider';
import { isAbort } from '@/ui/download';
import { ErrorAlert } from '@/ui/error-alert';
import { showDone, showNotice } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { RESULT_TYPES, recordResult, resultKeys } from './api';
import { FileField } from './file-field';
import { FollowUpField } from './follow-up-field';
import { cleanCodes, findCodes, useIcd10Names } from './icd10';
import classes from './result.module.css';
import { EMPTY_RESULT, type ResultValues, resultSchema } from './result-values';

/** Records a result. Typed text and the file stay until the server has stored them. */
export function ResultForm({ visit }: { visit: AppointmentDetails }) {
  const t = useT();
  const { language } = useLanguage();
  const queryClient = useQueryClient();
  const names = useIcd10Names();
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);
  const form = useLiveForm<ResultValues>(EMPTY_RESULT, resultSchema(t), ({ diagnosis }) => ({
    diagnosis: !file && diagnosis.trim() === '' ? t.result.diagnosisNeeded : null,
  }));
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: (values) => {
      const control = new AbortController();
      running.current = control;
      setShare(file ? 0 : null);
      return recordResult(
        visit.id,
        { ...values, diagnosis: values.diagnosis.trim(), advice: values.advice.trim() },
        { file, signal: control.signal, onProgress: setShare },
      ).finally(() => {
        running.current = null;
        setShare(null);
      });
    },
    onSuccess: () => {
      form.setValues({ ...EMPTY_RESULT });
      form.setErrors({});
      form.resetDirty({ ...EMPTY_RESULT });
      setFile(null);
      showDone(t.result.saved);
      void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
      void queryClient.invalidateQueries({ queryKey: resultKeys.all });
    },
    onError: (failure) => {
      if (!isAbort(failure)) return false;
      showNotice(t.result.cancelled);
      return true;
    },
  });
  const nameOf = (code: string) => {
    const known = names.find(([one]) => one === code);
    return known ? known[language === 'en' ? 2 : 1] : '';
  };
  const icd10 = form.getInputProps('icd10');
  return (
    <Card withBorder padding="md" component="section" aria-label={t.result.heading}>
      <UnsavedGuard unsaved={() => pending || file !== null || form.isDirty()} />
      <Title order={2} className={classes.heading}>
        {t.result.heading}
      </Title>
      <form noValidate onSubmit={onSubmit} className={classes.form} aria-label={t.result.heading}>
        <SegmentedControl
          className={classes.types}
          aria-label={t.result.type}
          disabled={pending}
          data={RESULT_TYPES.map((value) => ({ value, label: t.result.types[value] }))}
          value={form.values.type}
          onChange={(value) => form.setFieldValue('type', value)}
        />
        <Textarea
          label={t.result.diagnosis}
          autosize
          minRows={2}
          maxRows={10}
          readOnly={pending}
          {...form.getInputProps('diagnosis')}
        />
        <TagsInput
          label={t.result.icd10}
          description={t.result.icd10Hint}
          readOnly={pending}
          data={names.map(([code]) => code)}
          filter={({ search }) => findCodes(names, search).map(([code]) => ({ value: code, label: code }))}
          renderOption={({ option }) => (
            <div>
              <Text span size="sm" fw={600} className="tabular">
                {option.value}
              </Text>{' '}
              <Text span size="sm">
                {nameOf(option.value)}
              </Text>
            </div>
          )}
          splitChars={[',', ' ']}
          acceptValueOnBlur
          {...icd10}
          onChange={(codes) => {
            form.setFieldValue('icd10', cleanCodes(codes));
            form.validateField('icd10');
          }}
        />
        {form.values.icd10.some(nameOf) && (
          <Text size="xs" c="dimmed">
            {form.values.icd10
              .filter(nameOf)
              .map((code) => `${code} ${nameOf(code)}`)
              .join(' · ')}
          </Text>
        )}
        <Textarea
          label={t.result.advice}
          autosize
          minRows={2}
          maxRows={8}
          readOnly={pending}
          {...form.getInputProps('advice')}
        />
        <FollowUpField
          visit={visit}
          value={form.values.followUpDate}
          error={form.errors.followUpDate}
          onChange={(date) => form.setFieldValue('followUpDate', date)}
        />
        <FileField
          file={file}
          disabled={pending}
          onChange={(chosen) => {
            setFile(chosen);
            if (chosen) form.clearFieldError('diagnosis');
          }}
        />
        {share !== null && (
          <div>
            <Progress value={share * 100} aria-label={t.result.progress} />
            <Text size="xs" role="status">
              {share < 1 ? t.result.uploading(Math.round(share * 100)) : t.result.checking}
            </Text>
          </div>
        )}
        {error !== null && (
          <div className={classes.stack}>
            <ErrorAlert error={error} />
            <Text size="sm">{t.result.kept}</Text>
          </div>
        )}
        <Group gap="xs" justify="flex-end">
          {share !== null && (
            <Button variant="default" onClick={() => running.current?.abort()}>
              {t.result.cancelUpload}
            </Button>
          )}
          <Button type="submit" loading={pending}>
            {error === null ? t.result.save : t.result.retry}
          </Button>
        </Group>
      </form>
    </Card>
  );
}
