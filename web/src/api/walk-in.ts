import type { components } from './schema';

type Schemas = components['schemas'];

/** True for a patient who stands at the desk: slots are asked for as for the kind WALK_IN. */
export const isWalkIn = ({
  kind,
  channel,
}: {
  kind: Schemas['AppointmentKind'];
  channel: Schemas['Channel'];
}) => kind === 'WALK_IN' || channel === 'WALK_IN';
