import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// A busy machine may need longer than the library's default of one second. Passing tests are not slowed down.
configure({ asyncUtilTimeout: 10_000 });

// The test files of a worker share one window: each starts with an empty document.
(window as typeof window & { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(
  'http://localhost:3000/',
);
localStorage.clear();
sessionStorage.clear();
document.body.replaceChildren();
for (const name of document.documentElement.getAttributeNames())
  document.documentElement.removeAttribute(name);

afterEach(cleanup);
