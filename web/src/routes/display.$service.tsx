import { createFileRoute } from '@tanstack/react-router';
import { DisplayPage } from '@/features/display/display-page';

/** A waiting-room screen: outside the shell, and opened with its own token instead of a session. */
export const Route = createFileRoute('/display/$service')({
  staticData: { title: (t) => t.display.title },
  component: Page,
});

function Page() {
  const { service } = Route.useParams();
  return <DisplayPage key={service} service={service} />;
}
