import { Alert, Button, Card, Group, NativeSelect, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { IconCalendarOff, IconClockEdit, IconInfoCircle, IconStethoscope } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { allServicesQuery, type Service } from '@/entities/service/api';
import { serviceName } from '@/entities/service/service-name';
import { useCan, useMayMoveClosed } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { addDays, firstOfWeek, formatDateRange } from '@/lib/thai-date';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import { LinkButton } from '@/ui/link-button';
import print from '@/ui/print.module.css';
import { PrintButton } from '@/ui/print-button';
import { TabRow } from '@/ui/tab-row';
import { ThaiDateInput } from '@/ui/thai-date-input';
import { Turner } from '@/ui/turner';
import { useDialog } from '@/ui/use-dialog';
import { useToday } from '@/ui/use-today';
import { ClosureDialog } from './closure-form';
import type { ClosureDraft } from './closure-values';
import { HolidayCalendar } from './holidays';
import { HoursDrawer } from './hours-drawer';
import { MoveAll } from './move-all';
import classes from './schedule-page.module.css';
import { WeekView } from './week-view';

const route = getRouteApi('/_signed-in/app/serviceSchedule');
const VIEWS = ['week', 'closures'] as const;

/** When each service is open, how full it is, and when it is closed. Service, week and view are in the address. */
export function SchedulePage() {
  const t = useT();
  const today = useToday();
  const { view, service: asked, date = today } = route.useSearch();
  const navigate = route.useNavigate();
  const mayChange = useCan()('SERVICE_SCHEDULE.UPDATE');
  const mayMove = useMayMoveClosed();
  // Including inactive ones: they may still have bookings.
  const services = useQuery(allServicesQuery);
  const service =
    asked === undefined
      ? (services.data?.find(({ active }) => active) ?? services.data?.[0])
      : services.data?.find(({ id }) => id === asked);
  return (
    <Card withBorder padding="md" className={print.sheet}>
      {!services.data && services.error && <ErrorAlert error={services.error} onRetry={services.refetch} />}
      {!services.data && !services.error && <Skeleton h={480} role="status" aria-label={t.app.loading} />}
      {services.data?.length === 0 && <NoServices />}
      {services.data && services.data.length > 0 && (
        <Tabs
          value={view}
          keepMounted={false}
          onChange={(next) =>
            void navigate({ search: (search) => ({ ...search, view: VIEWS.find((name) => name === next) }) })
          }
        >
          <TabRow mb="sm" label={t.schedule.views} tabs={VIEWS} words={t.schedule.view} />
          <Tabs.Panel value="week">
            <Stack gap="sm">
              <Toolbar services={services.data} service={service} date={date} />
              {service && !service.active && (
                <Alert color="yellow" variant="light" p="xs" icon={<IconInfoCircle aria-hidden />}>
                  <Text size="sm">{t.schedule.inactiveHint}</Text>
                </Alert>
              )}
              {service ? (
                <WeekView service={service} date={date} />
              ) : (
                <EmptyState icon={IconCalendarOff} title={t.schedule.serviceGone}>
                  {t.schedule.serviceGoneHint}
                </EmptyState>
              )}
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="closures">
            <HolidayCalendar
              date={date}
              onDate={(day) => void navigate({ search: (search) => ({ ...search, date: day }) })}
            />
          </Tabs.Panel>
        </Tabs>
      )}
      {service && mayChange && <HoursDrawer service={service} />}
      {mayMove && <MoveAll />}
    </Card>
  );
}

function NoServices() {
  const t = useT();
  const can = useCan();
  const mayAdd = can('SERVICE_CONFIG.CREATE') && can('SIDEBAR.GLOBAL_CONFIG');
  return (
    <EmptyState
      icon={IconStethoscope}
      title={t.schedule.noServices}
      action={
        mayAdd && (
          <LinkButton to="/app/global-config" search={{ tab: 'services' }}>
            {t.schedule.addService}
          </LinkButton>
        )
      }
    >
      {mayAdd ? t.schedule.noServicesHint : t.schedule.noServicesAsk}
    </EmptyState>
  );
}

interface ToolbarProps {
  services: Service[];
  service: Service | undefined;
  date: string;
}

function Toolbar({ services, service, date }: ToolbarProps) {
  const t = useT();
  const { language } = useLanguage();
  const can = useCan();
  const navigate = route.useNavigate();
  const closing = useDialog<ClosureDraft>();
  const go = (part: { service?: number; date?: string; panel?: 'hours'; move?: number }) =>
    void navigate({ search: (search) => ({ ...search, ...part }) });
  const move = (closureId: number) => go({ move: closureId });
  const first = firstOfWeek(date);
  const range = formatDateRange(first, addDays(first, 6), language);
  const label = (one: Service) =>
    one.active ? serviceName(one, language) : t.schedule.inactive(serviceName(one, language));
  return (
    <>
      <div className={`${classes.toolbar} ${print.screen}`}>
        <NativeSelect
          className={classes.service}
          label={t.schedule.service}
          value={service ? String(service.id) : ''}
          onChange={({ currentTarget: { value } }) => go({ service: Number(value) })}
        >
          {!service && <option value="">{t.schedule.chooseService}</option>}
          {services.map((one) => (
            <option key={one.id} value={String(one.id)}>
              {label(one)}
            </option>
          ))}
        </NativeSelect>
        <ThaiDateInput
          className={classes.jump}
          label={t.schedule.jump}
          value={date}
          onChange={(day) => day && go({ date: day })}
        />
        {can('SERVICE_SCHEDULE.UPDATE') && service && (
          <Group gap="xs" className={classes.actions}>
            <Button
              variant="default"
              leftSection={<IconClockEdit size={16} aria-hidden />}
              onClick={() => go({ panel: 'hours' })}
            >
              {t.schedule.hours}
            </Button>
            <Button
              variant="default"
              leftSection={<IconCalendarOff size={16} aria-hidden />}
              onClick={() => closing.open({ dateFrom: date, dateTo: date, serviceId: service.id })}
            >
              {t.schedule.closeDays}
            </Button>
          </Group>
        )}
      </div>
      <Group gap="xs">
        <Turner
          previous={t.schedule.previousWeek}
          next={t.schedule.nextWeek}
          onTurn={(step) => go({ date: addDays(date, 7 * step) })}
        >
          <Button variant="default" onClick={() => go({ date: undefined })}>
            {t.schedule.today}
          </Button>
        </Turner>
        <Text fw={600} role="status" flex="1 1 auto">
          {service && <span className={print.printedInline}>{serviceName(service, language)} · </span>}
          {t.schedule.week(range)}
        </Text>
        <PrintButton variant="subtle">{t.schedule.print}</PrintButton>
      </Group>
      <ClosureDialog dialog={closing} onMove={move} />
    </>
  );
}
