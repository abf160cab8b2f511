import { Button, Card, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useId } from 'react';
import { useServiceName } from '@/entities/service/service-name';
import { useLanguage, useT } from '@/i18n/provider';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import print from '@/ui/print.module.css';
import { useAfterPaint } from '@/ui/use-after-paint';
import type { ReportGroup } from './api';
import { axisName, groupName } from './group-name';
import type { Plan } from './plans';
import classes from './report.module.css';
import type { GroupBy } from './report-search';

// Loaded when a report is first shown, because it is larger than the rest of the page.
const Chart = lazy(async () => ({ default: (await import('./chart')).Chart }));

interface Report<Values> {
  groupBy: string;
  rows: (Values & ReportGroup)[];
  total: Values;
}

interface ReportViewProps<Values, Data extends Report<Values>> {
  query: { data: Data | undefined; error: unknown; isFetching: boolean; refetch: () => unknown };
  plan: Plan<Values>;
  /** Switches to a longer period. */
  onWider: () => void;
  /** Additional content of this report. */
  more?: (report: Data) => ReactNode;
}

/** A report: totals, chart, table, and how the figures are report. */
export function ReportView<Values, Data extends Report<Values>>(props: ReportViewProps<Values, Data>) {
  const { query, plan, onWider, more } = props;
  const t = useT();
  const nameOf = useServiceName();
  // Content below the fold renders one frame later.
  const painted = useAfterPaint(true, false);
  const { data: report, error, isFetching, refetch } = query;
  const data =
    report?.groupBy === 'service'
      ? {
          ...report,
          rows: report.rows.map((row) => ({
            ...row,
            name: nameOf({ id: Number(row.key), name: row.name }),
          })),
        }
      : report;
  if (!data && error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return <Loading />;
  return (
    <div className={classes.root} aria-busy={isFetching}>
      {isFetching && <div className={classes.bar} aria-hidden />}
      {Boolean(error) && <ErrorAlert error={error} onRetry={refetch} />}
      {data.rows.length === 0 ? (
        <EmptyState
          icon={IconChartBar}
          title={t.report.none}
          action={
            <Button variant="light" onClick={onWider}>
              {t.report.wider}
            </Button>
          }
        >
          {t.report.noneHint}
        </EmptyState>
      ) : (
        <Stack gap="md">
          <Totals plan={plan} total={data.total} />
          <div className={classes.columns} data-many={plan.figures.length > 4 || undefined}>
            <Picture plan={plan} report={data} />
            <Rows plan={plan} report={data} />
          </div>
          {painted && more?.(data)}
        </Stack>
      )}
      <div className={classes.notes}>
        <Title order={4}>{t.report.howCounted}</Title>
        <ul>
          {plan.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function Loading() {
  const t = useT();
  return (
    <Stack gap="md" role="status" aria-label={t.app.loading}>
      <Skeleton height={72} />
      <Skeleton height={280} />
      <Skeleton height={160} />
    </Stack>
  );
}

function Totals<Values>({ plan, total }: { plan: Plan<Values>; total: Values }) {
  const t = useT();
  return (
    <dl className={classes.totals} aria-label={t.report.summary}>
      {plan.figures
        .filter(({ main }) => main)
        .map(({ key, title, text }) => (
          <Card key={key} withBorder padding="xs" className={classes.tile}>
            <dt>{title}</dt>
            <dd className="tabular">{text(total)}</dd>
          </Card>
        ))}
    </dl>
  );
}

interface PartProps<Values> {
  plan: Plan<Values>;
  report: Report<Values>;
}

function Picture<Values>({ plan, report }: PartProps<Values>) {
  const t = useT();
  const { language } = useLanguage();
  const { chart } = plan;
  const { groupBy, rows } = report;
  return (
    <figure className={classes.figure}>
      <figcaption>
        <Title order={3}>{t.report.chartOf(chart.title, t.report.groups[groupBy as GroupBy])}</Title>
      </figcaption>
      <Suspense fallback={<Skeleton height={280} />}>
        <Chart
          // A row without a key, for example without staff, would dwarf the others.
          bars={rows
            .filter(({ key }) => key !== '')
            .map((row) => ({
              name: axisName(t, language, groupBy, row),
              values: chart.series.map(({ value }) => value(row)),
            }))}
          series={chart.series}
          text={chart.text}
          axis={chart.axis}
          stacked={chart.stacked}
          horizontal={groupBy === 'service' || groupBy === 'staff'}
        />
      </Suspense>
      <Text size="xs" c="dimmed" className={print.screen}>
        {t.report.tableBelow}
      </Text>
    </figure>
  );
}

function Rows<Values>({ plan, report }: PartProps<Values>) {
  const t = useT();
  const { language } = useLanguage();
  const titleId = useId();
  const group = t.report.groups[report.groupBy as GroupBy];
  return (
    <section className={classes.rows}>
      <Title order={3} id={titleId} mb="xs">
        {t.report.chartOf(plan.title, group)}
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
      <section className={classes.scroller} tabIndex={0} aria-labelledby={titleId}>
        <table className={`tabular ${classes.table}`} aria-labelledby={titleId}>
          <thead>
            <tr>
              <th scope="col">{group}</th>
              {plan.figures.map(({ key, title }) => (
                <th key={key} scope="col" className={classes.number}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {report.rows.map((row) => (
              <tr key={row.key}>
                <th scope="row" className={classes.name}>
                  {groupName(t, language, report.groupBy, row)}
                </th>
                {plan.figures.map(({ key, text }) => (
                  <td key={key} className={classes.number}>
                    {text(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t.report.total}</th>
              {plan.figures.map(({ key, text }) => (
                <td key={key} className={classes.number}>
                  {text(report.total)}
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </section>
    </section>
  );
}
