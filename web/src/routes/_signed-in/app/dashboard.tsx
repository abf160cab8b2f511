import { createFileRoute } from '@tanstack/react-router';
import { DashboardPage } from '@/features/dashboard/dashboard-page';
import { matching, searchParams } from '@/lib/search-params';
import { isIsoDate } from '@/lib/thai-date';

export const Route = createFileRoute('/_signed-in/app/dashboard')({
  staticData: { title: (t) => t.page.dashboard },
  /** The day that is looked at; today while none is given. */
  validateSearch: searchParams({ date: matching(isIsoDate) }),
  component: DashboardPage,
});
