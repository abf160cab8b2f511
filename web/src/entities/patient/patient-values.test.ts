import { afterEach, expect, test, vi } from 'vitest';
import { newAllergy } from './patient-values';

afterEach(() => vi.unstubAllGlobals());

test('a row for an allergy is added, with a key of its own, where the page is served over plain http', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const [one, other] = [newAllergy(), newAllergy()];
  expect(one).toMatchObject({ substance: '', severity: '', reaction: '' });
  expect(one.key).not.toBe(other.key);
});
