/** 1234.5 → '1,234.5': thousands with a comma, at most (and at least) so many decimals. Thai and English write figures alike. */
export function formatNumber(value: number, decimals = 0, least = 0): string {
  return value.toLocaleString('en', { maximumFractionDigits: decimals, minimumFractionDigits: least });
}
