/** How long to wait before a failed import is tried again, unless the network comes back first. */
const RETRY_MS = 5_000;

/**
 * retryImport loads a module and never rejects: it retries until the module is loaded. It is for parts that a page can
 * do without for a while. A lazy component whose import fails would unmount the page and lose typed text.
 */
export async function retryImport<Module>(load: () => Promise<Module>): Promise<Module> {
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
