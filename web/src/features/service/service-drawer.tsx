import { Drawer, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Service } from '@/entities/service/api';
import { useT } from '@/i18n/provider';
import { closeOnEscape } from '@/ui/close-on-escape';
import { useLast } from '@/ui/use-last';
import type { HospitalRules } from './booking-section';
import { ServiceForm } from './service-form';

const route = getRouteApi('/_signed-in/app/global-config');

/** The service in the address, a new one, or a copy, beside the list. */
export function ServiceDrawer({ services, rules }: { services: Service[]; rules?: HospitalRules }) {
  const t = useT();
  const search = route.useSearch();
  const opened = search.service !== undefined;
  const { service: requested, copy } = useLast(opened ? search : null) ?? search;
  const navigate = route.useNavigate();
  const close = () => void navigate({ search: ({ service: _, copy: __, ...search }) => search });
  const service = services.find(({ id }) => id === requested);
  const original = requested === 'new' ? services.find(({ id }) => id === copy) : undefined;
  return (
    <Drawer
      opened={opened}
      onClose={close}
      closeOnEscape={false}
      onKeyDown={closeOnEscape(close)}
      position="right"
      size="xl"
      padding="md"
      title={
        service
          ? t.service.editNamed(service.name)
          : original
            ? t.service.copyNamed(original.name)
            : t.service.add
      }
    >
      {/* Prevents a second save while the drawer closes. */}
      <div inert={!opened}>
        {requested === 'new' && (
          <ServiceForm
            key={`new ${copy}`}
            original={original}
            services={services}
            rules={rules}
            onDone={close}
          />
        )}
        {service && (
          <ServiceForm key={service.id} service={service} services={services} rules={rules} onDone={close} />
        )}
        {typeof requested === 'number' && !service && <Text size="sm">{t.service.gone}</Text>}
      </div>
    </Drawer>
  );
}
