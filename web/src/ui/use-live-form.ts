import { schemaResolver, type UseFormReturnType, useForm } from '@mantine/form';
import type { ZodType } from 'zod';

type Faults<Values> = { [Field in keyof Values]?: string | null };

/**
 * A form that shows an error on blur and then validates with each change until it is fixed. Server errors are cleared
 * by the next change. `across` holds rules over several fields; they run even if the schema fails, so that all errors
 * show at once.
 */
export function useLiveForm<Values extends Record<string, unknown>>(
  initialValues: Values,
  schema: ZodType<unknown, Values>,
  across?: (values: Values) => Faults<Values>,
): UseFormReturnType<Values> {
  const bySchema = schemaResolver(schema, { sync: true });
  const form = useForm<Values>({
    mode: 'controlled',
    initialValues,
    validate: (values: Values) => ({ ...across?.(values), ...bySchema(values) }),
    // A field with an error is not validated on blur: that would clear server errors, which the schema does not know,
    // and the layout would shift under the pointer.
    enhanceGetInputProps: ({ field, form: { errors, validateField } }) => ({
      onBlur: () => {
        if (!errors[field]) validateField(field);
      },
    }),
    clearInputErrorOnChange: false,
    onValuesChange: () => {
      for (const field of Object.keys(form.errors)) form.validateField(field);
    },
  }) as UseFormReturnType<Values>;
  return form;
}
