import type { components } from '@/api/schema';

type Schemas = components['schemas'];

/** True if slots are requested with the kind WALK_IN, for which the lead time does not apply. */
export const isWalkIn = ({
  kind,
  channel,
}: {
  kind: Schemas['AppointmentKind'];
  channel: Schemas['Channel'];
}) => kind === 'WALK_IN' || channel === 'WALK_IN';
