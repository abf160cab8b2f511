import { useState } from 'react';
import type { BookingAction } from './booking-values';

/**
 * useBookingAction keeps the action of the submit button while `choice` is the same, although other users fill or free the
 * slot. `choice` identifies what the user has chosen; null while nothing can be booked.
 */
export function useBookingAction(choice: string | null, now: BookingAction) {
  const [offer, setOffer] = useState({ choice, action: now });
  const stays = choice !== null && offer.choice === choice;
  if (!stays && (offer.choice !== choice || offer.action !== now)) setOffer({ choice, action: now });
  return {
    action: stays ? offer.action : now,
    /** What can be done now instead, after other users filled or freed the slot. */
    instead: stays && offer.action !== now ? now : null,
    follow: () => setOffer({ choice, action: now }),
  };
}
