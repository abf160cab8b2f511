/** The reason why the user was sent to the sign-in page. It survives a reload. */
type Notice = 'expired' | 'permissionsFailed';

const STORAGE_KEY = 'nadmor.notice';

export function leaveNotice(notice: Notice): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, notice);
  } catch {
    // Without storage the sign-in page shows no reason.
  }
}

/** Returns the notice and removes it, so that it is shown once. */
export function takeNotice(): Notice | null {
  try {
    const notice = sessionStorage.getItem(STORAGE_KEY);
    sessionStorage.removeItem(STORAGE_KEY);
    return notice === 'expired' || notice === 'permissionsFailed' ? notice : null;
  } catch {
    return null;
  }
}
