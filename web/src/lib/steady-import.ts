/** How long to wait before a failed import is tried again, unless the network comes back first. */
const RETRY_MS = 5_000;

/**
 * steadyImport loads a module and never fails: it tries again until the module is there. It is for parts of the app
 * that a page can do without for a while. A lazy component whose import fails takes the page down with it, and what was
 * typed there.
 */
export async function steadyImport<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch {
      await networkOrTimeout();
    }
  }
}

function networkOrTimeout(): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, RETRY_MS);
    window.addEventListener('online', done);
  });
}
