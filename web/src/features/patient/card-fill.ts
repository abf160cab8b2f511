import { type AddressValues, EMPTY_PATIENT, type PatientValues } from '@/entities/patient/patient-values';
import { findPlace, type Place } from '@/lib/addresses';
import { fitsMask } from '@/lib/id-card';
import type { CardData } from './card-reader';
import type { FactKey } from './patient-facts';

/** The form values with the data of the card, and the postal code of its address. */
export function cardValues(values: PatientValues, card: CardData, places: Place[]): PatientValues {
  const { address: read = {}, ...fields } = card;
  const moved = read.subdistrict !== undefined && read.subdistrict !== values.address.subdistrict;
  const address = { ...values.address, ...(moved && { postalCode: '' }), ...read };
  const postalCode = address.postalCode || findPlace(places, address)?.postalCodes[0] || '';
  const birth = fields.birthDate ? { birthPrecision: 'DAY' as const } : {};
  return { ...values, idType: 'CID', ...fields, ...birth, address: { ...address, postalCode } };
}

const READ: FactKey[] = [
  'idCard',
  'prename',
  'firstName',
  'lastName',
  'firstNameEn',
  'lastNameEn',
  'sex',
  'birthDate',
  'address.line',
  'address.moo',
  'address.subdistrict',
  'address.district',
  'address.province',
  'address.postalCode',
];

/**
 * The facts that the card would fill in, and those of them that would replace typed values. A masked number that
 * matches the card counts as empty.
 */
export function cardChanges(
  values: PatientValues,
  read: PatientValues,
): { fills: FactKey[]; replaces: FactKey[] } {
  const changed = READ.filter((fact) => at(values, fact) !== at(read, fact));
  const open = (fact: FactKey) =>
    at(values, fact) === '' || (fact === 'idCard' && fitsMask(values.idCard, read.idCard));
  return { fills: changed.filter(open), replaces: changed.filter((fact) => !open(fact)) };
}

/** The values of those facts on the card, by the paths of their inputs. */
export function readMarks(read: PatientValues, facts: FactKey[]): Record<string, unknown> {
  return Object.fromEntries(facts.map((fact) => [fact, at(read, fact)]));
}

function at(values: PatientValues, fact: FactKey): unknown {
  const [top = '', name] = fact.split('.');
  return name ? values.address[name as keyof AddressValues] : (values[top] ?? EMPTY_PATIENT[top]);
}
