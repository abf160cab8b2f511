import { Autocomplete, Button, Radio, TextInput } from '@mantine/core';
import { IconScissors } from '@tabler/icons-react';
import { useT } from '@/i18n/provider';
import { PRENAMES, sexOfPrename, splitPrename } from '@/lib/thai-text';
import { SEXES } from './api';
import classes from './patient-form.module.css';
import { useInput, usePatientForm } from './patient-form-context';

/** Prename, names and sex. A prename that implies the sex fills in an empty one. */
export function NameFields() {
  const t = useT();
  const { form } = usePatientForm();
  const sex = useInput('sex');
  const setPrename = (prename: string) => {
    form.setFieldValue('prename', prename);
    const implied = sexOfPrename(prename);
    if (implied && form.getValues().sex === '') form.setFieldValue('sex', implied);
  };
  return (
    <>
      <Autocomplete
        {...useInput('prename')}
        className={classes.s2}
        label={t.patient.field.prename}
        withAsterisk
        autoComplete="off"
        data={Object.keys(PRENAMES)}
        maxDropdownHeight={260}
        onChange={setPrename}
      />
      <div className={classes.s5}>
        <TextInput
          {...useInput('firstName')}
          label={t.patient.field.firstName}
          withAsterisk
          autoComplete="off"
        />
        <SplitOffer onSplit={setPrename} />
      </div>
      <TextInput
        {...useInput('lastName')}
        className={classes.s5}
        label={t.patient.field.lastName}
        withAsterisk
        autoComplete="off"
      />
      <Radio.Group
        className={classes.wide}
        label={t.patient.field.sex}
        withAsterisk
        value={sex.value}
        error={sex.error}
        description={sex.description}
        inputWrapperOrder={sex.inputWrapperOrder}
        onChange={(value) => form.setFieldValue('sex', SEXES.find((known) => known === value) ?? '')}
      >
        <div className={classes.options}>
          {SEXES.map((value, index) => (
            <Radio
              key={value}
              value={value}
              label={t.patient.sexes[value]}
              data-path={index === 0 ? 'sex' : undefined}
            />
          ))}
        </div>
      </Radio.Group>
    </>
  );
}

/** Offers to split a first name such as "นายสมชาย" into prename and name. */
function SplitOffer({ onSplit }: { onSplit: (prename: string) => void }) {
  const t = useT();
  const { form } = usePatientForm();
  const { prename, rest } = splitPrename(form.values.firstName);
  const typed = form.values.prename.trim();
  if (prename === '' || (typed !== '' && typed !== prename)) return null;
  const split = () => {
    form.setFieldValue('firstName', rest);
    onSplit(prename);
    form.getInputNode('firstName')?.focus();
  };
  return (
    <Button
      variant="light"
      size="compact-sm"
      mt={6}
      leftSection={<IconScissors size={14} aria-hidden />}
      onClick={split}
    >
      {t.patient.splitPrename(prename, rest)}
    </Button>
  );
}
