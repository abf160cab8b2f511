import { Autocomplete, Switch, Text, Textarea, TextInput } from '@mantine/core';
import type { Service } from '@/entities/service/api';
import { useT } from '@/i18n/provider';
import { inkOn } from '@/lib/colour';
import { ColourField } from '@/ui/colour-field';
import { DESCRIPTION_BELOW } from '@/ui/input-order';
import { Section, type SectionProps, textProps } from './section-parts';
import classes from './service.module.css';
import { COLOURS } from './service-values';

/** Names, location, colour and texts of the service. */
export function GeneralSection({ services, ...props }: SectionProps & { services: Service[] }) {
  const t = useT();
  const { form, readOnly } = props;
  const text = (field: keyof typeof t.service.fields) => textProps(t, props, field);
  const departments = [...new Set(services.map(({ department }) => department))].filter(
    (name) => name !== '',
  );
  return (
    <Section title={t.service.sections.general}>
      <TextInput {...text('name')} required maxLength={120} data-autofocus />
      <TextInput {...text('nameEn')} maxLength={120} />
      <TextInput
        {...text('code')}
        required
        description={readOnly ? undefined : t.service.hints.code}
        inputWrapperOrder={DESCRIPTION_BELOW}
        maxLength={20}
        autoCapitalize="characters"
        spellCheck={false}
      />
      <Autocomplete {...text('department')} data={departments} maxLength={120} />
      <TextInput {...text('location')} className={classes.wide} maxLength={200} />
      <div className={classes.wide}>
        {readOnly ? (
          <Sample color={form.values.color} name={form.values.name} />
        ) : (
          <>
            <ColourField
              name={t.service.colourName}
              value={form.values.color}
              swatches={COLOURS}
              onChange={(color) => form.setFieldValue('color', color)}
            />
            <Sample color={form.values.color} name={form.values.name} />
          </>
        )}
      </div>
      <Textarea {...text('description')} className={classes.wide} autosize minRows={2} maxLength={2000} />
      <Textarea
        {...text('instructions')}
        className={classes.wide}
        description={readOnly ? undefined : t.service.hints.instructions}
        autosize
        minRows={2}
        maxLength={2000}
      />
      <Switch
        className={classes.wide}
        label={t.service.fields.active}
        description={t.service.hints.active}
        disabled={readOnly}
        {...form.getInputProps('active', { type: 'checkbox' })}
      />
    </Section>
  );
}

/** The colour as shown on appointments. */
function Sample({ color, name }: { color: string; name: string }) {
  const t = useT();
  return (
    <Text size="xs" c="dimmed" mt={6} component="div">
      {t.service.sample}{' '}
      <span className={classes.sample} style={{ background: color, color: inkOn(color) }}>
        09:30 {name || t.service.fields.name}
      </span>
    </Text>
  );
}
