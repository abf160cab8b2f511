import { useMediaQuery } from '@mantine/hooks';

/** Whether the screen is a phone's: what the style sheets say from 599.98 px down, for what is drawn otherwise there. */
export function usePhone(): boolean {
  return useMediaQuery('(max-width: 599.98px)', false, { getInitialValueInEffect: false });
}
