import { gzipSync } from 'node:zlib';

import type { Plugin } from 'vite';

/** Compressed as by the server (internal/web). */
const gzipped = (code: string) => gzipSync(code, { level: 9 }).length;

/**
 * Fails the build if the script needed for the first render of a screen exceeds a limit: the scripts in index.html, the
 * screen's routes and their static imports. The usual cause is a route file that imports a constant from its page's
 * module, which pulls the whole page into the first load.
 */
export function firstLoad(screens: Record<string, { limit: number; routes: string[] }>): Plugin {
  return {
    name: 'first-load',
    apply: 'build',
    writeBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const page = bundle['index.html'];
      const named = page?.type === 'asset' ? String(page.source).match(/assets\/[\w.-]+\.js/g) : null;
      if (!named) this.error('index.html names no script');
      for (const [screen, { limit, routes }] of Object.entries(screens)) {
        const own = chunks.filter(({ facadeModuleId }) =>
          routes.some((route) => facadeModuleId?.includes(`/src/routes/${route}?`)),
        );
        if (own.length !== routes.length) this.error(`${screen}: not all of its routes are chunks`);
        const needed = new Set<string>();
        const add = (name: string) => {
          if (needed.has(name)) return;
          needed.add(name);
          for (const other of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) add(other);
        };
        for (const fileName of [...named, ...own.map((chunk) => chunk.fileName)]) add(fileName);
        const sizes = chunks
          .filter(({ fileName }) => needed.has(fileName))
          .map(({ fileName, code }) => ({ fileName, bytes: gzipped(code) }))
          .sort((a, b) => b.bytes - a.bytes);
        const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
        const line = `first load of ${screen}: ${(total / 1000).toFixed(1)} kB of script (gzip) in ${sizes.length} files, at most ${limit / 1000} kB`;
        if (total <= limit) this.info(line);
        else {
          const largest = sizes.slice(0, 20).map(({ fileName, bytes }) => `  ${bytes} ${fileName}`);
          this.error([line, ...largest].join('\n'));
        }
      }
    },
  };
}
