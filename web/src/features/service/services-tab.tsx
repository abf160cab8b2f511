import { Skeleton, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleOff, IconPlus, IconStethoscope } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { allServicesQuery, type Service } from '@/entities/service/api';
import { useCan } from '@/entities/session/session';
import { settingQuery } from '@/entities/setting/api';
import { useLanguage, useT } from '@/i18n/provider';
import { hospitalToday } from '@/lib/thai-date';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import { LinkButton } from '@/ui/link-button';
import print from '@/ui/print.module.css';
import { SortableHint, SortableList } from '@/ui/sortable-list';
import { StatusBadge } from '@/ui/status-badge';
import { TextLink } from '@/ui/text-link';
import { DeleteService } from './delete-service';
import { DisplaysDialog } from './displays-dialog';
import { hoursText } from './hours';
import classes from './service.module.css';
import { ServiceDrawer } from './service-drawer';
import { ServiceMenu } from './service-menu';
import { type ServiceActions, useServiceActions } from './use-service-actions';

/** The services in the hospital's order. The open one is in the address. */
export function ServicesTab() {
  const t = useT();
  const can = useCan();
  // Where a service has no rule, the hospital's is shown to users who may read it.
  const { data: rules } = useQuery({ ...settingQuery, enabled: can('GLOBAL_SETTING.SHOW', 'BANNER.SHOW') });
  const { data: services, error, refetch } = useQuery(allServicesQuery);
  const actions = useServiceActions();
  if (!services && error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!services) return <Skeleton h={320} role="status" aria-label={t.app.loading} />;
  return (
    <Stack gap="sm">
      {error !== null && <ErrorAlert error={error} onRetry={refetch} />}
      {services.length === 0 ? (
        <EmptyState icon={IconStethoscope} title={t.service.none} action={<AddButton />}>
          {t.service.noneHint}
        </EmptyState>
      ) : (
        <>
          <div className={`${classes.toolbar} ${print.screen}`}>
            <Text size="sm" c="dimmed" className={classes.intro}>
              {can('SERVICE_CONFIG.UPDATE') ? (
                <>
                  {t.service.intro} <SortableHint />
                </>
              ) : (
                t.service.readOnly
              )}
            </Text>
            <AddButton />
          </div>
          <SortableList
            className={print.list}
            label={t.service.list}
            items={services}
            itemKey={({ id }) => id}
            nameOf={({ name }) => name}
            onMove={can('SERVICE_CONFIG.UPDATE') ? actions.move : undefined}
            render={(service) => <ServiceRow service={service} actions={actions} />}
          />
        </>
      )}
      <DisplaysDialog dialog={actions.displays} />
      <ServiceDrawer services={services} rules={rules} />
      <DeleteService dialog={actions.remove} onDeactivate={(service) => actions.setActive(service, false)} />
    </Stack>
  );
}

function AddButton() {
  const t = useT();
  if (!useCan()('SERVICE_CONFIG.CREATE')) return null;
  return (
    <LinkButton
      from="/app/global-config"
      to="."
      search={(search) => ({ ...search, service: 'new' as const })}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      {t.service.add}
    </LinkButton>
  );
}

function ServiceRow({ service, actions }: { service: Service; actions: ServiceActions }) {
  const t = useT();
  const { language } = useLanguage();
  const { id, code, name, nameEn, department, location, color, active } = service;
  const [first, second] = language === 'en' && nameEn ? [nameEn, name] : [name, nameEn];
  return (
    <div className={classes.row} data-inactive={!active || undefined}>
      <div className={classes.what}>
        <span className={classes.dot} style={{ background: color }} aria-hidden />
        <div className={classes.names}>
          <TextLink
            from="/app/global-config"
            to="."
            search={(search) => ({ ...search, service: id })}
            size="sm"
            fw={600}
          >
            {first}
          </TextLink>
          <div className={classes.dim}>
            <bdi className="tabular">{code}</bdi>
            {second && ` · ${second}`}
          </div>
        </div>
      </div>
      <div className={classes.where}>
        <div>{department}</div>
        <div className={classes.dim}>{location}</div>
      </div>
      <div className={`tabular ${classes.when}`}>
        {hoursText(t, service.schedule, hospitalToday()).map((line) => (
          <div key={line}>{line}</div>
        ))}
        <div className={classes.dim}>{t.service.seats(service.slotMinutes, service.defaultCapacity)}</div>
      </div>
      <div className={classes.state}>
        {active ? (
          <StatusBadge icon={IconCircleCheck} color="green">
            {t.service.active}
          </StatusBadge>
        ) : (
          <StatusBadge icon={IconCircleOff} color="gray">
            {t.service.inactive}
          </StatusBadge>
        )}
      </div>
      <div className={`${classes.menu} ${print.screen}`}>
        <ServiceMenu service={service} actions={actions} />
      </div>
    </div>
  );
}
