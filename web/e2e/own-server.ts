import { test as base } from './role-support';

/**
 * A hospital used only by files with the same `whose`, for tests that change what all screens of a hospital show, or
 * read the whole audit log.
 */
export const test = base.extend<{ token: string }>({
  whose: ['those who change the hospital', { scope: 'worker' }],
  token: async ({ request, tokensOf }, use) => use((await tokensOf(request, 'admin')).accessToken),
});
