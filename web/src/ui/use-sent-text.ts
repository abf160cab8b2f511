import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

/**
 * Text that is sent while one types, a moment after the last key. `value` is what was sent last; a change of it from
 * outside (Back, a link, "clear all") shows in the text, and the text's own on its way round does not disturb the typing.
 */
export function useSentText(
  value: string,
  send: (text: string) => void,
  delayMs: number,
): [text: string, change: (typed: string) => void] {
  const [text, setText] = useState(value);
  // The value that `text` was last made from or sent as: when `value` differs, it was changed elsewhere.
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
