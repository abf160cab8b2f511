import { useMediaQuery } from '@mantine/hooks';

/** Reports whether the screen is a phone, by the same limit as the style sheets (599.98 px). */
export function usePhone(): boolean {
  return useMediaQuery('(max-width: 599.98px)', false, { getInitialValueInEffect: false });
}
