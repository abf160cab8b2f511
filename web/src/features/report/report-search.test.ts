import { expect, test } from 'vitest';
import { criteriaOf, groupOf, REPORT_DEFAULTS, reportSearch } from './report-search';

test('an empty address is this month of all services', () => {
  expect(reportSearch.parse({})).toEqual(REPORT_DEFAULTS);
  expect(criteriaOf(REPORT_DEFAULTS, '2026-11-15')).toEqual({
    dateFrom: '2026-11-01',
    dateTo: '2026-11-30',
    serviceIds: undefined,
    groupBy: 'service',
  });
});

test('ignores invalid search parameters', () => {
  const search = { tab: 'nothing', period: 'ever', from: '2026-02-30', services: ['x'], by: 'patient' };
  expect(reportSearch.parse(search)).toEqual({ ...REPORT_DEFAULTS, from: undefined, by: undefined });
});

test('an unknown grouping falls back to the report’s first', () => {
  expect(groupOf({ tab: 'no-show', by: 'leadTime' })).toBe('leadTime');
  expect(groupOf({ tab: 'utilization', by: 'leadTime' })).toBe('service');
  expect(groupOf({ tab: 'workload', by: 'month' })).toBe('staff');
});

test('chosen services and dates reach the server', () => {
  const search = reportSearch.parse({
    tab: 'waiting-time',
    from: '2026-10-01',
    to: '2026-10-07',
    services: [3, 1],
    by: 'hour',
  });
  expect(criteriaOf(search, '2026-11-15')).toEqual({
    dateFrom: '2026-10-01',
    dateTo: '2026-10-07',
    serviceIds: [3, 1],
    groupBy: 'hour',
  });
});
