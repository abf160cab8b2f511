import { PhoneInput } from '@/entities/patient/phone-input';
import { useT } from '@/i18n/provider';
import { FormSection } from './form-section';
import { SuggestField, TextField } from './plain-inputs';

/** The emergency contact. */
export function PersonSection() {
  const t = useT();
  return (
    <FormSection name="person">
      <TextField field="contactName" />
      <SuggestField field="contactRelation" data={t.patient.relations} />
      <PhoneInput field="contactPhone" />
    </FormSection>
  );
}
