import { useEffect, useState } from 'react';
import { addDays, hospitalToday, startOfDay } from '@/lib/thai-date';

/**
 * Returns the hospital's date. Updates at midnight, and when a hidden window becomes visible: timers do not run while
 * the computer sleeps.
 */
export function useToday(): string {
  const [today, setToday] = useState(() => hospitalToday());
  useEffect(() => {
    const look = () => setToday(hospitalToday());
    const timer = setTimeout(look, Date.parse(startOfDay(addDays(today, 1))) - Date.now());
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [today]);
  return today;
}
