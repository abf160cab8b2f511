import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { ReportPage } from '@/features/report/report-page';
import { REPORT_DEFAULTS, reportSearch } from '@/features/report/report-search';

export const Route = createFileRoute('/_signed-in/app/report')({
  staticData: { title: (t) => t.page.report, permissions: ['REPORT.SHOW'] },
  validateSearch: reportSearch,
  search: { middlewares: [stripSearchParams(REPORT_DEFAULTS)] },
  component: ReportPage,
});
