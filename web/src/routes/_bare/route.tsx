import { createFileRoute, Outlet } from '@tanstack/react-router';
import { BareLayout } from '@/app/bare/bare-layout';
import { hospitalQuery } from '@/entities/hospital/hospital';

export const Route = createFileRoute('/_bare')({
  // Not awaited: the form is shown without waiting for the hospital's name.
  beforeLoad: ({ context }) => void context.queryClient.prefetchQuery(hospitalQuery),
  component: () => (
    <BareLayout>
      <Outlet />
    </BareLayout>
  ),
});
