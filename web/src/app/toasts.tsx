import { Notifications } from '@mantine/notifications';

/** Apart from the app's start, and from the modules that only say something: the place where toasts are drawn. */
export function Toasts() {
  return <Notifications position="top-right" />;
}
