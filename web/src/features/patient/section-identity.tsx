import { Input, SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { BirthFields } from '@/entities/patient/birth-fields';
import { IdCardInput } from '@/entities/patient/id-card-input';
import { NameFields } from '@/entities/patient/name-fields';
import fields from '@/entities/patient/patient-form.module.css';
import { usePatientForm } from '@/entities/patient/patient-form-context';
import type { IdType } from '@/entities/patient/patient-values';
import { useT } from '@/i18n/provider';
import { usePhone } from '@/ui/use-phone';
import classes from './form.module.css';
import { FormSection } from './form-section';
import { SuggestField, TextField } from './plain-inputs';

const ID_TYPES: IdType[] = ['CID', 'PASSPORT', 'FOREIGN', 'NONE'];

/** Identity document, name, sex and birth date. `cardReader` is beside the kind of document. */
export function IdentitySection({ cardReader }: { cardReader?: ReactNode }) {
  const t = useT();
  const { form, patient } = usePatientForm();
  const phone = usePhone();
  const { idType, idCard, passportNo } = form.values;
  const hasCard = idType === 'CID' || idType === 'FOREIGN' || idCard !== '';
  const hasPassport = idType === 'PASSPORT' || idType === 'FOREIGN' || passportNo !== '';
  const setIdType = (next: IdType) => {
    form.setFieldValue('idType', next);
    form.clearFieldError('idCard');
    form.clearFieldError('passportNo');
  };
  return (
    <FormSection name="identity">
      <div className={`${fields.wide} ${classes.top}`}>
        <Input.Wrapper label={t.patient.field.idType} labelElement="div" labelProps={{ display: 'block' }}>
          <SegmentedControl
            aria-label={t.patient.field.idType}
            orientation={phone ? 'vertical' : 'horizontal'}
            value={idType}
            onChange={setIdType}
            data={ID_TYPES.map((value) => ({ value, label: t.patient.idTypes[value] }))}
          />
        </Input.Wrapper>
        {cardReader}
      </div>
      {hasCard && <IdCardInput required={idType === 'CID'} className={fields.s5} />}
      {hasPassport && <TextField field="passportNo" withAsterisk={idType === 'PASSPORT'} />}
      <TextField
        field="hn"
        hint={patient ? undefined : t.patient.hnHint}
        className={fields.s3}
        maxLength={20}
      />
      <div className={`${fields.wide} ${fields.grid}`}>
        <NameFields />
        <BirthFields />
      </div>
      <TextField field="firstNameEn" className={fields.s6} />
      <TextField field="lastNameEn" className={fields.s6} />
      <SuggestField field="nationality" data={t.patient.nationalities} className={fields.s3} />
      <SuggestField field="religion" data={t.patient.religions} className={fields.s3} />
      <SuggestField field="maritalStatus" data={t.patient.maritalStatuses} className={fields.s3} />
      <TextField field="occupation" className={fields.s3} />
    </FormSection>
  );
}
