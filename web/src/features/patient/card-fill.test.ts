import { expect, test } from 'vitest';
import { EMPTY_PATIENT } from '@/entities/patient/patient-values';
import { cardChanges } from './card-fill';

test.each([
  ['nothing', '', 'fills'],
  ['the masked number of the card', '1-1111-xxxxx-11-9', 'fills'],
  ['the masked number of another card', '1-1112-xxxxx-11-9', 'replaces'],
  ['another number', '1-0000-00000-05-0', 'replaces'],
] as const)('the number read from a card is compared with %s', (_, idCard, want) => {
  const typed = { ...EMPTY_PATIENT, idCard };
  const found = cardChanges(typed, { ...typed, idCard: '1-1111-11111-11-9' });
  expect({ fills: [], replaces: [], [want]: ['idCard'] }).toEqual(found);
});
