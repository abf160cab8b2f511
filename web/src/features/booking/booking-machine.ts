import type { SeriesBooked, SeriesInput } from '@/entities/appointment/api';
import type { Seat } from '@/entities/appointment/appointment-text';
import type { FullAnswer } from '@/entities/appointment/full-slot-choice';
import { shallowEqual } from '@/lib/shallow-equal';
import { hospitalToday } from '@/lib/thai-date';
import type { BookingAction } from './booking-values';

/** What the address may already contain. */
export interface BookingStart {
  patientId?: number;
  serviceId?: number;
  date?: string;
  time?: string;
  followUpOfId?: number;
}

/** Everything that decides what the submit button books. */
export interface BookingChoice extends Seat {
  patientId: number;
  serviceId: number;
  walkIn: boolean;
  full: FullAnswer;
}

export interface BookingState {
  /** 0 while none is chosen; the same for the service. */
  patientId: number;
  serviceId: number;
  /** Empty until the user chooses: then the soonest free seat is proposed. */
  date: string;
  startTime: string;
  full: FullAnswer;
  /** The search text with which the registration of a new patient was opened. */
  registering: string | null;
  /** The action of the submit button, and the choice it was offered for. */
  offer: { choice: BookingChoice; action: BookingAction } | null;
  /** The series the server proposed, and the request it is the answer to. */
  preview: { request: SeriesInput; series: SeriesBooked } | null;
  /** The incomplete step that the last submission was rejected for. */
  missing: BookingStep | null;
  booked: SeriesBooked | null;
}

export type BookingStep =
  | 'patient'
  | 'service'
  | 'day'
  | 'slot'
  | 'full'
  | 'repeat'
  | 'confirm'
  | 'done'
  | 'failed';

export type BookingEvent =
  | { type: 'choosePatient'; patientId: number }
  | { type: 'changePatient' }
  | { type: 'register'; text: string }
  | { type: 'cancelRegistration' }
  | { type: 'chooseService'; serviceId: number; keepDate: boolean }
  | { type: 'chooseTime'; date: string; startTime: string }
  | { type: 'answerFull'; full: FullAnswer }
  /** What can be done with the choice now; a null choice cannot be booked yet. */
  | { type: 'offer'; choice: BookingChoice | null; action: BookingAction }
  /** The user takes another action for the same choice. */
  | { type: 'follow'; action: BookingAction }
  | { type: 'submit'; missing: BookingStep | null }
  | { type: 'previewed'; request: SeriesInput; series: SeriesBooked }
  | { type: 'booked'; booked: SeriesBooked }
  | { type: 'failed' };

/** The state a booking starts with. A past date in the address is ignored. */
export function startBooking(
  { patientId = 0, serviceId = 0, date = '', time = '' }: BookingStart,
  today = hospitalToday(),
): BookingState {
  const inTime = date >= today;
  return {
    patientId,
    serviceId,
    date: inTime ? date : '',
    startTime: date && inTime ? time : '',
    full: 'WAIT',
    registering: null,
    offer: null,
    preview: null,
    missing: null,
    booked: null,
  };
}

export function bookingReducer(state: BookingState, event: BookingEvent): BookingState {
  switch (event.type) {
    case 'choosePatient':
      return { ...state, patientId: event.patientId, registering: null, missing: null };
    case 'changePatient':
      return { ...state, patientId: 0 };
    case 'register':
      return { ...state, registering: event.text };
    case 'cancelRegistration':
      return { ...state, registering: null };
    case 'chooseService':
      return {
        ...state,
        serviceId: event.serviceId,
        date: event.keepDate ? state.date : '',
        startTime: '',
      };
    case 'chooseTime':
      return { ...state, date: event.date, startTime: event.startTime };
    case 'answerFull':
      return { ...state, full: event.full };
    case 'offer':
      return offered(state, event.choice, event.action);
    case 'follow':
      return state.offer ? { ...state, offer: { ...state.offer, action: event.action } } : state;
    case 'submit':
      return { ...state, missing: event.missing };
    case 'previewed':
      return { ...state, preview: { request: event.request, series: event.series } };
    case 'booked':
      return { ...state, booked: event.booked };
    case 'failed':
      return { ...state, preview: null };
  }
}

/**
 * The action of the submit button changes only when the user changes the choice. When other users fill or free the slot
 * in between, a booking must not become a place on the waiting list, or the other way round, unnoticed.
 */
function offered(state: BookingState, choice: BookingChoice | null, action: BookingAction): BookingState {
  if (!choice) return state.offer ? { ...state, offer: null } : state;
  if (state.offer && shallowEqual(state.offer.choice, choice)) return state;
  return { ...state, offer: { choice, action } };
}

/** What decides the step besides the state: the data from the server and the rest of the form. */
export interface BookingFacts {
  /** The chosen service, or the only one. */
  serviceId: number;
  /** The chosen seat, or the proposed one. */
  seat: Seat | null;
  action: BookingAction;
  overbookReason: string;
  repeat: boolean;
  /** The request for the series, to see whether the preview is its answer. */
  request: SeriesInput;
  error: unknown;
}

/** The first step that the user has to complete before anything can be sent, or null. */
export function incompleteStep(
  { patientId, date }: BookingState,
  { serviceId, seat, action, overbookReason }: Omit<BookingFacts, 'repeat' | 'request' | 'error'>,
): BookingStep | null {
  if (!patientId) return 'patient';
  if (!serviceId) return 'service';
  if (!seat) return date ? 'slot' : 'day';
  return action === 'OVERBOOK' && overbookReason.trim() === '' ? 'full' : null;
}

/** The preview, if it is the answer to this request. */
export function previewOf({ preview }: BookingState, request: SeriesInput): SeriesBooked | null {
  return preview && shallowEqual(preview.request, request) ? preview.series : null;
}

/** The step the booking is at. */
export function stepOf(state: BookingState, facts: BookingFacts): BookingStep {
  if (state.booked) return 'done';
  if (facts.error !== null) return 'failed';
  const incomplete = incompleteStep(state, facts);
  if (incomplete) return incomplete;
  return facts.repeat && !previewOf(state, facts.request) ? 'repeat' : 'confirm';
}

/** True if the user has chosen something that would be lost. */
export function hasChoices(state: BookingState, start: BookingStart): boolean {
  const { patientId, serviceId, date, startTime, full } = startBooking(start);
  const otherPatient = state.patientId > 0 && state.patientId !== patientId;
  return (
    otherPatient ||
    state.serviceId !== serviceId ||
    state.date !== date ||
    state.startTime !== startTime ||
    state.full !== full
  );
}
