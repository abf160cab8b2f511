import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.layer.css';
import { useAfterPaint } from '@/ui/use-after-paint';
import { usePhone } from '@/ui/use-phone';
import classes from './report.module.css';

interface Bar {
  name: string;
  values: (number | null)[];
}

interface ChartProps {
  bars: Bar[];
  series: { title: string; colour: string }[];
  text: (value: number) => string;
  /** Figures of the axis; as the others unless it says so. */
  axis?: (value: number) => string;
  stacked?: boolean;
  /** Names stand beside the bars instead of below them: they are long. */
  lying: boolean;
}

/** Recharts breaks lines at spaces only, which Thai has none of. */
function cut(name: string, length: number): string {
  return name.length > length ? `${name.slice(0, length - 1)}…` : name;
}

/** The picture of the table beside it; who cannot see it misses nothing. */
export function Chart({ bars, series, text, axis = text, stacked, lying }: ChartProps) {
  const phone = usePhone();
  const data = bars.map(({ name, values }) => ({
    name: cut(name, phone ? 12 : 24),
    ...Object.fromEntries(series.map(({ title }, i) => [title, values[i]])),
  }));
  const thickness = stacked || series.length === 1 ? 30 : 40;
  const height = lying ? Math.max(160, data.length * thickness + 70) : 280;
  // The figures first: drawing takes as long as all the rest.
  const drawn = useAfterPaint(true, false);
  if (!drawn) return <div aria-hidden style={{ height }} />;
  return (
    <div dir="ltr" aria-hidden className={classes.chart}>
      <BarChart
        h={height}
        data={data}
        dataKey="name"
        series={series.map(({ title, colour }) => ({ name: title, color: colour }))}
        type={stacked ? 'stacked' : 'default'}
        orientation={lying ? 'vertical' : 'horizontal'}
        gridAxis={lying ? 'y' : 'x'}
        tickLine="none"
        withLegend={series.length > 1}
        legendProps={{ verticalAlign: 'bottom', itemSorter: null }}
        valueFormatter={text}
        accessibilityLayer={false}
        maxBarWidth={28}
        barProps={{ isAnimationActive: false }}
        xAxisProps={lying ? { tickFormatter: axis } : { interval: 'equidistantPreserveStart', minTickGap: 8 }}
        yAxisProps={lying ? { width: phone ? 96 : 170, interval: 0 } : { width: 64 }}
      />
    </div>
  );
}
