import { ApiError } from '../../lib/api-client.ts';

const LONGEST_WAIT_S = 90;

export interface BatchRun<Item, Answer> {
  items: readonly Item[];
  /** The most that one call takes. */
  size: number;
  /** One answer for each item, in their order. */
  send: (batch: readonly Item[]) => Promise<readonly Answer[]>;
  onAnswers: (batch: readonly Item[], answers: readonly Answer[]) => void;
  /** The server asked to wait (seconds), and the run goes on by itself afterwards; null: it goes on. */
  onWait?: (seconds: number | null) => void;
  /** Stops it between two calls, so that each that was begun is also heard. */
  signal: AbortSignal;
  /** Resolves after so many ms, or when the signal aborts. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How many items were answered, and what ended the run before all were; null: nothing did, or it was stopped. */
export interface BatchOutcome {
  answered: number;
  error: unknown;
}

/**
 * Sends one batch after the other. What is not answered is no part of the outcome: whoever began the run still has it and
 * can begin another one with the rest.
 */
export async function inBatches<Item, Answer>(run: BatchRun<Item, Answer>): Promise<BatchOutcome> {
  const { items, size, send, onAnswers, onWait, signal, wait = waitFor } = run;
  let answered = 0;
  while (answered < items.length && !signal.aborted) {
    const batch = items.slice(answered, answered + size);
    let answers: readonly Answer[];
    try {
      answers = await send(batch);
      if (answers.length !== batch.length)
        throw new ApiError('The server answered in a way this page does not understand', { status: 200 });
    } catch (error) {
      const seconds = secondsToWait(error);
      if (seconds === null) return { answered, error };
      onWait?.(seconds);
      await wait(seconds * 1000, signal);
      onWait?.(null);
      continue;
    }
    answered += batch.length;
    // What fails in here is no failed call: it is thrown.
    onAnswers(batch, answers);
  }
  return { answered, error: null };
}

/** Only a refusal that says itself when it ends, and soon, is worth waiting for. */
function secondsToWait(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.status !== 429) return null;
  const seconds = error.retryAfterSeconds;
  return seconds === null || seconds > LONGEST_WAIT_S ? null : Math.max(1, seconds);
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
