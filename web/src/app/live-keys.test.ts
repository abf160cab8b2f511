import { expect, test } from 'vitest';
import type { LiveEvent } from '@/api/live-events';
import { isConcerned, isFollower } from './live-keys';

const BOOKED: LiveEvent = { kind: 'appointment', id: 7, serviceId: 3, date: '2026-11-17', version: 1 };
const MARKED: LiveEvent = { ...BOOKED, version: 2 };
const CAPACITY: LiveEvent = { kind: 'slot', serviceId: 3, date: '2026-11-17' };
const CLOSURE: LiveEvent = { kind: 'closure', id: 1, date: '2026-11-17' };
const SERVICE: LiveEvent = { kind: 'service', id: 3, serviceId: 3, version: 2 };
const SETTING: LiveEvent = { kind: 'setting', version: 2 };
/** For an uncommitted move, which refetches nothing. */
const PROGRESS: LiveEvent = { kind: 'progress', id: 7, done: 3, total: 9 };
const EVENTS = { BOOKED, MARKED, CAPACITY, CLOSURE, SERVICE, SETTING, PROGRESS };

const SHOWN = { items: [{ id: 7 }] };

test.each<[string, unknown[], (keyof typeof EVENTS)[], unknown?]>([
  ['a list without limits', ['appointment', 'list', { page: 1 }], ['BOOKED', 'MARKED', 'SERVICE']],
  [
    'a list of that day and service',
    ['appointment', 'list', { dateFrom: '2026-11-17', dateTo: '2026-11-17', serviceIds: [2, 3] }],
    ['BOOKED', 'MARKED', 'SERVICE'],
  ],
  ['a list of later days', ['appointment', 'list', { dateFrom: '2026-11-18' }], ['SERVICE']],
  ['a list of earlier days', ['appointment', 'list', { dateTo: '2026-11-16' }], ['SERVICE']],
  ['a list of another service', ['appointment', 'list', { serviceIds: [4] }], []],
  ['the appointment', ['appointment', 'one', 7], ['BOOKED', 'MARKED']],
  ['another appointment', ['appointment', 'one', 8], []],
  [
    'seats around the day',
    ['appointment', 'slots', 3, '2026-11-15', '2026-11-28'],
    ['BOOKED', 'MARKED', 'CAPACITY', 'CLOSURE', 'SERVICE'],
  ],
  // Hours may change from any day, and a closure may span several days.
  ['seats of later days', ['appointment', 'slots', 3, '2026-11-18', '2026-11-28'], ['CLOSURE', 'SERVICE']],
  ['seats of another service', ['appointment', 'slots', 4, '2026-11-15', '2026-11-28'], ['CLOSURE']],
  [
    'the week of the service',
    ['schedule', 'slots', 3, '2026-11-16', '2026-11-22'],
    ['BOOKED', 'MARKED', 'CAPACITY', 'CLOSURE', 'SERVICE'],
  ],
  ['who waits for the seat', ['appointment', 'waitlist', 3, '2026-11-17', '09:00'], ['BOOKED', 'MARKED']],
  ['who waits on another day', ['appointment', 'waitlist', 3, '2026-11-18', '09:00'], []],
  ['a patient’s appointments', ['appointment', 'timeline', 1], ['BOOKED']],
  ['the appointments of its patient', ['appointment', 'timeline', 1], ['BOOKED', 'MARKED'], SHOWN],
  [
    'a month of the calendar',
    ['appointment', 'calendar', 'month', { dateFrom: '2026-11-01', dateTo: '2026-11-30' }],
    ['BOOKED', 'MARKED', 'CAPACITY', 'CLOSURE', 'SERVICE'],
  ],
  [
    'another month of the calendar',
    ['appointment', 'calendar', { dateFrom: '2026-12-01', dateTo: '2026-12-31' }],
    ['CLOSURE', 'SERVICE'],
  ],
  [
    'a calendar whose key says nothing',
    ['appointment', 'calendar'],
    ['BOOKED', 'MARKED', 'CAPACITY', 'CLOSURE', 'SERVICE'],
  ],
  ['the dashboard', ['dashboard', 'summary'], ['BOOKED', 'MARKED', 'CAPACITY', 'CLOSURE', 'SERVICE']],
  ['the results of the appointment', ['result', 'list', 7], ['BOOKED', 'MARKED']],
  ['the results of another one', ['result', 'list', 8], []],
  ['closures', ['schedule', 'closures', '2026-01-01', '2026-12-31', 0], ['CLOSURE']],
  ['the services', ['service', 'all'], ['SERVICE']],
  ['the settings', ['setting'], ['SETTING']],
  ['the hospital’s name', ['hospital'], ['SETTING']],
  ['a plan that a user edits', ['schedule', 'plan', 1], []],
  ['the session', ['session', 'me'], []],
])('%s', (_, key, expected, data) => {
  const concerned = Object.entries(EVENTS).filter(([, event]) => isConcerned(event, key, data));
  expect(concerned.map(([name]) => name)).toEqual(expected);
});

test('a refetch event refetches all following queries, and no others', () => {
  expect(isFollower(['appointment', 'list', { dateFrom: '2027-01-01' }])).toBe(true);
  expect(isFollower(['dashboard'])).toBe(true);
  expect(isFollower(['schedule', 'plan', 1])).toBe(false);
  expect(isFollower(['patient', 'one', 1])).toBe(false);
  expect(isFollower(['session', 'permissions'])).toBe(false);
});
