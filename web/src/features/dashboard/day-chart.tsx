import { formatNumber } from '@/lib/number';
import classes from './day-chart.module.css';

interface DayChartProps {
  days: { name: string; values: number[] }[];
  series: { label: string; colour: string }[];
}

/** Returns 0 and up to four steps of 1, 2 or 5 times a power of ten that cover the maximum. */
export function ticksFor(most: number): number[] {
  const rough = Math.max(1, most / 4);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.ceil([1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) ?? rough);
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, index) => index * step);
}

/**
 * A stacked bar chart of days; the table below it is for screen readers. Built from boxes, because two charts of the
 * library took longer to render than the rest of the page.
 */
export function DayChart({ days, series }: DayChartProps) {
  const ticks = ticksFor(
    Math.max(...days.map(({ values }) => values.reduce((sum, value) => sum + value, 0))),
  );
  const top = ticks.at(-1) ?? 1;
  const share = (value: number) => `${(value / top) * 100}%`;
  return (
    <div className={classes.chart} data-chart aria-hidden>
      <div className={classes.legend}>
        {series.map(({ label, colour }) => (
          <span key={label} className={classes.entry}>
            <i style={{ background: colour }} />
            {label}
          </span>
        ))}
      </div>
      <div className={classes.plot}>
        {ticks.map((tick) => (
          <span key={tick} className={classes.tick} style={{ bottom: share(tick) }}>
            {formatNumber(tick)}
          </span>
        ))}
        {days.map(({ name, values }) => (
          <div key={name} className={classes.day}>
            <div className={classes.bar}>
              {series.map(({ label, colour }, index) => (
                <i key={label} style={{ background: colour, height: share(values[index] ?? 0) }} />
              ))}
            </div>
            <span className={classes.name}>{name}</span>
            <div className={classes.tip}>
              <b>{name}</b>
              {series.map(({ label, colour }, index) => (
                <span key={label} className={classes.entry}>
                  <i style={{ background: colour }} />
                  {label} {formatNumber(values[index] ?? 0)}
                </span>
              ))}
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}
