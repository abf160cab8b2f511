import type { Messages } from '@/i18n/th';
import { formatNumber, formatPercent, formatRate } from '@/lib/number';
import type { NoShowReport, UtilizationReport, WaitingReport, WorkloadReport } from './api';
import { NOTHING } from './group-name';

/** A figure of a row and of the total. */
interface Figure<Values> {
  key: string;
  title: string;
  text: (values: Values) => string;
  /** Also shown large above the table. */
  main?: boolean;
}

export interface Series<Values> {
  title: string;
  value: (values: Values) => number | null;
  colour: string;
}

/** How a report is shown: table columns and chart bars. */
export interface Plan<Values> {
  title: string;
  figures: Figure<Values>[];
  chart: {
    title: string;
    series: Series<Values>[];
    text: (value: number) => string;
    axis?: (value: number) => string;
    stacked?: boolean;
  };
  notes: string[];
}

/** Readable on both backgrounds; see theme.ts. */
const [FIRST, SECOND] = ['var(--app-primary-text)', 'var(--mantine-color-orange-8)'];

const percentOf = (rate: number | null) => (rate === null ? null : rate * 100);
const minutesOf = (seconds: number | null) => (seconds === null ? null : seconds / 60);

function texts(t: Messages) {
  const count = (value: number) => formatNumber(value);
  const orNothing = (value: number | null, text: (value: number) => string) =>
    value === null ? NOTHING : text(value);
  const minutes = (value: number) => t.report.minutes(formatNumber(value, 1));
  return { count, minutes, orNothing };
}

export function utilizationPlan(t: Messages): Plan<UtilizationReport['total']> {
  const words = t.report.utilization;
  const { count, orNothing } = texts(t);
  return {
    title: t.report.tabs.utilization,
    figures: [
      { key: 'booked', title: words.booked, text: ({ booked }) => count(booked), main: true },
      { key: 'capacity', title: words.capacity, text: ({ capacity }) => count(capacity), main: true },
      {
        key: 'rate',
        title: words.rate,
        text: ({ rate }) => orNothing(percentOf(rate), formatRate),
        main: true,
      },
    ],
    chart: {
      title: words.rate,
      series: [{ title: words.rate, value: ({ rate }) => percentOf(rate), colour: FIRST }],
      text: formatRate,
      axis: formatPercent,
    },
    notes: words.notes,
  };
}

export function noShowPlan(t: Messages): Plan<NoShowReport['total']> {
  const words = t.report['no-show'];
  const { count, orNothing } = texts(t);
  return {
    title: t.report.tabs['no-show'],
    figures: [
      { key: 'due', title: words.due, text: ({ due }) => count(due), main: true },
      { key: 'noShow', title: words.noShow, text: ({ noShow }) => count(noShow), main: true },
      {
        key: 'rate',
        title: words.rate,
        text: ({ rate }) => orNothing(percentOf(rate), formatRate),
        main: true,
      },
    ],
    chart: {
      title: words.rate,
      series: [{ title: words.rate, value: ({ rate }) => percentOf(rate), colour: SECOND }],
      text: formatRate,
      axis: formatPercent,
    },
    notes: words.notes,
  };
}

export function waitingPlan(t: Messages): Plan<WaitingReport['total']> {
  const words = t.report['waiting-time'];
  const { count, minutes, orNothing } = texts(t);
  const time = (seconds: number | null) => orNothing(minutesOf(seconds), minutes);
  return {
    title: t.report.tabs['waiting-time'],
    figures: [
      { key: 'waitCount', title: words.waitCount, text: ({ wait }) => count(wait.count) },
      { key: 'waitMedian', title: words.waitMedian, text: ({ wait }) => time(wait.median), main: true },
      { key: 'waitP90', title: words.waitP90, text: ({ wait }) => time(wait.p90), main: true },
      { key: 'visitCount', title: words.visitCount, text: ({ visit }) => count(visit.count) },
      { key: 'visitMedian', title: words.visitMedian, text: ({ visit }) => time(visit.median), main: true },
      { key: 'visitP90', title: words.visitP90, text: ({ visit }) => time(visit.p90), main: true },
    ],
    chart: {
      title: words.wait,
      series: [
        { title: words.median, value: ({ wait }) => minutesOf(wait.median), colour: FIRST },
        { title: words.p90, value: ({ wait }) => minutesOf(wait.p90), colour: SECOND },
      ],
      text: minutes,
    },
    notes: words.notes,
  };
}

export function workloadPlan(t: Messages): Plan<WorkloadReport['total']> {
  const words = t.report.workload;
  const { count, orNothing } = texts(t);
  return {
    title: t.report.tabs.workload,
    figures: [
      { key: 'assigned', title: words.assigned, text: ({ assigned }) => count(assigned), main: true },
      { key: 'came', title: words.came, text: ({ came }) => count(came) },
      { key: 'completed', title: words.completed, text: ({ completed }) => count(completed), main: true },
      { key: 'noShow', title: words.noShow, text: ({ noShow }) => count(noShow), main: true },
      { key: 'patients', title: words.patients, text: ({ patients }) => count(patients), main: true },
      {
        key: 'hours',
        title: words.hours,
        text: ({ visitSeconds }) => t.report.hours(formatNumber(visitSeconds / 3600, 1)),
        main: true,
      },
      { key: 'days', title: words.days, text: ({ workingDays }) => count(workingDays) },
      {
        key: 'perDay',
        title: words.perDay,
        text: ({ perDay }) => orNothing(perDay, (value) => formatNumber(value, 1)),
      },
    ],
    chart: {
      title: `${words.came} / ${words.noShow}`,
      series: [
        { title: words.came, value: ({ came }) => came, colour: FIRST },
        { title: words.noShow, value: ({ noShow }) => noShow, colour: SECOND },
      ],
      text: (value) => t.report.people(count(value)),
      stacked: true,
    },
    notes: words.notes,
  };
}
