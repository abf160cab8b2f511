import { Text } from '@mantine/core';
import classes from '@/entities/patient/patient-form.module.css';
import { useInput, usePatientForm } from '@/entities/patient/patient-form-context';
import { PhoneInput } from '@/entities/patient/phone-input';
import { useT } from '@/i18n/provider';
import { AddressFields, type AddressPart } from './address-fields';
import { FormSection } from './form-section';
import { TextField } from './plain-inputs';

/** Phone, e-mail and address. */
export function ContactSection() {
  const t = useT();
  const { form } = usePatientForm();
  const inputs: Record<AddressPart, ReturnType<typeof useInput>> = {
    subdistrict: useInput('address.subdistrict'),
    district: useInput('address.district'),
    province: useInput('address.province'),
    postalCode: useInput('address.postalCode'),
  };
  return (
    <FormSection name="contact">
      <PhoneInput field="phone" className={classes.s3} />
      <PhoneInput field="phone2" className={classes.s3} />
      <TextField field="email" type="email" className={classes.s3} maxLength={254} />
      <TextField field="lineUserId" className={classes.s3} />
      <TextField field="address.line" className={classes.s8} />
      <TextField field="address.moo" className={classes.s2} />
      <Text className={classes.wide} size="sm" c="dimmed">
        {t.patient.addressHint}
      </Text>
      <AddressFields
        input={(part) => ({
          ...inputs[part],
          className: classes.s3,
          label: t.patient.field[`address.${part}`],
          value: form.values.address[part],
          onChange: (text: string) => form.setFieldValue(`address.${part}`, text),
        })}
        onChoose={(chosen) => {
          form.setFieldValue('address', { ...form.getValues().address, ...chosen });
          form.clearFieldError('address.postalCode');
        }}
      />
    </FormSection>
  );
}
