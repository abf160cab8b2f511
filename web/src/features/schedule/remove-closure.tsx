import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { allServicesQuery } from '@/entities/service/api';
import { useLanguage, useT } from '@/i18n/provider';
import { Confirm } from '@/ui/confirm';
import { showDone } from '@/ui/toast';
import type { Dialog } from '@/ui/use-dialog';
import { type Closure, deleteClosure, scheduleKeys } from './api';
import { closureScope, closureWhen } from './closure-text';

/** Asks before closed days open again. */
export function RemoveClosure({ dialog }: { dialog: Dialog<Closure> }) {
  const t = useT();
  const { language } = useLanguage();
  const queryClient = useQueryClient();
  const { data: services = [] } = useQuery(allServicesQuery);
  const { subject: closure } = dialog;
  return (
    <Confirm
      opened={dialog.opened}
      onClose={dialog.close}
      title={t.schedule.closure.removeTitle}
      confirmLabel={t.schedule.closure.remove}
      danger
      onConfirm={async () => {
        if (!closure) return;
        await deleteClosure(closure.id);
        showDone(t.schedule.closure.removed(closure.reason));
        await queryClient.invalidateQueries({ queryKey: scheduleKeys.all });
      }}
    >
      {closure && (
        <Text size="sm">
          {t.schedule.closure.removeText(
            closure.reason,
            closureWhen(t, language, closure),
            closureScope(t, language, closure, services),
          )}
        </Text>
      )}
    </Confirm>
  );
}
