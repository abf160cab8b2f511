import { Alert, Button, Card, Group, Tabs, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ApiError } from '@/api/error';
import { allServicesQuery } from '@/entities/service/api';
import { serviceName } from '@/entities/service/service-name';
import { useLanguage, useT } from '@/i18n/provider';
import { formatDateRange } from '@/lib/thai-date';
import { ExportMenu } from '@/ui/export-menu';
import print from '@/ui/print.module.css';
import { PrintButton } from '@/ui/print-button';
import { PrintHeading } from '@/ui/print-heading';
import { TabRow } from '@/ui/tab-row';
import { useToday } from '@/ui/use-today';
import { type Criteria, type ReportKind, reportPath, reportQuery } from './api';
import { HeatMap } from './heat-map';
import { noShowPlan, utilizationPlan, waitingPlan, workloadPlan } from './plans';
import classes from './report.module.css';
import { ReportFilters } from './report-filters';
import { criteriaOf, KINDS, type ReportSearch } from './report-search';
import { ReportView } from './report-view';

const route = getRouteApi('/_signed-in/app/report');

/** The reports page. Report, period and filters are in the address. */
export function ReportPage() {
  const t = useT();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const today = useToday();
  const criteria = criteriaOf(search, today);
  const change = (part: Partial<ReportSearch>) => void navigate({ search: (now) => ({ ...now, ...part }) });
  // The same query as in the open report.
  const { error } = useQuery(reportQuery(search.tab, criteria));
  const dateError =
    error instanceof ApiError ? error.fields.find(({ field }) => field === 'dateTo')?.message : undefined;
  return (
    <Card withBorder padding="md" className={print.sheet}>
      <ReportHeading kind={search.tab} criteria={criteria} />
      <Tabs
        value={search.tab}
        keepMounted={false}
        onChange={(next) => change({ tab: KINDS.find((kind) => kind === next) })}
      >
        <div className={`${classes.head} ${print.screen}`}>
          <TabRow label={t.report.tabsLabel} tabs={KINDS} words={t.report.tabs} className={classes.tabs} />
          <Tools kind={search.tab} criteria={criteria} />
        </div>
        {KINDS.map((kind) => (
          <Tabs.Panel key={kind} value={kind}>
            <ReportFilters search={search} today={today} dateError={dateError} onChange={change} />
            {kind === 'utilization' && criteria.dateTo > today && (
              <Alert
                color="blue"
                variant="light"
                p="xs"
                mb="sm"
                className={print.screen}
                icon={<IconInfoCircle aria-hidden />}
              >
                <div className={classes.ahead}>
                  <Text size="sm">{t.report.ahead}</Text>
                  {criteria.dateFrom <= today && (
                    <Button
                      variant="default"
                      size="compact-sm"
                      onClick={() => change({ from: criteria.dateFrom, to: today })}
                    >
                      {t.report.untilToday}
                    </Button>
                  )}
                </div>
              </Alert>
            )}
            <Panel
              kind={kind}
              criteria={criteria}
              onWider={() => change({ period: 'last12Months', from: undefined, to: undefined, services: [] })}
            />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Card>
  );
}

interface PanelProps {
  criteria: Criteria;
  onWider: () => void;
}

function Panel({ kind, ...props }: PanelProps & { kind: ReportKind }) {
  switch (kind) {
    case 'utilization':
      return <Utilization {...props} />;
    case 'no-show':
      return <NoShows {...props} />;
    case 'waiting-time':
      return <WaitingTimes {...props} />;
    case 'workload':
      return <Workload {...props} />;
  }
}

function Utilization({ criteria, onWider }: PanelProps) {
  const query = useQuery(reportQuery('utilization', criteria));
  return (
    <ReportView
      query={query}
      plan={utilizationPlan(useT())}
      onWider={onWider}
      more={({ heat }) => <HeatMap cells={heat} />}
    />
  );
}

function NoShows({ criteria, onWider }: PanelProps) {
  const query = useQuery(reportQuery('no-show', criteria));
  return <ReportView query={query} plan={noShowPlan(useT())} onWider={onWider} />;
}

function WaitingTimes({ criteria, onWider }: PanelProps) {
  const query = useQuery(reportQuery('waiting-time', criteria));
  return <ReportView query={query} plan={waitingPlan(useT())} onWider={onWider} />;
}

function Workload({ criteria, onWider }: PanelProps) {
  const query = useQuery(reportQuery('workload', criteria));
  return <ReportView query={query} plan={workloadPlan(useT())} onWider={onWider} />;
}

/** Exports the table of the report, or prints it completely. */
function Tools({ kind, criteria }: { kind: ReportKind; criteria: Criteria }) {
  const t = useT();
  const words = t.report;
  return (
    <Group gap="xs">
      <ExportMenu words={words} path={reportPath(kind)} criteria={criteria} />
      <PrintButton>{words.print}</PrintButton>
    </Group>
  );
}

/** The header of the printed report. */
function ReportHeading({ kind, criteria }: { kind: ReportKind; criteria: Criteria }) {
  const t = useT();
  const { language } = useLanguage();
  const { data: services = [] } = useQuery(allServicesQuery);
  const { dateFrom, dateTo, serviceIds } = criteria;
  const chosen = services
    .filter(({ id }) => serviceIds?.includes(id))
    .map((one) => serviceName(one, language));
  return (
    <PrintHeading
      title={`${t.report.tabs[kind]} ${formatDateRange(dateFrom, dateTo, language)}`}
      criteria={serviceIds ? chosen.join(', ') : t.report.allServices}
    />
  );
}
