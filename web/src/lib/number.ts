const formats = new Map<string, Intl.NumberFormat>();

/** 1234.5 → '1,234.5': thousands with a comma, at most (and at least) so many decimals. Thai and English write figures alike. */
export function formatNumber(value: number, decimals = 0, least = 0): string {
  const key = `${decimals} ${least}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat('en', { maximumFractionDigits: decimals, minimumFractionDigits: least });
    formats.set(key, format);
  }
  return format.format(value);
}

/** 67.4 → '67%': how full something is, at a glance. */
export const formatPercent = (percent: number) => `${formatNumber(percent)}%`;

/** 9.96 → '10.0%': a rate is compared with others, so all of them have a tenth. */
export const formatRate = (percent: number) => `${formatNumber(percent, 1, 1)}%`;
