import { useMediaQuery } from '@mantine/hooks';

/** Reports whether there is a keyboard and a mouse; hints about keys and dragging are not shown otherwise. */
export function useKeyboard(): boolean {
  return (
    useMediaQuery('(hover: hover) and (pointer: fine)', true, { getInitialValueInEffect: false }) ?? true
  );
}
