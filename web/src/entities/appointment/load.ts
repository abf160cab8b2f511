/** How full a slot, a service or a day is; `none` is a capacity of zero without bookings. */
export type Level = 'none' | 'low' | 'half' | 'high' | 'full' | 'over';

/** levelOf changes at a half and at four fifths of the capacity. */
export function levelOf(booked: number, capacity: number): Level {
  if (booked > capacity) return 'over';
  if (capacity === 0) return 'none';
  const share = booked / capacity;
  if (share >= 1) return 'full';
  if (share >= 0.8) return 'high';
  return share >= 0.5 ? 'half' : 'low';
}
