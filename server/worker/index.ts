import { randomUUID } from 'node:crypto';
import type { Canaries } from '../probe/index.ts';
import { claimDueDeliveries, type ClaimedDelivery, retryDelivery } from '../store/deliveries.ts';
import { claimGlances, extendGlance } from '../store/glances.ts';
import { claimDueMails, retryMail } from '../store/mails.ts';
import { claimDue, releaseClaim } from '../store/monitors.ts';
import { type BounceReaderOptions, createBounceReader } from './bounce-reader.ts';
import { checkMonitor, type CheckerOptions } from './checker.ts';
import { type ClaimLoop, createClaimLoop } from './claim-loop.ts';
import { deliver, type DelivererOptions } from './deliverer.ts';
import { answerAsked, GLANCE_LEASE_MS } from './glancer.ts';
import { createDigestKeeper } from './digest-keeper.ts';
import { createIconKeeper, type IconKeeperOptions } from './icon-keeper.ts';
import { createJanitor } from './janitor.ts';
import { mail } from './mailer.ts';
import { createAlarms } from './operator-alarm.ts';
import { createOwnNetwork } from './own-network.ts';
import { createPlanKeeper } from './plan-keeper.ts';
import { createWatchdog } from './watchdog.ts';

export { type Clock, systemClock } from './clock.ts';
export { type OwnNetwork, TRUSTING } from './own-network.ts';

/**
 * A look ends within 20 s, and the canaries that it may have to wait for within 8 s more; what is left is for recording it. A killed
 * process's checks are taken up after this.
 */
const CHECK_LEASE_MS = 45_000;
/** Longer than the channel takes for one message at most: 60 s. */
const SENDING_LEASE_MS = 90_000;
/** Mail servers count connections; alerts are few and leave in seconds all the same. */
const MAILED_AT_ONCE = 4;
/** Apart from mail, and many: receivers that never answer hold a slot each until they are given up. */
const POSTED_AT_ONCE = 32;
const CLAIMED_TOGETHER = 4;
const MAILS_AT_ONCE = 2;
/** Apart from the checks: neither waits for the other. */
const GLANCES_AT_ONCE = 8;
/** A stop lets a message in flight end for so long: interrupted, it may arrive twice. */
const MAIL_GRACE_MS = 700;
const ABORT_MS = 600;

export interface WorkerOptions extends CheckerOptions, DelivererOptions, IconKeeperOptions {
  /** How many checks run at once. */
  concurrency: number;
  /** Whom alarms are mailed to. */
  supportEmail: string;
  bounces?: BounceReaderOptions['bounces'];
  /** null: nothing tells an outage of our own network, and a clock that is wrong, from what the world does. */
  canaries: Canaries | null;
}

export interface Worker {
  start(): void;
  /** Ends within 1.5 s: checks in flight are interrupted and given back, messages in flight get a moment to end. */
  stop(): Promise<void>;
  /** Does everything that is due now, once, and what falls due through that: digests, ends of plans, checks, deliveries, mails. For tests. */
  runDue(): Promise<{ plans: number; checks: number; deliveries: number; mails: number }>;
  /** Answers every look that is asked for. For tests. */
  runGlances(): Promise<number>;
  /** Looks for every icon that is due, once. For tests. */
  runIcons(): Promise<number>;
  /** One round of the janitor. For tests. */
  sweep(): Promise<void>;
  /** One round of the watchdog. For tests. */
  watch(): Promise<void>;
  /** Reads the mailbox of bounces once; how many were taken down. For tests. */
  readBounces(): Promise<number>;
}

/**
 * The loops of the product: checks, deliveries and mails claimed under leases, looks for people without an account,
 * icons, the keeper of plans, and the janitor. Several may share one database.
 */
export function createWorker(options: WorkerOptions): Worker {
  const { store, clock, log } = options;
  const claimedBy = randomUUID();
  const alarms = createAlarms(options);
  const ownNetwork = createOwnNetwork({ ...options, alarms });
  const atOnce = () => ({
    nextAttemptAt: clock.now(),
    now: clock.now(),
    detail: 'The server was stopped.',
  });

  const checks = createClaimLoop({
    name: 'check',
    concurrency: options.concurrency,
    claim: async (limit) =>
      // By a wrong clock everything may be due, and be judged expired.
      (await ownNetwork.clockIsRight())
        ? claimDue(store, { now: clock.now(), limit, leaseMs: CHECK_LEASE_MS, claimedBy })
        : [],
    handle: (monitor, stopping) => checkMonitor(monitor, { ...options, ownNetwork }, stopping),
    release: ({ id, leaseToken }) => releaseClaim(store, { monitorId: id, leaseToken }),
    stopGraceMs: 0,
    log,
  });
  const claimDeliveries = (by: 'mail' | 'http', limit: number) =>
    claimDueDeliveries(store, { by, now: clock.now(), limit, leaseMs: SENDING_LEASE_MS, claimedBy });
  /** A few at a time: how many an account has under way is known to the next claim only. */
  const claimPosts = async (limit: number): Promise<ClaimedDelivery[]> => {
    const claimed: ClaimedDelivery[] = [];
    for (;;) {
      const some = await claimDeliveries('http', Math.min(CLAIMED_TOGETHER, limit - claimed.length));
      claimed.push(...some);
      if (some.length === 0 || claimed.length >= limit) return claimed;
    }
  };
  const deliveriesBy = (by: 'mail' | 'http', concurrency: number): ClaimLoop => {
    const loop = createClaimLoop<ClaimedDelivery>({
      name: by === 'mail' ? 'alert by mail' : 'alert over http',
      concurrency,
      claim: (limit) => (by === 'mail' ? claimDeliveries(by, limit) : claimPosts(limit)),
      async handle(delivery, stopping) {
        await deliver(delivery, { ...options, alarms, ownNetwork }, stopping);
        // What this one kept from leaving may go now.
        if (by === 'http') loop.wake();
      },
      // Interrupted while sending: the next process tries again at once, under the same Message-ID.
      release: async ({ id, leaseToken }) => {
        await retryDelivery(store, { id, leaseToken, ...atOnce() });
      },
      stopGraceMs: MAIL_GRACE_MS,
      log,
    });
    return loop;
  };
  const deliveries = [deliveriesBy('mail', MAILED_AT_ONCE), deliveriesBy('http', POSTED_AT_ONCE)];
  const mails = createClaimLoop({
    name: 'mail',
    concurrency: MAILS_AT_ONCE,
    claim: (limit) => claimDueMails(store, { now: clock.now(), limit, leaseMs: SENDING_LEASE_MS, claimedBy }),
    handle: (claimed, stopping) => mail(claimed, { ...options, alarms, ownNetwork }, stopping),
    release: async ({ id, leaseToken }) => {
      await retryMail(store, { id, leaseToken, ...atOnce() });
    },
    stopGraceMs: MAIL_GRACE_MS,
    log,
  });
  const glances = createClaimLoop({
    name: 'look',
    concurrency: GLANCES_AT_ONCE,
    claim: (limit) => claimGlances(store, { now: clock.now(), limit, leaseMs: GLANCE_LEASE_MS }),
    handle: (glance, stopping) => answerAsked(glance, options, stopping),
    release: ({ id }) => extendGlance(store, { id, now: clock.now(), leaseMs: 0 }),
    stopGraceMs: 0,
    log,
  });
  const icons = createIconKeeper(options);
  const plans = createPlanKeeper({ ...options, ownNetwork });
  const digests = createDigestKeeper({ ...options, ownNetwork });
  const bounces = createBounceReader({ ...options, alarms });
  const janitor = createJanitor({ ...options, ownNetwork });
  const watchdog = createWatchdog({ ...options, alarms, ownNetwork });
  let unsubscribe = (): void => {};
  let isStopped = false;

  /** Once overdue ones are spread; what was already to be told goes before them. */
  async function startChecks(): Promise<void> {
    await watchdog.start();
    if (!isStopped) checks.start();
  }

  return {
    start() {
      unsubscribe = store.signals.subscribe(({ topic }) => {
        if (topic === 'due') checks.wake();
        if (topic === 'deliveries') for (const loop of deliveries) loop.wake();
        if (topic === 'mails') mails.wake();
        if (topic === 'glances') glances.wake();
      });
      for (const loop of deliveries) loop.start();
      mails.start();
      void startChecks();
      glances.start();
      icons.start();
      plans.start();
      digests.start();
      bounces.start();
      janitor.start();
    },
    async stop() {
      isStopped = true;
      unsubscribe();
      ownNetwork.close();
      const loops = [checks, ...deliveries, mails, glances, icons, plans, digests, bounces].map((loop) =>
        loop.stop(ABORT_MS),
      );
      await Promise.all([...loops, janitor.stop(), watchdog.stop()]);
    },
    async runDue() {
      await digests.runDue();
      const done = { plans: await plans.runDue(), checks: await checks.runDue(), deliveries: 0, mails: 0 };
      for (const loop of deliveries) done.deliveries += await loop.runDue();
      done.mails = await mails.runDue();
      return done;
    },
    runGlances: () => glances.runDue(),
    runIcons: () => icons.runDue(),
    sweep: () => janitor.sweep(),
    watch: () => watchdog.look(),
    readBounces: () => bounces.read(),
  };
}
