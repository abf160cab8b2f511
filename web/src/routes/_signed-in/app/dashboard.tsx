import { createFileRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { DashboardPage } from '@/features/dashboard/dashboard-page';
import { isIsoDate } from '@/lib/thai-date';

export const Route = createFileRoute('/_signed-in/app/dashboard')({
  staticData: { title: (t) => t.page.dashboard },
  /** The day that is looked at; today while none is given. */
  validateSearch: z.object({ date: z.string().refine(isIsoDate).optional().catch(undefined) }),
  component: DashboardPage,
});
