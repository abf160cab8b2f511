import { ActionIcon, Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import fields from '@/entities/patient/patient-form.module.css';
import { useInput, usePatientForm } from '@/entities/patient/patient-form-context';
import { newAllergy } from '@/entities/patient/patient-values';
import { useT } from '@/i18n/provider';
import classes from './form.module.css';

/** The allergies of a patient, or that there are none; never both. */
export function AllergiesEditor() {
  const t = useT();
  const { form } = usePatientForm();
  const { allergies, noKnownAllergy } = form.values;
  const {
    value: _value,
    inputWrapperOrder: _order,
    ...none
  } = useInput('noKnownAllergy', t.patient.noKnownAllergyHint);
  const add = () => {
    form.setValues({ noKnownAllergy: false, allergies: [...form.getValues().allergies, newAllergy()] });
    const index = form.getValues().allergies.length - 1;
    requestAnimationFrame(() => form.getInputNode(`allergies.${index}.substance`)?.focus());
  };
  const remove = (index: number) => {
    form.removeListItem('allergies', index);
    requestAnimationFrame(() => document.getElementById(ADD_ID)?.focus());
  };
  return (
    <fieldset className={`${fields.wide} ${classes.bare}`} aria-label={t.patient.field.allergies}>
      <Switch
        {...none}
        label={t.patient.noKnownAllergy}
        checked={noKnownAllergy}
        disabled={allergies.length > 0}
        onChange={(event) => form.setFieldValue('noKnownAllergy', event.currentTarget.checked)}
      />
      {allergies.map(({ key }, index) => (
        <AllergyRow key={key} index={index} onRemove={() => remove(index)} />
      ))}
      {!noKnownAllergy && (
        <Button
          id={ADD_ID}
          mt="xs"
          variant="light"
          size="compact-md"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={add}
        >
          {t.patient.addAllergy}
        </Button>
      )}
    </fieldset>
  );
}

const ADD_ID = 'patient-add-allergy';

function AllergyRow({ index, onRemove }: { index: number; onRemove: () => void }) {
  const t = useT();
  const { form } = usePatientForm();
  const severities = Object.entries(t.patient.severities).map(([value, label]) => ({ value, label }));
  const substance = form.values.allergies[index]?.substance.trim();
  return (
    <fieldset className={`${classes.bare} ${classes.allergy}`} aria-label={t.patient.allergyOf(index + 1)}>
      <TextInput
        {...useInput(`allergies.${index}.substance`)}
        label={t.patient.substance}
        withAsterisk
        autoComplete="off"
      />
      <NativeSelect
        {...useInput(`allergies.${index}.severity`)}
        label={t.patient.severity}
        data={[{ value: '', label: t.patient.severityUnknown }, ...severities]}
      />
      <TextInput {...useInput(`allergies.${index}.reaction`)} label={t.patient.reaction} autoComplete="off" />
      <ActionIcon
        variant="subtle"
        color="red"
        c="var(--mantine-color-error)"
        size="lg"
        aria-label={t.patient.removeAllergy(substance || String(index + 1))}
        onClick={onRemove}
      >
        <IconTrash size={18} aria-hidden />
      </ActionIcon>
    </fieldset>
  );
}
