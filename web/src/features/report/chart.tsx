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
  /** Formats the values of the axis; like the other values by default. */
  axis?: (value: number) => string;
  stacked?: boolean;
  /** Shows the names beside the bars instead of below, because they are long. */
  horizontal: boolean;
}

/** Recharts breaks lines at spaces only, and Thai has none. */
function cut(name: string, length: number): string {
  return name.length > length ? `${name.slice(0, length - 1)}…` : name;
}

/** The chart of the table beside it, hidden from screen readers. */
export function Chart({ bars, series, text, axis = text, stacked, horizontal }: ChartProps) {
  const phone = usePhone();
  const data = bars.map(({ name, values }) => ({
    name: cut(name, phone ? 12 : 24),
    ...Object.fromEntries(series.map(({ title }, i) => [title, values[i]])),
  }));
  const thickness = stacked || series.length === 1 ? 30 : 40;
  const height = horizontal ? Math.max(160, data.length * thickness + 70) : 280;
  // Render the figures first: the chart takes as long as all the rest.
  const painted = useAfterPaint(true, false);
  if (!painted) return <div aria-hidden style={{ height }} />;
  return (
    <div dir="ltr" aria-hidden className={classes.chart}>
      <BarChart
        h={height}
        data={data}
        dataKey="name"
        series={series.map(({ title, colour }) => ({ name: title, color: colour }))}
        type={stacked ? 'stacked' : 'default'}
        orientation={horizontal ? 'vertical' : 'horizontal'}
        gridAxis={horizontal ? 'y' : 'x'}
        tickLine="none"
        withLegend={series.length > 1}
        legendProps={{ verticalAlign: 'bottom', itemSorter: null }}
        valueFormatter={text}
        accessibilityLayer={false}
        maxBarWidth={28}
        barProps={{ isAnimationActive: false }}
        xAxisProps={
          horizontal ? { tickFormatter: axis } : { interval: 'equidistantPreserveStart', minTickGap: 8 }
        }
        yAxisProps={horizontal ? { width: phone ? 96 : 170, interval: 0 } : { width: 64 }}
      />
    </div>
  );
}
