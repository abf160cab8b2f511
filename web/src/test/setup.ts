import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// What a test waits for comes when it comes: a busy machine may take longer than the second the library allows. A test
// that passes is not slowed down by it.
configure({ asyncUtilTimeout: 10_000 });

afterEach(cleanup);
