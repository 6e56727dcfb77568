import { within } from '../egress/index.ts';

/** After the abort a source has this long to return a partial answer. */
const GRACE_MS = 250;

interface Wait<T> {
  ms: number;
  /** Aborting ends the wait at once. */
  signal: AbortSignal;
  /** Returned if the source is too late or throws, so that neither spoils the observation. */
  late: T;
  onFault: (error: unknown) => void;
}

/** Runs a source with a time limit. Returns `late` on timeout or error. Never rejects. */
export async function waited<T>(
  work: (until: AbortSignal) => Promise<T>,
  { ms, signal, late, onFault }: Wait<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, ms);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await within(work(controller.signal), { ms: ms + GRACE_MS, signal }, late);
  } catch (error) {
    onFault(error);
    return late;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
