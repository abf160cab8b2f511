import type { components } from '@/api/schema';

type Customer = components['schemas']['Customer'];

/** Returns a customer who books for herself and her child, with the given fields. */
export function aCustomer(fields: Partial<Customer> = {}): Customer {
  return {
    id: 7,
    version: 3,
    name: 'มานี มีนา',
    phone: '0811112233',
    email: '',
    lineUserId: '',
    status: 'ACTIVE',
    consentAt: '2026-10-06T04:38:00Z',
    note: '',
    patients: [
      { patientId: 1, relation: 'SELF', hn: '0000001', name: 'นางมานี มีนา' },
      { patientId: 2, relation: 'CHILD', hn: '0000002', name: 'ด.ช.ชูใจ มีนา' },
    ],
    createdAt: '2026-10-06T04:38:00Z',
    updatedAt: '2026-10-06T04:38:00Z',
    ...fields,
  };
}
