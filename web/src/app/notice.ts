/** Why the user finds themselves at the sign-in page; survives the reload that may lie between. */
type Notice = 'expired' | 'permissionsFailed';

const STORAGE_KEY = 'nadmor.notice';

export function leaveNotice(notice: Notice): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, notice);
  } catch {
    // Without storage the sign-in page simply gives no reason.
  }
}

/** The notice, once: the next visit to the sign-in page starts clean. */
export function takeNotice(): Notice | null {
  try {
    const notice = sessionStorage.getItem(STORAGE_KEY);
    sessionStorage.removeItem(STORAGE_KEY);
    return notice === 'expired' || notice === 'permissionsFailed' ? notice : null;
  } catch {
    return null;
  }
}
