import { Notifications, notifications } from '@mantine/notifications';

/** The toast container. Loaded after the start of the app, separately from the modules that show toasts. */
export function Toasts() {
  return <Notifications position="top-right" />;
}

/** clearToasts removes all toasts, so that the next user cannot undo or retry an action of the previous one. */
export function clearToasts(): void {
  notifications.clean();
}
