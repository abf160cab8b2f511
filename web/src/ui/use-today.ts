import { useEffect, useState } from 'react';
import { addDays, hospitalToday, startOfDay } from '@/lib/thai-date';

/**
 * The hospital's day. What uses it is drawn again when midnight passes, and when somebody comes back to a window in
 * which it passed unseen: a computer that slept has no timers.
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
