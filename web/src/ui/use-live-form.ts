import { schemaResolver, type UseFormReturnType, useForm } from '@mantine/form';
import type { ZodType } from 'zod';

type Faults<Values> = { [Field in keyof Values]?: string | null };

/**
 * A form that tells a mistake when its input is left, and from then on follows the typing until it is mended. Errors of
 * the server are held the same way: they go as soon as the form is changed. `across` holds the rules that need more
 * than one field; they are asked whatever the schema says, so that all mistakes show at once.
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
    // A mistake that shows is not judged again when its input is left: it would go although nothing was mended (the server's
    // would, which our own rules know nothing of), and what is below would slip away under the pointer that left it.
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
