import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// What a test waits for comes when it comes: a busy machine may take longer than the second the library allows. A test
// that passes is not slowed down by it.
configure({ asyncUtilTimeout: 10_000 });

// The files of a worker share one window: each starts with an empty one.
(window as typeof window & { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(
  'http://localhost:3000/',
);
localStorage.clear();
sessionStorage.clear();
document.body.replaceChildren();
for (const name of document.documentElement.getAttributeNames())
  document.documentElement.removeAttribute(name);

afterEach(cleanup);
