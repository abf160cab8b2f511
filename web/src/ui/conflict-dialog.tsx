import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useT } from '@/i18n/provider';
import classes from './conflict-dialog.module.css';
import { useLast } from './use-last';

interface ConflictField {
  key: string;
  label: string;
  /** As shown in the form; empty for none. */
  mine: string;
  theirs: string;
}

export type Side = 'mine' | 'theirs';

interface ConflictDialogProps {
  opened: boolean;
  fields: ConflictField[];
  /** Returns to the form without a decision. */
  onClose: () => void;
  onUseTheirs: () => void;
  /** Saves again with the choice for each field. */
  onSave: (choice: Record<string, Side>) => void;
  /** Shown above the choices. */
  children?: ReactNode;
}

/** Another user has saved the record: shows both values of each field that both changed, to choose from. */
export function ConflictDialog({ opened, onClose, fields, children, ...actions }: ConflictDialogProps) {
  const t = useT();
  const content = useLast(opened ? { fields, children } : null);
  return (
    <Modal opened={opened} onClose={onClose} title={t.conflict.title} size="lg" centered>
      {/* Ignores clicks while the dialog closes. */}
      <div inert={!opened}>{content && <ConflictBody {...content} {...actions} />}</div>
    </Modal>
  );
}

function ConflictBody({
  fields,
  onUseTheirs,
  onSave,
  children,
}: Omit<ConflictDialogProps, 'opened' | 'onClose'>) {
  const t = useT();
  const [choice, setChoice] = useState<Record<string, Side>>(() =>
    Object.fromEntries(fields.map(({ key }) => [key, 'mine'])),
  );
  return (
    <Stack gap="md">
      <Text size="sm">{t.conflict.text}</Text>
      {children}
      {fields.map(({ key, label, mine, theirs }) => (
        <Radio.Group
          key={key}
          label={label}
          value={choice[key]}
          onChange={(side) => setChoice({ ...choice, [key]: side === 'mine' ? 'mine' : 'theirs' })}
        >
          <div className={classes.sides}>
            <Radio value="mine" label={<Value title={t.conflict.mine} value={mine} />} />
            <Radio value="theirs" label={<Value title={t.conflict.theirs} value={theirs} />} />
          </div>
        </Radio.Group>
      ))}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onUseTheirs}>
          {t.conflict.useTheirs}
        </Button>
        <Button onClick={() => onSave(choice)}>{t.conflict.saveChosen}</Button>
      </Group>
    </Stack>
  );
}

function Value({ title, value }: { title: string; value: string }) {
  return (
    <>
      <Text span size="xs" c="dimmed" display="block">
        {title}
      </Text>{' '}
      <Text span size="sm">
        {value || '–'}
      </Text>
    </>
  );
}
