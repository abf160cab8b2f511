export type Level = 'none' | 'low' | 'half' | 'high' | 'full' | 'over';

/** How full: the colour changes at a half and at four fifths. */
export function levelOf(booked: number, capacity: number): Level {
  if (booked > capacity) return 'over';
  if (capacity === 0) return 'none';
  const share = booked / capacity;
  if (share >= 1) return 'full';
  if (share >= 0.8) return 'high';
  return share >= 0.5 ? 'half' : 'low';
}
