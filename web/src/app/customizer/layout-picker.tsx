import { Fieldset, SimpleGrid, UnstyledButton } from '@mantine/core';
import { LAYOUT_STYLES, layoutStyle, useSettings, withLayoutStyle } from '@/app/settings';
import { useT } from '@/i18n/provider';
import classes from './customizer.module.css';

export function LayoutPicker() {
  const t = useT();
  const { settings, change } = useSettings();
  const chosen = layoutStyle(settings);
  return (
    <Fieldset legend={t.settings.layout} variant="unstyled">
      <SimpleGrid cols={2} spacing="xs" mt={4}>
        {LAYOUT_STYLES.map((style) => (
          <UnstyledButton
            key={style}
            className={classes.layout}
            aria-pressed={style === chosen}
            onClick={() => change(withLayoutStyle(style))}
          >
            <span className={classes.sketch} data-style={style} aria-hidden />
            {t.settings.layouts[style]}
          </UnstyledButton>
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}
