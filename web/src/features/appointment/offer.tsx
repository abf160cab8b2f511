import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useLanguage, useT } from '@/i18n/provider';
import { type Seat, seatText } from './words';

/** What is done with a seat: a full one is waited for, or taken beyond the capacity. */
export type Deed = 'BOOK' | 'WAIT' | 'OVERBOOK';

interface Offer {
  /** What the form's button says and does. */
  deed: Deed;
  /** What could be done now instead, after others have filled or freed the seat. */
  instead: Deed | null;
  /** Takes what can be done now. */
  follow: () => void;
}

/**
 * What the button of the form does changes by the hand of who fills it in, never under it: news from another desk between
 * looking and pressing must not make a booking of a wait, nor a wait of a booking. `hand` is what was chosen; null while
 * nothing can be booked.
 */
export function useOffer(hand: string | null, now: Deed): Offer {
  const [offer, setOffer] = useState({ hand, deed: now });
  const stays = hand !== null && offer.hand === hand;
  if (!stays && (offer.hand !== hand || offer.deed !== now)) setOffer({ hand, deed: now });
  return {
    deed: stays ? offer.deed : now,
    instead: stays && offer.deed !== now ? now : null,
    follow: () => setOffer({ hand, deed: now }),
  };
}

interface OfferChangedProps {
  offer: Offer;
  /** A free seat to take instead. */
  free: Seat | null;
  onTake: (seat: Seat) => void;
  onFollow: () => void;
}

/** Below the button, where it moves nothing: what others have changed, and what to do instead. */
export function OfferChanged({
  offer: { deed, instead, follow },
  free,
  onTake,
  onFollow,
}: OfferChangedProps) {
  const t = useT();
  const { language } = useLanguage();
  const text = useId();
  if (!instead) return null;
  const words = t.appointment.changed;
  return (
    <Alert role="alert" color="orange" icon={<IconAlertTriangle aria-hidden />} p="xs" data-offer-changed>
      <Text id={text} size="sm" mb={6}>
        {instead === 'BOOK' ? words.freed : deed === 'OVERBOOK' ? words.spent : words.filled}
      </Text>
      <Group gap="xs">
        {free && instead !== 'BOOK' && (
          <Button variant="default" size="compact-md" aria-describedby={text} onClick={() => onTake(free)}>
            {words.to(seatText(t, language, free))}
          </Button>
        )}
        <Button
          variant="default"
          size="compact-md"
          aria-describedby={text}
          onClick={() => {
            follow();
            onFollow();
          }}
        >
          {words.to(t.appointment.deed[instead])}
        </Button>
      </Group>
    </Alert>
  );
}
