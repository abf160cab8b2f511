import type { Requirement } from '@/entities/session/permissions';

/** Permission to see who is booked. */
export const SHOW_NAMES = ['APPOINTMENT.SHOW'] as const satisfies Requirement;
/** Permissions of which one is needed to see how full the days are. */
export const SHOW_LOAD = ['APPOINTMENT.SHOW', 'DASHBOARD.SHOW'] as const satisfies Requirement;
