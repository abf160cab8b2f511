import { Paper, Tabs } from '@mantine/core';
import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { NoAccess } from '@/entities/session/no-access';
import { isAllowed, type Requirement } from '@/entities/session/permissions';
import { usePermissions } from '@/entities/session/session';
import { OUTCOMES } from '@/features/audit/api';
import { AuditTab } from '@/features/audit/audit-tab';
import { HolidayCalendar } from '@/features/schedule/holidays';
import { ServicesTab } from '@/features/service/services-tab';
import { BannersTab } from '@/features/setting/banners-tab';
import { BookingTab } from '@/features/setting/booking-tab';
import { HospitalTab } from '@/features/setting/hospital-tab';
import { NumberingTab } from '@/features/setting/numbering-tab';
import { RemindersTab } from '@/features/setting/reminders-tab';
import { useT } from '@/i18n/provider';
import { either, oneOf, searchParams } from '@/lib/search-params';
import print from '@/ui/print.module.css';
import { PrintHeading } from '@/ui/print-heading';
import { TabRow } from '@/ui/tab-row';
import { dateParam, idParam, pageParam, pageSizeParam, textParam } from '@/ui/table-search';

const TABS = [
  'hospital',
  'booking',
  'services',
  'holidays',
  'banners',
  'reminders',
  'numbering',
  'audit',
] as const;
type Tab = (typeof TABS)[number];

const NEEDS: Record<Tab, Requirement> = {
  hospital: ['GLOBAL_SETTING.SHOW'],
  booking: ['GLOBAL_SETTING.SHOW'],
  services: ['SERVICE_CONFIG.SHOW'],
  holidays: ['SERVICE_SCHEDULE.SHOW'],
  banners: ['BANNER.SHOW'],
  reminders: ['GLOBAL_SETTING.SHOW'],
  numbering: ['GLOBAL_SETTING.SHOW'],
  audit: ['AUDIT.SHOW'],
};

const DEFAULTS = { entity: '', entityId: '', action: '', page: 1, pageSize: 20 } as const;

const search = searchParams({
  tab: oneOf(TABS),
  /** The service open beside its list, and the one that a new service is copied from. */
  service: either(oneOf(['new']), idParam),
  copy: idParam,
  /** The audit log's filters. */
  actor: idParam,
  entity: textParam,
  entityId: textParam,
  action: textParam,
  outcome: oneOf(OUTCOMES),
  from: dateParam,
  to: dateParam,
  page: pageParam,
  pageSize: pageSizeParam,
});

export const Route = createFileRoute('/_signed-in/app/global-config')({
  staticData: { title: (t) => t.page.globalConfig, permissions: ['SIDEBAR.GLOBAL_CONFIG'] },
  validateSearch: search,
  search: { middlewares: [stripSearchParams(DEFAULTS)] },
  component: GlobalConfig,
});

/** The tabs that the user may see; the first one unless the address names another. */
function GlobalConfig() {
  const t = useT();
  const held = usePermissions();
  const { tab } = Route.useSearch();
  const navigate = Route.useNavigate();
  const visible = TABS.filter((name) => isAllowed(NEEDS[name], held));
  const shown = tab ?? visible[0];
  if (!shown) return <NoAccess needed={[...new Set(TABS.flatMap((name) => NEEDS[name]))]} />;
  if (!visible.includes(shown)) return <NoAccess needed={NEEDS[shown]} />;
  return (
    <Paper withBorder p="md" className={print.sheet}>
      {shown !== 'audit' && <PrintHeading title={t.config.tabs[shown]} />}
      <Tabs
        value={shown}
        keepMounted={false}
        onChange={(next) => void navigate({ search: { tab: TABS.find((name) => name === next) } })}
      >
        <TabRow mb="md" label={t.config.tabs.label} tabs={visible} words={t.config.tabs} />
        {visible.map((name) => (
          <Tabs.Panel key={name} value={name}>
            <Panel name={name} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Paper>
  );
}

function Panel({ name }: { name: Tab }) {
  switch (name) {
    case 'hospital':
      return <HospitalTab />;
    case 'booking':
      return <BookingTab />;
    case 'services':
      return <ServicesTab />;
    case 'holidays':
      return <HolidayCalendar />;
    case 'banners':
      return <BannersTab />;
    case 'reminders':
      return <RemindersTab />;
    case 'numbering':
      return <NumberingTab />;
    case 'audit':
      return <AuditTab />;
  }
}
