import { Button, ColorInput, Fieldset, Group, Stack, UnstyledButton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useT } from '@/i18n/provider';
import { inkOn, isHexColour } from '@/lib/colour';
import classes from './colour-field.module.css';

interface ColourFieldProps {
  name: string;
  /** Null for the layout's colour. */
  value: string | null;
  swatches: string[];
  onChange: (colour: string) => void;
  onFollowLayout?: () => void;
}

export function ColourField({ name, value, swatches, onChange, onFollowLayout }: ColourFieldProps) {
  const t = useT();
  // The typed text; the setting only takes a complete colour.
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <Fieldset legend={name} variant="unstyled">
      <Stack gap="xs" mt={4}>
        <Group gap={6}>
          {onFollowLayout && (
            <Button
              size="compact-sm"
              variant={value === null ? 'light' : 'default'}
              aria-pressed={value === null}
              onClick={onFollowLayout}
            >
              {t.settings.byTheme}
            </Button>
          )}
          {swatches.map((colour) => (
            <UnstyledButton
              key={colour}
              className={classes.swatch}
              style={{ background: colour, color: inkOn(colour) }}
              aria-label={t.settings.swatch(name, colour)}
              aria-pressed={value === colour}
              onClick={() => onChange(colour)}
            >
              {value === colour && <IconCheck size={16} stroke={2.5} aria-hidden />}
            </UnstyledButton>
          ))}
        </Group>
        <ColorInput
          size="xs"
          aria-label={t.settings.custom(name)}
          placeholder="#0f766e"
          value={draft ?? value ?? ''}
          onChange={(text) => {
            setDraft(text);
            if (isHexColour(text)) onChange(text.toLowerCase());
          }}
          onBlur={() => setDraft(null)}
          withEyeDropper={false}
          popoverProps={{ withinPortal: true }}
        />
      </Stack>
    </Fieldset>
  );
}
