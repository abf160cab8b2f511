import { Button, Group } from '@mantine/core';
import { IconDice5 } from '@tabler/icons-react';
import { useT } from '@/i18n/provider';
import { randomPassword } from '@/lib/random-password';
import { PasswordField } from '@/ui/password-field';

interface TemporaryPasswordProps {
  label: string;
  value?: string;
  onChange: (password: string) => void;
  error?: React.ReactNode;
  onBlur?: () => void;
  'data-path'?: string;
}

/** A password for another user. Visible, because it must be passed on. */
export function TemporaryPassword({ label, value, onChange, ...props }: TemporaryPasswordProps) {
  const t = useT();
  return (
    <Group gap="xs" align="flex-start">
      <PasswordField
        flex="1 1 14rem"
        label={label}
        description={t.password.nextHint}
        autoComplete="new-password"
        initiallyVisible
        {...props}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Button
        variant="default"
        mt={25}
        leftSection={<IconDice5 size={16} aria-hidden />}
        onClick={() => onChange(randomPassword())}
      >
        {t.user.generate}
      </Button>
    </Group>
  );
}
