import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { firstLoad } from './scripts/first-load.ts';
import { guide } from './scripts/guide.ts';

/** All paths that the Go server handles itself; the rest are addresses of the app. */
const SERVER_PATHS = ['/admin', '/media', '/openapi.json', '/docs', '/healthz', '/readyz'];
const server = process.env.NADMOR_DEV_SERVER ?? 'http://127.0.0.1:8080';

/** Tests that replace a module (vi.mock), or need a window history that no router has used. */
const ISOLATED = ['src/app/history.test.ts', 'src/i18n/guide.test.ts', 'src/i18n/words.test.ts'];

export default defineConfig({
  plugins: [
    tanstackRouter({ target: 'react', autoCodeSplitting: true, quoteStyle: 'single', semicolons: true }),
    react(),
    guide(),
    firstLoad({
      'the sign-in page': { limit: 250_000, routes: ['_bare/route.tsx', '_bare/login.tsx'] },
      'the first page after it': {
        limit: 250_000,
        routes: ['_signed-in/route.tsx', '_signed-in/app/dashboard.tsx'],
      },
    }),
  ],
  resolve: { alias: { '@': new URL('./src', import.meta.url).pathname } },
  build: {
    outDir: '../internal/web/dist',
    // public/.gitkeep restores the folder's committed file after each clean.
    emptyOutDir: true,
    // Inlined fonts and images would need data: in the Content-Security-Policy.
    assetsInlineLimit: 0,
    reportCompressedSize: true,
    // The code that every screen needs is in two files: the libraries, which rarely change, and ours. The default
    // splitting produced a hundred files, whose names alone were 20 kB of every first load.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'libs', tags: ['$initial'], test: /node_modules/, priority: 2 },
            { name: 'app', tags: ['$initial'], priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(SERVER_PATHS.map((path) => [path, server])) },
  test: {
    environment: 'happy-dom',
    setupFiles: ['src/test/setup.ts'],
    // Not the hospital's time zone, so that code that uses the machine's zone fails.
    env: { TZ: 'America/New_York' },
    // Whole forms are rendered and queried by role, which is slow on a busy machine.
    testTimeout: 20_000,
    projects: [
      {
        // The files of a worker share modules and window, which src/test/setup.ts resets before each file: loading all
        // modules again for every file takes three times as long.
        extends: true,
        test: { name: 'shared', include: ['src/**/*.test.{ts,tsx}'], exclude: ISOLATED, isolate: false },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
    ],
  },
});
