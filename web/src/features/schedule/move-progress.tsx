import { Progress, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { onLiveEvent } from '@/api/live-events';
import { useLiveStatus } from '@/api/live-status';
import { useT } from '@/i18n/provider';
import classes from './move.module.css';

interface MoveProgressProps {
  closureId: number;
  /** How many appointments the request moves; the server's own count replaces it. */
  count: number;
}

/** Screen readers announce the progress this many times. */
const ANNOUNCEMENTS = 4;

/**
 * The progress of moving the appointments of a closure, mounted while the request runs. Without events, or before the
 * first one, the bar is indeterminate. It goes back if the server has to start again.
 */
export function MoveProgress({ closureId, count }: MoveProgressProps) {
  const words = useT().schedule.move;
  const [received, setReceived] = useState<{ done: number; total: number } | null>(null);
  useEffect(
    () =>
      onLiveEvent(({ kind, id, done = 0, total = 0 }) => {
        if (kind === 'progress' && id === closureId && total > 0) setReceived({ done, total });
      }),
    [closureId],
  );
  const progress = useLiveStatus() === 'lost' ? null : received;
  const text = progress ? words.moved(progress.done, progress.total) : words.applying(count);
  return (
    <div className={classes.progress}>
      <Text size="sm" className="tabular" mb={4}>
        {text}
      </Text>
      <Progress.Root
        role="progressbar"
        aria-label={words.applying(progress?.total ?? count)}
        {...(progress && {
          'aria-valuemin': 0,
          'aria-valuemax': progress.total,
          'aria-valuenow': progress.done,
          'aria-valuetext': text,
        })}
        transitionDuration={200}
      >
        <Progress.Section
          withAria={false}
          color="var(--app-primary-text)"
          value={progress ? (100 * progress.done) / progress.total : 40}
          className={progress ? undefined : classes.indeterminate}
        />
      </Progress.Root>
      <span role="status" className="heard">
        {progress ? announced(progress, words) : words.applying(count)}
      </span>
    </div>
  );
}

/** The text for screen readers, which changes only after each quarter. */
function announced(
  { done, total }: { done: number; total: number },
  words: { applying: (count: number) => string; moved: (done: number, total: number) => string },
): string {
  const part = Math.floor((ANNOUNCEMENTS * done) / total);
  return part === 0 ? words.applying(total) : words.moved(Math.ceil((part * total) / ANNOUNCEMENTS), total);
}
