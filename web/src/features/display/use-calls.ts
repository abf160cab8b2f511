import { useEffect, useRef, useState } from 'react';
import type { Board } from './api';
import { Chime } from './chime';

const SOUND = 'nadmor.display.sound';

/** The number that was called last since the screen was opened; calls `onCall` for it. */
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
  /** Off, or waiting for somebody to touch the screen. */
  on: boolean;
  toggle: () => void;
  ring: () => void;
}

/** Off until somebody wants it; then remembered, though after a reload most browsers want to be touched once more. */
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
