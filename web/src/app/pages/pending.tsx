import { Center, Loader } from '@mantine/core';
import { useT } from '@/i18n/provider';

export function Pending() {
  const t = useT();
  return (
    <Center mih="40dvh">
      <Loader role="status" aria-label={t.app.loading} />
    </Center>
  );
}
