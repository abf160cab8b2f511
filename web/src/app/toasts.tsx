import { Notifications, notifications } from '@mantine/notifications';

/** Draws the toasts. Loaded after the app's start, and apart from the modules that only show one. */
export function Toasts() {
  return <Notifications position="top-right" />;
}

/** clearToasts removes all toasts: the next user must not undo or retry what the last one did. */
export function clearToasts(): void {
  notifications.clean();
}
