import { Alert, Stack, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useLanguage, useT } from '@/i18n/provider';
import { formatDateTime } from '@/lib/thai-date';
import { CopyField } from '@/ui/copy-field';
import type { ResetLink } from './api';

interface PasswordLinkProps {
  link: ResetLink;
  name: string;
  email: string;
}

/** The link to set a password: mailed, or shown to be handed over. */
export function PasswordLink({ link, name, email }: PasswordLinkProps) {
  const t = useT();
  const { language } = useLanguage();
  if (link.mailed || !link.link) {
    return (
      <Text size="sm" role="status">
        {t.user.linkMailed(email)}
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <Alert role="status" color="gray" icon={<IconInfoCircle aria-hidden />} p="sm">
        {t.user.linkHandOver(name)}
      </Alert>
      <CopyField label={t.user.link} value={link.link} />
      {link.expiresAt && (
        <Text size="sm" c="dimmed">
          {t.user.linkExpires} {formatDateTime(link.expiresAt, language)}
        </Text>
      )}
    </Stack>
  );
}
