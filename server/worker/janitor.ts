import { pruneOrphanCertificates } from '../store/checks/certificates.ts';
import { sweepForecasts } from '../store/forecasts/forecasts.ts';
import { pruneFavicons } from '../store/monitors/favicons.ts';
import { correctFutureTimes, deleteExpired } from '../store/operations/sweep.ts';
import { tablesWith } from '../store/schema/catalogue.ts';
import { pruneHistory } from '../store/checks/retention.ts';
import { endOldestSessions } from '../store/accounts/sessions.ts';
import type { Store } from '../store/db/open-store.ts';
import type { Clock, Log } from './clock.ts';
import type { OwnNetwork } from './own-network.ts';
import { HOUR_MS } from '../../contract/durations.ts';

/** Minimum interval between two prunings of the history of domains. */
const PRUNE_EVERY_MS = 20 * HOUR_MS;
export interface JanitorOptions {
  store: Store;
  clock: Clock;
  /** State of our clock: while the clock is wrong, nothing is deleted or rescheduled. */
  ownNetwork: Pick<OwnNetwork, 'clockIsRight'>;
  /** Returns a random number in [0, 1) that spreads the sweeps of several workers on one database. */
  random: () => number;
  log: Log;
}

export interface Janitor {
  start(): void;
  /**
   * Runs one sweep: reschedules work that was scheduled too late because of a wrong clock, then deletes expired rows. Does
   * nothing while the clock is wrong. Rejects if a step fails.
   */
  sweep(): Promise<void>;
  /** Stops the loop, and a running sweep after its current step. */
  stop(): Promise<void>;
}

/**
 * Creates the retention loop. About hourly it reschedules work that a wrong clock scheduled too late, and deletes expired rows
 * and unreferenced certificates and icons. About daily it deletes history beyond what plans show or limits permit.
 */
export function createJanitor({ store, clock, ownNetwork, random, log }: JanitorOptions): Janitor {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  /** Time of the last daily pruning, by the monotonic clock. It is only in memory, so a new process prunes again. */
  let prunedAt = -Infinity;
  const stopping = new AbortController();

  async function prunePastDaily(now: number): Promise<void> {
    const at = clock.monotonic();
    if (at - prunedAt <= PRUNE_EVERY_MS) return;
    await pruneHistory(store, now, stopping.signal);
    await sweepForecasts(store, now);
    prunedAt = at;
  }

  async function round(): Promise<void> {
    if (!(await ownNetwork.clockIsRight())) return;
    const now = clock.now();
    const corrected = await correctFutureTimes(store, now);
    if (corrected > 0)
      log.warn({ corrected }, 'the clock was ahead; rows with times in the future are corrected');
    const steps: readonly (() => Promise<unknown>)[] = [
      () => prunePastDaily(now),
      ...tablesWith('expires').map(
        ([table]) =>
          () =>
            deleteExpired(store, table, now),
      ),
      () => endOldestSessions(store),
      () => pruneOrphanCertificates(store),
      () => pruneFavicons(store.db),
    ];
    for (const prune of steps) {
      if (stopping.signal.aborted) return;
      await prune();
    }
  }

  function sweep(): Promise<void> {
    const swept = round();
    sweeping = swept.catch(() => undefined);
    return swept;
  }

  function schedule(): void {
    timer = setTimeout(
      () => {
        sweep().catch((error: unknown) => log.error({ err: error }, 'deleting old rows failed'));
        schedule();
      },
      HOUR_MS * (0.5 + random()),
    );
  }

  return {
    start: schedule,
    sweep,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await sweeping;
    },
  };
}
