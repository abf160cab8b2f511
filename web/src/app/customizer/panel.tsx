import { Button, Fieldset, Stack, Switch, Text } from '@mantine/core';
import { IconRestore } from '@tabler/icons-react';
import { useSettings } from '@/app/settings';
import { useT } from '@/i18n/provider';
import { ColourField } from '@/ui/colour-field';
import { LayoutPicker } from './layout-picker';

const PRIMARY = ['#0f766e', '#1d4ed8', '#0369a1', '#6d28d9', '#be123c', '#b45309', '#3f6212', '#475569'];
const SIDEBAR = ['#ffffff', '#12303a', '#0f766e', '#1e3a5f', '#312e81', '#1f2937'];
const HEADER = ['#ffffff', '#12303a', '#0f766e', '#1e3a5f', '#312e81', '#1f2937'];

/** The content of the drawer. A separate module, loaded when the drawer is first opened. */
export default function Panel() {
  const t = useT();
  const { settings, change, reset } = useSettings();
  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed">
        {t.settings.hint}
      </Text>
      <LayoutPicker />
      <Fieldset legend={t.settings.display} variant="unstyled">
        <Stack gap="xs" mt={4}>
          <Switch
            label={t.settings.darkMode}
            checked={settings.dark}
            onChange={(event) => change({ dark: event.currentTarget.checked })}
          />
          <Switch
            label={t.settings.rtl}
            checked={settings.rtl}
            onChange={(event) => change({ rtl: event.currentTarget.checked })}
          />
        </Stack>
      </Fieldset>
      <ColourField
        name={t.settings.primary}
        value={settings.primary}
        swatches={PRIMARY}
        onChange={(primary) => change({ primary })}
      />
      <ColourField
        name={t.settings.sidebar}
        value={settings.sidebar}
        swatches={SIDEBAR}
        onChange={(sidebar) => change({ sidebar })}
        onFollowLayout={() => change({ sidebar: null })}
      />
      <ColourField
        name={t.settings.header}
        value={settings.header}
        swatches={HEADER}
        onChange={(header) => change({ header })}
        onFollowLayout={() => change({ header: null })}
      />
      <Button variant="default" leftSection={<IconRestore size={18} aria-hidden />} onClick={reset}>
        {t.settings.reset}
      </Button>
    </Stack>
  );
}
