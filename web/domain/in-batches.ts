import { ApiError } from '../lib/api-error.ts';
import { useEffect } from 'react';

const MAX_WAIT_S = 90;

export interface BatchRun<Item, Answer> {
  items: readonly Item[];
  /** The most items per call. */
  size: number;
  /** Returns one answer per item, in order. */
  send: (batch: readonly Item[]) => Promise<readonly Answer[]>;
  onAnswers: (batch: readonly Item[], answers: readonly Answer[]) => void;
  /** Called with the seconds that the server asked us to wait, and with null when the run continues. */
  onWait?: (seconds: number | null) => void;
  /** Stops the run between two calls, so that every call gets its response. */
  signal: AbortSignal;
  /** Resolves after this many ms, or when the signal aborts. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * How many items were answered, and the error that ended the run early. The error is null if the run was complete or was
 * stopped by its signal.
 */
export interface BatchOutcome {
  answered: number;
  error: unknown;
}

/** Sends the items in batches. The outcome has only answered items; the caller can start another run with the rest. */
export async function inBatches<Item, Answer>(run: BatchRun<Item, Answer>): Promise<BatchOutcome> {
  const { items, size, send, onAnswers, onWait, signal, wait = waitFor } = run;
  let answered = 0;
  while (answered < items.length && !signal.aborted) {
    const batch = items.slice(answered, answered + size);
    let answers: readonly Answer[];
    try {
      answers = await send(batch);
      if (answers.length !== batch.length)
        throw new ApiError('The server sent an unexpected response', { status: 200 });
    } catch (error) {
      const seconds = secondsToWait(error);
      if (seconds === null) return { answered, error };
      onWait?.(seconds);
      await wait(seconds * 1000, signal);
      onWait?.(null);
      continue;
    }
    answered += batch.length;
    // An error in this callback is not a failed call, so it is thrown.
    onAnswers(batch, answers);
  }
  return { answered, error: null };
}

/** Returns the seconds that the server asked us to wait. Null if the error is not a rate limit that ends soon. */
function secondsToWait(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.status !== 429) return null;
  const seconds = error.retryAfterSeconds;
  return seconds === null || seconds > MAX_WAIT_S ? null : Math.max(1, seconds);
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Asks before the page is closed during a run. */
export function useWarnBeforeLeaving(isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isRunning]);
}
