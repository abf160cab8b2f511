import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { adminToken } from '@/api/token';
import { readClaims } from '@/entities/session/session';

const CHECK_EVERY_MS = 15_000;

/**
 * Detects a token that expired or was changed in another tab without waiting for the next click: patient data must not
 * stay on screen after the session. The route guard then decides; another user's token reloads the page.
 */
export function useSessionWatch(): void {
  const router = useRouter();
  const token = useRef(adminToken());
  useEffect(() => {
    const check = () => {
      if (!readClaims()) void router.invalidate();
      else if (adminToken() !== token.current) location.reload();
    };
    const timer = setInterval(check, CHECK_EVERY_MS);
    document.addEventListener('visibilitychange', check);
    window.addEventListener('focus', check);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', check);
      window.removeEventListener('focus', check);
    };
  }, [router]);
}
