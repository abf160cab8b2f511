import { cleanText, splitPrename } from '@/lib/thai-text';

export type NameParts = { prename: string; firstName: string; lastName: string };

/** nameFromSearch splits a search text into the parts of a name. It returns null for a number. */
export function nameFromSearch(q: string): NameParts | null {
  if (q.trim() === '' || /[\d๐-๙]/.test(q)) return null;
  const { prename, rest } = splitPrename(cleanText(q));
  const [firstName = '', ...others] = rest.split(' ');
  return { prename, firstName, lastName: others.join(' ') };
}
