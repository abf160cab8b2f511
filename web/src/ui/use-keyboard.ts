import { useMediaQuery } from '@mantine/hooks';

/** Whether there is a keyboard and a mouse: what is said of keys, pointing and dragging means nothing on a phone. */
export function useKeyboard(): boolean {
  return (
    useMediaQuery('(hover: hover) and (pointer: fine)', true, { getInitialValueInEffect: false }) ?? true
  );
}
