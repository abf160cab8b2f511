import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

/**
 * Text that is sent after a short delay while the user types. `value` is the text sent last. An external change of it
 * (Back, a link, "clear all") replaces the text; the user's own text coming back does not.
 */
export function useDebouncedText(
  value: string,
  send: (text: string) => void,
  delayMs: number,
): [text: string, change: (typed: string) => void] {
  const [text, setText] = useState(value);
  // The value that `text` was last set from or sent as: if `value` differs, it was changed elsewhere.
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    if (value !== text.trim()) setText(value);
  }
  const later = useDebouncedCallback((typed: string) => send(typed.trim()), delayMs);
  const change = (typed: string) => {
    setText(typed);
    later(typed);
  };
  return [text, change];
}
