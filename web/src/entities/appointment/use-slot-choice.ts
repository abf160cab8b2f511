import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Service } from '@/entities/service/api';
import { shallowEqual } from '@/lib/shallow-equal';
import { addDays, hospitalToday } from '@/lib/thai-date';
import { type DaySlots, type Slot, slotsQuery } from './api';
import type { Seat } from './appointment-text';
import { firstFree, MAX_DAYS, STRIP_DAYS, soonest, stripFrom } from './slots';

/** What the user chose; empty texts stand for the proposed seat. */
interface Choice {
  date: string;
  startTime: string;
}

/** The choice for which a proposed seat is held. */
interface HeldFor extends Choice {
  id: number;
  walkIn: boolean;
}

export interface SlotChoice {
  /** The two weeks of the strip; undefined until they are known. */
  days: DaySlots[] | undefined;
  from: string;
  show: (from: string | null) => void;
  /** The day whose slots are shown. */
  day: DaySlots | undefined;
  /** The slot that would be booked now. */
  slot: Slot | undefined;
  /** The soonest free seat; null when there is none in two months. */
  proposal: Seat | null | undefined;
  error: unknown;
  retry: () => unknown;
}

/**
 * useSlotChoice returns the slots of a service around a choice, and proposes the soonest free seat if nothing is
 * chosen. A proposed seat is held until the choice changes, even if other users take it, because it may have been read
 * out to the patient. It is not held while `loose` is true. `first` is the first day of the strip.
 */
export function useSlotChoice(
  service: Service | undefined,
  choice: Choice,
  walkIn: boolean,
  loose = false,
  first: string | null = null,
): SlotChoice {
  const id = service?.id ?? 0;
  const today = hospitalToday();
  const [chosenFrom, setChosenFrom] = useState<string | null>(first);
  const [held, setHeld] = useState<{ heldFor: HeldFor; seat: Seat } | null>(null);
  const heldFor: HeldFor = { id, date: choice.date, startTime: choice.startTime, walkIn };
  const isHeld = held !== null && shallowEqual(held.heldFor, heldFor);
  const heldSeat = !loose && isHeld ? held.seat : null;
  const firstWeeks = useQuery({
    ...slotsQuery(id, today, addDays(today, STRIP_DAYS - 1), walkIn),
    enabled: service !== undefined,
  });
  const firstSeat = firstWeeks.data && soonest(firstWeeks.data);
  const laterDays = useQuery({
    ...slotsQuery(id, addDays(today, STRIP_DAYS), addDays(today, STRIP_DAYS + MAX_DAYS - 1), walkIn),
    enabled: firstSeat === null,
  });
  const proposal =
    firstSeat ?? (laterDays.data ? soonest(laterDays.data) : laterDays.error ? null : undefined);
  const date = choice.date || heldSeat?.date || proposal?.date || '';
  const from = chosenFrom ?? stripFrom(date || null, today);
  const shown = useQuery({
    ...slotsQuery(id, from, addDays(from, STRIP_DAYS - 1), walkIn),
    enabled: service !== undefined,
  });
  const known = [...(shown.data ?? []), ...(firstWeeks.data ?? []), ...(laterDays.data ?? [])].find(
    (day) => day.date === date,
  );
  // A chosen day outside the strip.
  const chosenDay = useQuery({
    ...slotsQuery(id, date, date, walkIn),
    enabled: date !== '' && !known && id > 0,
  });
  const day = known ?? chosenDay.data?.[0];
  const slot = day && slotOf(day, choice.startTime || heldSeat?.startTime);
  // Placeholder data is for the other kind of booking: do not hold a seat that it proposes.
  const settled = ![firstWeeks, laterDays, shown, chosenDay].some(
    ({ isPlaceholderData }) => isPlaceholderData,
  );
  if (held && (loose || !isHeld)) setHeld(null);
  else if (!held && !loose && settled && day && slot)
    setHeld({ heldFor, seat: { date: day.date, startTime: slot.startTime } });
  return {
    days: shown.data,
    from,
    show: setChosenFrom,
    day,
    slot,
    proposal,
    error: shown.error ?? firstWeeks.error,
    retry: () => Promise.all([shown.refetch(), firstWeeks.refetch()]),
  };
}

function slotOf(day: DaySlots, startTime: string | undefined): Slot | undefined {
  return startTime ? day.slots.find((slot) => slot.startTime === startTime) : firstFree(day);
}
