import { afterEach, expect, test, vi } from 'vitest';
import { newAllergy } from './patient-values';

afterEach(() => vi.unstubAllGlobals());

test('adds an allergy row with a unique key on plain HTTP', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const [one, other] = [newAllergy(), newAllergy()];
  expect(one).toMatchObject({ substance: '', severity: '', reaction: '' });
  expect(one.key).not.toBe(other.key);
});
