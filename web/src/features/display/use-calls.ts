import { useEffect, useRef, useState } from 'react';
import type { Board } from './api';
import { Chime } from './chime';

const SOUND = 'nadmor.display.sound';

/** Returns the number called last since the screen was opened, and calls `onCall` for each new one. */
export function useCalls(board: Board | undefined, onCall: () => void): number | null {
  const known = useRef<readonly number[] | null>(null);
  const [called, setCalled] = useState<number | null>(null);
  const ring = useRef(onCall);
  ring.current = onCall;
  useEffect(() => {
    if (!board) return;
    const fresh = known.current && board.serving.find((number) => !known.current?.includes(number));
    known.current = board.serving;
    if (fresh === null || fresh === undefined) return;
    setCalled(fresh);
    ring.current();
  }, [board]);
  return board && called !== null && board.serving.includes(called) ? called : null;
}

interface Sound {
  /** Also false while the browser waits for a user gesture. */
  on: boolean;
  toggle: () => void;
  ring: () => void;
}

/** The sound is off until it is switched on. The choice is stored, but most browsers need a gesture after a reload. */
export function useChime(): Sound {
  const chime = useRef<Chime | null>(null);
  const [on, setOn] = useState(false);
  useEffect(() => {
    if (localStorage.getItem(SOUND) === 'on') {
      chime.current = new Chime();
      setOn(chime.current.ready);
    }
    return () => {
      chime.current?.close();
      chime.current = null;
    };
  }, []);
  const toggle = () => {
    if (on) {
      localStorage.removeItem(SOUND);
      setOn(false);
      return;
    }
    localStorage.setItem(SOUND, 'on');
    chime.current ??= new Chime();
    const { current } = chime;
    void current.unlock().then(() => {
      setOn(true);
      current.ring();
    });
  };
  return { on, toggle, ring: () => on && chime.current?.ring() };
}
