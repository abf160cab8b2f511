import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';

interface DayChartProps {
  data: Record<string, string | number>[];
  series: { name: string; label: string; color: string }[];
}

/** Bars of days. Whoever cannot see it has the table below it. Loaded when it is first shown. */
export default function DayChart({ data, series }: DayChartProps) {
  return (
    <BarChart
      h={170}
      data={data}
      dataKey="day"
      type="stacked"
      series={series}
      withLegend
      legendProps={{ verticalAlign: 'top', height: 30, itemSorter: null }}
      accessibilityLayer={false}
      maxBarWidth={36}
      yAxisProps={{ width: 36, allowDecimals: false }}
      xAxisProps={{ interval: 0 }}
      tickLine="none"
      textColor="var(--mantine-color-text)"
      barProps={{ isAnimationActive: false }}
    />
  );
}
