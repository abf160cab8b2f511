import { Button, Card, Group, Text } from '@mantine/core';
import { appointmentText, seatText } from '@/entities/appointment/appointment-text';
import { BookingError } from '@/entities/appointment/booking-error';
import { useServiceName } from '@/entities/service/service-name';
import { useLanguage, useT } from '@/i18n/provider';
import factList from '@/ui/facts.module.css';
import layout from '@/ui/layout.module.css';
import type { EditContext } from './use-edit-form';

/** What will change, what speaks against it, and the button that saves. */
export function SaveSection({ edit }: { edit: EditContext }) {
  const t = useT();
  const { language } = useLanguage();
  const nameOf = useServiceName();
  const words = t.appointment.edit;
  const { base, current, service, moves, changed, pending } = edit;
  return (
    <Card withBorder padding="md" component="section" aria-label={words.save}>
      <div className={layout.stack}>
        {moves && edit.seat && (
          <div>
            <Text size="sm" fw={600}>
              {words.willMove}
            </Text>
            <dl className={`tabular ${factList.fromTo}`}>
              <dt>{words.from}</dt>
              <dd>{appointmentText(t, language, nameOf, base)}</dd>
              <dt>{words.to}</dt>
              <dd>
                {service && nameOf(service)} {seatText(t, language, current)}
              </dd>
            </dl>
          </div>
        )}
        <BookingError
          error={edit.error}
          onTake={({ date, startTime }) => {
            edit.setTime(date, startTime);
            edit.slots.show(null);
          }}
        />
        {edit.outdated && !pending && (
          <Text size="sm" role="status">
            {t.saveBar.outdated}
          </Text>
        )}
        <Group gap="xs" justify="flex-end">
          {changed.length === 0 ? (
            <Text size="sm" c="dimmed">
              {words.unchanged}
            </Text>
          ) : (
            <Button variant="default" onClick={edit.discard}>
              {words.discard}
            </Button>
          )}
          <Button type="submit" loading={pending} disabled={changed.length === 0}>
            {moves ? words.move : words.save}
          </Button>
        </Group>
      </div>
    </Card>
  );
}
