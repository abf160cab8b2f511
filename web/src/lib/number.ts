const formats = new Map<string, Intl.NumberFormat>();

/** 1234.5 → '1,234.5', with a fixed number of decimals. Thai and English format numbers alike. */
export function formatNumber(value: number, decimals = 0, least = 0): string {
  const key = `${decimals} ${least}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat('en', { maximumFractionDigits: decimals, minimumFractionDigits: least });
    formats.set(key, format);
  }
  return format.format(value);
}

/** 67.4 → '67%': a load. */
export const formatPercent = (percent: number) => `${formatNumber(percent)}%`;

/** 9.96 → '10.0%': rates are compared, so they all have one decimal. */
export const formatRate = (percent: number) => `${formatNumber(percent, 1, 1)}%`;
