import { useEffect, useState } from 'react';
import { arabicDigits } from '@/lib/thai-text';

/** A code with its Thai and English name. */
export type Icd10Name = [code: string, th: string, en: string];

const CODE = /^[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?$/;

/** As stored by the server: 'e119' → 'E11.9'. */
export function cleanCode(typed: string): string {
  const code = arabicDigits(typed).replace(/\s+/g, '').toUpperCase();
  const [category = '', ...rest] = code.split('.');
  if (rest.length === 0 && /^[A-Z0-9]{4,}$/.test(code)) return `${code.slice(0, 3)}.${code.slice(3)}`;
  return rest.length === 0 || rest.join('.') === '' ? category : `${category}.${rest.join('.')}`;
}

export const isCode = (code: string) => CODE.test(code);

/** Unique codes in the server's format. */
export function cleanCodes(typed: readonly string[]): string[] {
  return [...new Set(typed.map(cleanCode).filter(Boolean))];
}

/**
 * Returns the matching codes: prefixes of the code before names that contain the text. Empty text has no matches,
 * because the list would cover the fields below.
 */
export function findCodes(names: readonly Icd10Name[], typed: string, most = 8): Icd10Name[] {
  const text = typed.trim().toLowerCase();
  if (!text) return [];
  const code = text.replace(/[.\s]/g, '');
  const byCode = names.filter(([known]) => known.toLowerCase().replace('.', '').startsWith(code));
  const byName = names.filter(
    (one) => !byCode.includes(one) && (one[1].includes(text) || one[2].toLowerCase().includes(text)),
  );
  return [...byCode, ...byName].slice(0, most);
}

/** The most common codes; empty until loaded. */
export function useIcd10Names(): Icd10Name[] {
  const [names, setNames] = useState<Icd10Name[]>([]);
  useEffect(() => {
    let gone = false;
    // Without the list, codes can still be typed.
    void import('@/data/icd10.json').then(
      (list) => !gone && setNames(list.default as Icd10Name[]),
      () => {},
    );
    return () => {
      gone = true;
    };
  }, []);
  return names;
}
