import { createFileRoute } from '@tanstack/react-router';
import { DisplayPage } from '@/features/display/display-page';

/** A screen in a waiting room: outside the frame, and opened with a token of its own instead of a session. */
export const Route = createFileRoute('/display/$service')({
  staticData: { title: (t) => t.display.title },
  component: Page,
});

function Page() {
  const { service } = Route.useParams();
  return <DisplayPage key={service} service={service} />;
}
