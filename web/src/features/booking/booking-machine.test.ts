import { describe, expect, test } from 'vitest';
import { anAppointment } from '@/test/appointments';
import {
  type BookingChoice,
  type BookingEvent,
  type BookingFacts,
  type BookingState,
  bookingReducer,
  hasChoices,
  incompleteStep,
  previewOf,
  startBooking,
  stepOf,
} from './booking-machine';
import { NEW_BOOKING, seriesBody } from './booking-values';

const TODAY = '2026-11-16';
const SEAT = { date: '2026-11-17', startTime: '09:00' };
const CHOICE: BookingChoice = { patientId: 5, serviceId: 3, ...SEAT, walkIn: false, full: 'WAIT' };
const REQUEST = seriesBody(NEW_BOOKING, { patientId: 5, serviceId: 3, seat: SEAT, action: 'BOOK' });
const SERIES = { items: [anAppointment()], skipped: [] };

const start = startBooking({}, TODAY);
const stateAfter = (...events: BookingEvent[]) => events.reduce<BookingState>(bookingReducer, start);

describe('the start', () => {
  test('is empty without anything in the address', () => {
    expect(start).toMatchObject({ patientId: 0, serviceId: 0, date: '', startTime: '', full: 'WAIT' });
  });
  test('takes patient, service and time from the address', () => {
    const state = startBooking({ patientId: 5, serviceId: 3, date: TODAY, time: '09:00' }, TODAY);
    expect(state).toMatchObject({ patientId: 5, serviceId: 3, date: TODAY, startTime: '09:00' });
  });
  test('ignores a past date, and a time without a date', () => {
    const past = startBooking({ date: '2026-11-15', time: '09:00' }, TODAY);
    expect(past).toMatchObject({ date: '', startTime: '' });
    expect(startBooking({ time: '09:00' }, TODAY)).toMatchObject({ date: '', startTime: '' });
  });
});

describe('the choices', () => {
  test('a patient closes the registration and the message about the missing one', () => {
    const state = stateAfter({ type: 'register', text: 'สมชาย' }, { type: 'submit', missing: 'patient' });
    expect(state).toMatchObject({ registering: 'สมชาย', missing: 'patient' });
    expect(bookingReducer(state, { type: 'choosePatient', patientId: 5 })).toMatchObject({
      patientId: 5,
      registering: null,
      missing: null,
    });
  });
  test('another service starts with its own proposal, or keeps the day that the address asked for', () => {
    const chosen = stateAfter({ type: 'chooseTime', ...SEAT });
    expect(bookingReducer(chosen, { type: 'chooseService', serviceId: 4, keepDate: false })).toMatchObject({
      serviceId: 4,
      date: '',
      startTime: '',
    });
    expect(bookingReducer(chosen, { type: 'chooseService', serviceId: 4, keepDate: true })).toMatchObject({
      date: SEAT.date,
      startTime: '',
    });
  });
  test('are unsaved work, the patient of the address is not', () => {
    const from = { patientId: 5 };
    const state = startBooking(from);
    expect(hasChoices(state, from)).toBe(false);
    expect(hasChoices(bookingReducer(state, { type: 'changePatient' }), from)).toBe(false);
    expect(hasChoices(bookingReducer(state, { type: 'choosePatient', patientId: 6 }), from)).toBe(true);
    expect(hasChoices(bookingReducer(state, { type: 'chooseTime', ...SEAT }), from)).toBe(true);
    expect(hasChoices(bookingReducer(state, { type: 'answerFull', full: 'OVERBOOK' }), from)).toBe(true);
    const service: BookingEvent = { type: 'chooseService', serviceId: 3, keepDate: false };
    expect(hasChoices(bookingReducer(state, service), from)).toBe(true);
  });
});

describe('the action of the submit button', () => {
  const offered = stateAfter({ type: 'offer', choice: CHOICE, action: 'BOOK' });
  test('stays while the choice is the same, although the slot was filled', () => {
    expect(bookingReducer(offered, { type: 'offer', choice: { ...CHOICE }, action: 'WAIT' })).toBe(offered);
  });
  test.each<[string, Partial<BookingChoice>]>([
    ['patient', { patientId: 6 }],
    ['service', { serviceId: 4 }],
    ['time', { startTime: '09:30' }],
    ['kind of booking', { walkIn: true }],
    ['answer about a full slot', { full: 'OVERBOOK' }],
  ])('follows another %s', (_, part) => {
    const choice = { ...CHOICE, ...part };
    expect(bookingReducer(offered, { type: 'offer', choice, action: 'WAIT' }).offer).toEqual({
      choice,
      action: 'WAIT',
    });
  });
  test('is forgotten while nothing can be booked', () => {
    const none: BookingEvent = { type: 'offer', choice: null, action: 'BOOK' };
    expect(bookingReducer(offered, none).offer).toBeNull();
    expect(bookingReducer(start, none)).toBe(start);
  });
  test('changes when the user takes another', () => {
    expect(bookingReducer(offered, { type: 'follow', action: 'WAIT' }).offer).toEqual({
      choice: CHOICE,
      action: 'WAIT',
    });
    expect(bookingReducer(start, { type: 'follow', action: 'WAIT' })).toBe(start);
  });
});

describe('the step', () => {
  const facts: BookingFacts = {
    serviceId: 3,
    seat: SEAT,
    action: 'BOOK',
    overbookReason: '',
    repeat: false,
    request: REQUEST,
    error: null,
  };
  const patient: BookingEvent = { type: 'choosePatient', patientId: 5 };
  const previewed: BookingEvent = { type: 'previewed', request: REQUEST, series: SERIES };
  test.each<[string, BookingEvent[], Partial<BookingFacts>]>([
    ['patient', [], {}],
    ['service', [patient], { serviceId: 0, seat: null }],
    ['day', [patient], { seat: null }],
    ['slot', [patient, { type: 'chooseTime', date: SEAT.date, startTime: '' }], { seat: null }],
    ['full', [patient], { action: 'OVERBOOK', overbookReason: ' ' }],
    ['repeat', [patient], { repeat: true }],
    ['repeat', [patient, previewed], { repeat: true, request: { ...REQUEST, count: 9 } }],
    ['repeat', [patient, previewed, { type: 'failed' }], { repeat: true }],
    ['confirm', [patient], {}],
    ['confirm', [patient], { action: 'WAIT' }],
    ['confirm', [patient], { action: 'OVERBOOK', overbookReason: 'ด่วน' }],
    ['confirm', [patient, previewed], { repeat: true, request: { ...REQUEST } }],
    ['failed', [patient], { error: new Error('SLOT_FULL') }],
    ['done', [patient, { type: 'booked', booked: SERIES }], {}],
  ])('is %s', (step, events, part) => {
    expect(stepOf(stateAfter(...events), { ...facts, ...part })).toBe(step);
  });
  test('what is incomplete is asked for also after a failure', () => {
    expect(incompleteStep(start, facts)).toBe('patient');
    expect(incompleteStep(stateAfter(patient), facts)).toBeNull();
  });
  test('a preview counts again when its request is restored', () => {
    const state = stateAfter(previewed);
    expect(previewOf(state, { ...REQUEST, note: 'x' })).toBeNull();
    expect(previewOf(state, { ...REQUEST })).toBe(SERIES);
  });
});
