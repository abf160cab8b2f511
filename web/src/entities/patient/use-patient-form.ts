import { useT } from '@/i18n/provider';
import { hospitalToday } from '@/lib/thai-date';
import { useLiveForm } from '@/ui/use-live-form';
import type { PatientForm } from './patient-form-context';
import { patientRules, patientSchema } from './patient-rules';
import type { PatientValues } from './patient-values';

export function useNewPatientForm(initial: PatientValues): PatientForm {
  const t = useT();
  return useLiveForm<PatientValues>(initial, patientSchema(t), patientRules(t, hospitalToday()));
}
