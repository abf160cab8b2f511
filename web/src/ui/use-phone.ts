import { useMediaQuery } from '@mantine/hooks';

/** Whether the window is as narrow as a phone, for components that render differently there; CSS has the same limit. */
export function usePhone(): boolean {
  return useMediaQuery('(max-width: 599.98px)', false, { getInitialValueInEffect: false });
}
