import { createFileRoute } from '@tanstack/react-router';
import { DashboardPage } from '@/features/dashboard/dashboard-page';
import { searchParams } from '@/lib/search-params';
import { dateParam } from '@/ui/table-search';

export const Route = createFileRoute('/_signed-in/app/dashboard')({
  staticData: { title: (t) => t.page.dashboard },
  /** The day to show; today by default. */
  validateSearch: searchParams({ date: dateParam }),
  component: DashboardPage,
});
