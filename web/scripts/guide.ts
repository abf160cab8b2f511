import { existsSync, readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const GUIDE = new URL('../../docs/user-guide.th.md', import.meta.url);
const PICTURES = new URL('../../docs/pictures/', import.meta.url);

/** Builds the user guide as /guide.html with its pictures, so that it is available where the app is. */
export function guide(): Plugin {
  return {
    name: 'guide',
    apply: 'build',
    generateBundle() {
      const text = readFileSync(GUIDE, 'utf8');
      this.emitFile({ type: 'asset', fileName: 'guide.html', source: pageOf(text) });
      for (const [, name = ''] of text.matchAll(/\(pictures\/([^)]+)\)/g)) {
        const file = new URL(name, PICTURES);
        // A missing picture is reported by a test (i18n/guide.test.ts): taking it needs a build.
        if (!existsSync(file)) continue;
        this.emitFile({ type: 'asset', fileName: `pictures/${name}`, source: readFileSync(file) });
      }
    },
  };
}

function pageOf(markdown: string): string {
  return `<!doctype html>
<html lang="th">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<title>${inline(/^# (.+)$/m.exec(markdown)?.[1] ?? '')}</title>
<style>
:root { color-scheme: light dark }
body { max-width: 56rem; margin: 0 auto; padding: 1.5rem 1rem 4rem;
  font: 1rem/1.75 'Noto Sans Thai Looped', 'Sarabun', system-ui, sans-serif }
img { display: block; max-width: 100%; max-height: 40rem; border: 1px solid #8884; border-radius: 8px }
h2 { margin-top: 3rem; border-bottom: 1px solid #8886 }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { padding: .35rem .6rem; border: 1px solid #8886; text-align: left; vertical-align: top }
code { padding: .1em .35em; border: 1px solid #8886; border-radius: 4px; font-size: .9em }
</style>
</head>
<body>
<main>
${markdown
  .trim()
  .split(/\n{2,}/)
  .map(block)
  .join('\n')}
</main>
</body>
</html>
`;
}

/** Converts the subset of Markdown used by the guide. */
function block(text: string): string {
  const lines = text.split('\n');
  const [, level, heading] = /^(#+) (.+)$/.exec(text) ?? [];
  if (level && heading)
    return `<h${level.length} id="${anchorOf(heading)}">${inline(heading)}</h${level.length}>`;
  if (text.startsWith('|')) {
    const [head = '', , ...rows] = lines;
    const cells = (row: string, tag: string) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => `<${tag}>${inline(cell.trim())}</${tag}>`)
        .join('');
    const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
    return `<table><thead><tr>${cells(head, 'th')}</tr></thead><tbody>${body}</tbody></table>`;
  }
  if (/^(- |\d+\. )/.test(text)) {
    const tag = text.startsWith('-') ? 'ul' : 'ol';
    return `<${tag}>${lines.map((line) => `<li>${inline(line.replace(/^(- |\d+\. )/, ''))}</li>`).join('\n')}</${tag}>`;
  }
  return text.startsWith('![') ? inline(text) : `<p>${inline(text)}</p>`;
}

function inline(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/!\[([^\]]+)\]\(([^)]+)\)/g, '<img alt="$1" src="/$2" loading="lazy">')
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** A heading's anchor, as on GitHub. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
