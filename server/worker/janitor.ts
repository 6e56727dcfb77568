import { pruneTests } from '../store/alerts/alerts.ts';
import { pruneOrphanCertificates } from '../store/checks/certificates.ts';
import { recallDeliveries } from '../store/alerts/deliveries.ts';
import { pruneFavicons, recallFavicons } from '../store/monitors/favicons.ts';
import { pruneKeys } from '../store/accounts/idempotency.ts';
import { pruneMails, recallMails } from '../store/mail/mails.ts';
import { recallMonitors } from '../store/monitors/monitors.ts';
import { prunePaymentEvents } from '../store/billing/payment-events.ts';
import { recallPlans } from '../store/billing/plan-ends.ts';
import { pruneRateLimits } from '../store/operations/rate-limits.ts';
import { prunePast } from '../store/checks/retention.ts';
import { pruneSessions } from '../store/accounts/sessions.ts';
import type { Store } from '../store/db/open-store.ts';
import { pruneTrials } from '../store/billing/trials.ts';
import type { Clock, Log } from './clock.ts';
import type { OwnNetwork } from './own-network.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';

/** What is kept of the past of a domain grows old by the day. The history of certificates is kept for as long as the domain. */
const PRUNE_EVERY_MS = 20 * HOUR_MS;
/** How long one can see what became of a test of a channel. */
const KEEP_TESTS_MS = 90 * DAY_MS;
/** How long the operator can see what became of a mail. */
const KEEP_MAILS_MS = 90 * DAY_MS;
/** Far longer than the payment provider repeats itself, for which each event's id is kept. */
const KEEP_PAYMENT_EVENTS_MS = 90 * DAY_MS;

export interface JanitorOptions {
  store: Store;
  clock: Clock;
  /** By a wrong clock nothing is old. */
  ownNetwork: Pick<OwnNetwork, 'clockIsRight'>;
  /** In [0, 1); several workers on one database do not all sweep at the same minute. */
  random: () => number;
  log: Log;
}

export interface Janitor {
  start(): void;
  /** Removes what nobody needs any more and recalls what a wrong clock put off, once. */
  sweep(): Promise<void>;
  /** Ends a sweep after the portion under way. */
  stop(): Promise<void>;
}

/**
 * Retention: about once an hour, and once a day the past of domains that no plan shows any more with what was told of it: mails and payment events, trials of addresses long gone, sessions that have
 * ended, certificates and icons that nothing refers to, spent limits.
 */
export function createJanitor({ store, clock, ownNetwork, random, log }: JanitorOptions): Janitor {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  /** In memory only: what a stop cut short is begun again by the next process. */
  let prunedAt = -Infinity;
  const stopping = new AbortController();

  async function prunePastDaily(now: number): Promise<void> {
    if (now - prunedAt <= PRUNE_EVERY_MS && now >= prunedAt) return;
    await prunePast(store, now, stopping.signal);
    prunedAt = now;
  }

  async function round(): Promise<void> {
    if (!(await ownNetwork.clockIsRight())) return;
    const now = clock.now();
    const recalled =
      (await recallMonitors(store, now)) +
      (await recallDeliveries(store, now)) +
      (await recallMails(store, now)) +
      (await recallPlans(store, now)) +
      (await recallFavicons(store, now));
    if (recalled > 0) log.warn({ recalled }, 'the clock ran ahead for a while; what it put off is due now');
    const portions: readonly (() => Promise<unknown>)[] = [
      () => prunePastDaily(now),
      () => pruneTests(store, now - KEEP_TESTS_MS),
      () => pruneMails(store, now - KEEP_MAILS_MS),
      () => prunePaymentEvents(store, now - KEEP_PAYMENT_EVENTS_MS),
      () => pruneTrials(store, now),
      () => pruneOrphanCertificates(store),
      () => pruneFavicons(store.db),
      () => pruneSessions(store, now),
      () => pruneRateLimits(store, now),
      () => pruneKeys(store, now),
    ];
    for (const prune of portions) {
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
        sweep().catch((error: unknown) => log.error({ err: error }, 'the sweep of old rows failed'));
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
