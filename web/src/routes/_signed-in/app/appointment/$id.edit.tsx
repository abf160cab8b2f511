import { createFileRoute, notFound } from '@tanstack/react-router';
import { appointmentQuery } from '@/entities/appointment/api';
import { EditPage } from '@/features/appointment/edit-page';

export const Route = createFileRoute('/_signed-in/app/appointment/$id/edit')({
  // Users who may set a status may open the page; the form requires permission to change appointments.
  staticData: {
    title: (t) => t.page.appointmentEdit,
    permissions: ['APPOINTMENT.UPDATE', 'APPOINTMENT.MARK_STATUS'],
  },
  loader: ({ context, params }) => {
    const id = Number(params.id);
    if (!Number.isSafeInteger(id) || id < 1) throw notFound();
    return context.queryClient.ensureQueryData(appointmentQuery(id));
  },
  component: Page,
});

function Page() {
  const id = Number(Route.useParams().id);
  return <EditPage key={id} id={id} />;
}
