interface Device {
  /** Product names, the same in every language; empty when unknown. */
  browser: string;
  system: string;
  kind: 'phone' | 'computer';
}

// The order matters: Edge and Opera also contain Chrome, and Chrome contains Safari.
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bLine\//, 'LINE'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/\biPad\b/, 'iPadOS'],
  [/\biPhone\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** The browser and system of a session, so that users can tell their devices apart. */
export function describeDevice(userAgent: string): Device {
  const find = (table: [RegExp, string][]) => table.find(([pattern]) => pattern.test(userAgent))?.[1] ?? '';
  return {
    browser: find(BROWSERS),
    system: find(SYSTEMS),
    kind: /\b(?:Mobile|iPhone|iPad|Android)\b/.test(userAgent) ? 'phone' : 'computer',
  };
}
