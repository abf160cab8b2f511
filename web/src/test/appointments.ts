import type { components } from '@/api/schema';

type Appointment = components['schemas']['Appointment'];

/** An appointment with what a test is about. */
export function anAppointment(fields: Partial<Appointment> = {}): Appointment {
  return {
    id: 7,
    number: 'A6911-0007',
    patientId: 1,
    serviceId: 3,
    date: '2026-11-16',
    startTime: '09:00',
    endTime: '09:30',
    staffId: null,
    customerId: null,
    kind: 'NEW',
    channel: 'STAFF',
    priority: 'ROUTINE',
    reason: '',
    note: '',
    overbookReason: '',
    status: 'BOOKED',
    overbooked: false,
    seriesId: null,
    followUpOfId: null,
    cancelReason: '',
    queueNo: null,
    checkedInAt: null,
    startedAt: null,
    completedAt: null,
    version: 1,
    createdBy: 1,
    createdAt: '2026-11-15T02:00:00Z',
    updatedAt: '2026-11-15T02:00:00Z',
    patient: {
      id: 1,
      hn: '0000001',
      prename: 'นาง',
      firstName: 'สมศรี',
      lastName: 'ใจดี',
      birthDate: '1980-05-05',
      birthPrecision: 'DAY',
      sex: 'F',
      phone: '0812345678',
      rightCode: 'UCS',
    },
    service: { id: 3, code: 'MED', name: 'อายุรกรรม', color: '#0f766e' },
    staff: null,
    resultCount: 0,
    ...fields,
  };
}
