import { z } from 'zod';
import type { Messages } from '@/i18n/th';
import { isIsoDate } from '@/lib/thai-date';
import { RESULT_TYPES } from './api';
import { isCode } from './icd10';

const MAX_CODES = 20;
const MAX_TEXT = 4000;

/** The values of a new result. The form checks that there is a diagnosis or a file. */
export function resultSchema(t: Messages) {
  const text = z.string().refine((value) => [...value].length <= MAX_TEXT, t.result.tooLong);
  return z.object({
    type: z.enum(RESULT_TYPES),
    diagnosis: text,
    icd10: z.array(z.string()).superRefine((codes, context) => {
      const wrong = codes.find((code) => !isCode(code));
      const message =
        wrong !== undefined
          ? t.result.icd10Wrong(wrong)
          : codes.length > MAX_CODES
            ? t.result.icd10Many
            : null;
      if (message) context.addIssue({ code: 'custom', message });
    }),
    advice: text,
    followUpDate: z.string().refine(isIsoDate).nullable(),
  });
}

export type ResultValues = z.infer<ReturnType<typeof resultSchema>>;

export const EMPTY_RESULT: ResultValues = {
  type: 'DIAGNOSIS',
  diagnosis: '',
  icd10: [],
  advice: '',
  followUpDate: null,
};
