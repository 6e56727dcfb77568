import { within } from '../egress/index.ts';

/** After its signal a source has this long to say what it knows so far. */
const GRACE_MS = 250;

interface Wait<T> {
  ms: number;
  /** Aborted, it ends the wait at once. */
  signal: AbortSignal;
  /** Stands for an answer that did not come, and for a fault of the source itself: neither costs a look its result. */
  late: T;
  onFault: (error: unknown) => void;
}

/** Waits for one source of a look, no longer than it may. Never rejects. */
export async function waited<T>(
  work: (until: AbortSignal) => Promise<T>,
  { ms, signal, late, onFault }: Wait<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const timer = setTimeout(stop, ms);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await within(work(controller.signal), { ms: ms + GRACE_MS, signal }, late);
  } catch (error) {
    onFault(error);
    return late;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
