import { randomUUID } from 'node:crypto';
import type { Canaries, Examiner } from '../probe/index.ts';
import { claimDueDeliveries, type ClaimedDelivery, retryDelivery } from '../store/alerts/deliveries.ts';
import { claimGlances, extendGlance } from '../store/checks/glances.ts';
import { HEARTBEAT_KEY } from '../store/operations/heartbeat.ts';
import { claimDueMails, type ClaimedMail, retryMail } from '../store/mail/mails.ts';
import { extendRow, type OutboxLease } from '../store/mail/outbox.ts';
import { countingOnly, type Telemetry } from '../telemetry/index.ts';
import { type BounceReaderOptions, createBounceReader } from './bounce-reader.ts';
import { checkEndpoint, type CheckerOptions } from './checker.ts';
import { type ClaimLoop, createClaimLoop } from './claim-loop.ts';
import { deliver, type DelivererOptions } from './deliverer.ts';
import { answerAsked, createIconKeeper, GLANCE_LEASE_MS, type IconKeeperOptions } from './glancer.ts';
import { createDigestKeeper } from './digest-keeper.ts';
import { createJanitor } from './janitor.ts';
import { mail } from './mailer.ts';
import { createAlarms } from './operator-alarm.ts';
import { createOwnNetwork } from './own-network.ts';
import { createPlanKeeper } from './plan-keeper.ts';
import { claimWatchers, createSharedLooks, type Watchers } from './shared-looks.ts';
import { createWatchdog } from './watchdog.ts';

export { type Clock, systemClock } from './clock.ts';
export { createAlarms } from './operator-alarm.ts';
export { type OwnNetwork, TRUSTING } from './own-network.ts';
import { releaseClaim } from '../store/monitors/monitor-claims.ts';

/**
 * A look ends within 20 s, and the canaries that it may have to wait for within 8 s more; what is left is for recording it. A killed
 * process's checks are taken up after this.
 */
const CHECK_LEASE_MS = 45_000;
/** Renewed while a message is on its way, which takes a minute at most: a killed process's messages are taken up after this. */
const SENDING_LEASE_MS = 45_000;
const RENEW_MS = 15_000;
/** Mail servers count connections; alerts are few and leave in seconds all the same. */
const MAILED_AT_ONCE = 4;
/** Apart from mail, and many: receivers that never answer hold a slot each until they are given up. */
const POSTED_AT_ONCE = 32;
const CLAIMED_TOGETHER = 4;
const MAILS_AT_ONCE = 2;
/** Apart from the checks: neither waits for the other. */
const GLANCES_AT_ONCE = 8;
/** Interrupted, a message may arrive twice. */
const MESSAGE_GRACE_MS = 700;
const ABORT_MS = 600;

export interface WorkerOptions extends CheckerOptions, DelivererOptions, IconKeeperOptions {
  /** Looks for people without an account. Default: `examiner`, as for checks. */
  strangersExaminer?: Examiner;
  /** How many checks run at once. */
  concurrency: number;
  /** Whom alarms are mailed to. */
  supportEmail: string;
  bounces?: BounceReaderOptions['bounces'];
  /** What this process tells of its work. Default: it counts, and traces nothing. */
  telemetry?: Telemetry;
  /** null: nothing tells an outage of our own network, and a clock that is wrong, from what the world does. */
  canaries: Canaries | null;
}

export interface Worker {
  start(): void;
  /**
   * Claims no more. Checks in flight are interrupted and given back at once; messages in flight may end for so long (0.7 s where it is
   * absent), and are given back then. It ends 0.6 s after that, at the latest.
   */
  stop(messageGraceMs?: number): Promise<void>;
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
  const { store, clock, log, telemetry = countingOnly() } = options;
  const claimedBy = randomUUID();
  const alarms = createAlarms(options);
  const ownNetwork = createOwnNetwork({ ...options, alarms });
  const shared = { telemetry, log, random: options.random };
  const atOnce = () => ({
    nextAttemptAt: clock.now(),
    now: clock.now(),
    detail: 'The server was stopped.',
  });

  const looks = createSharedLooks({ ...options, ownNetwork });
  let taken = 0;

  const checks = createClaimLoop<Watchers>({
    name: 'check',
    concurrency: options.concurrency,
    async claim(limit) {
      // By a wrong clock everything may be due, and be judged expired.
      if (!(await ownNetwork.clockIsRight())) return [];
      const claim = { now: clock.now(), limit, leaseMs: CHECK_LEASE_MS, claimedBy, taken };
      const { watchers, isMore } = await claimWatchers(store, claim);
      taken += watchers.length;
      // Slots are left: nothing else would tell the loop that there is work for them.
      if (isMore && watchers.length < limit) checks.wake();
      return watchers;
    },
    handle: (watchers, stopping) => checkEndpoint(watchers, { ...options, telemetry, looks }, stopping),
    release: async (watchers) => {
      for (const monitor of watchers) await releaseClaim(store, monitor);
    },
    fieldsOf: ([{ host, port }]) => ({ endpoint: `${host}:${port}` }),
    ...shared,
  });
  const renewalOf = (outbox: 'deliveries' | 'mails') => ({
    everyMs: RENEW_MS,
    renew: ({ id, leaseToken }: OutboxLease) =>
      extendRow(store, outbox, { id, leaseToken, now: clock.now(), leaseMs: SENDING_LEASE_MS }),
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
        const { key, kind } = delivery.channel;
        const outcome = await deliver(delivery, { ...options, alarms, ownNetwork }, stopping);
        telemetry.meters.delivery(key === HEARTBEAT_KEY ? 'heartbeat' : kind, outcome);
        // What this one kept from leaving may go now.
        if (by === 'http') loop.wake();
      },
      // Interrupted while sending: the next process tries again at once, under the same Message-ID.
      release: async ({ id, leaseToken }) => {
        await retryDelivery(store, { id, leaseToken, ...atOnce() });
      },
      renewal: renewalOf('deliveries'),
      fieldsOf: ({ id, channel, monitor }) => ({
        delivery: id,
        channel: channel.kind,
        ...(monitor && { monitor: monitor.id }),
      }),
      ...shared,
    });
    return loop;
  };
  const deliveries = [deliveriesBy('mail', MAILED_AT_ONCE), deliveriesBy('http', POSTED_AT_ONCE)];
  const mails = createClaimLoop<ClaimedMail>({
    name: 'mail',
    concurrency: MAILS_AT_ONCE,
    claim: (limit) => claimDueMails(store, { now: clock.now(), limit, leaseMs: SENDING_LEASE_MS, claimedBy }),
    async handle(claimed, stopping) {
      const outcome = await mail(claimed, { ...options, alarms, ownNetwork }, stopping);
      telemetry.meters.delivery('mail', outcome);
    },
    release: async ({ id, leaseToken }) => {
      await retryMail(store, { id, leaseToken, ...atOnce() });
    },
    renewal: renewalOf('mails'),
    fieldsOf: ({ id }) => ({ mail: id }),
    ...shared,
  });
  const glances = createClaimLoop({
    name: 'look',
    concurrency: GLANCES_AT_ONCE,
    claim: (limit) => claimGlances(store, { now: clock.now(), limit, leaseMs: GLANCE_LEASE_MS }),
    handle: (glance, stopping) =>
      answerAsked(glance, { ...options, examiner: options.strangersExaminer ?? options.examiner }, stopping),
    release: ({ id }) => extendGlance(store, { id, now: clock.now(), leaseMs: 0 }),
    // Whose look it is, nobody keeps.
    fieldsOf: ({ id }) => ({ look: id }),
    ...shared,
  });
  const icons = createIconKeeper({ ...options, telemetry });
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
    async stop(messageGraceMs = MESSAGE_GRACE_MS) {
      isStopped = true;
      unsubscribe();
      ownNetwork.close();
      const sending = [...deliveries, mails].map((loop) =>
        loop.stop({ graceMs: messageGraceMs, abortMs: ABORT_MS }),
      );
      const looking = [checks, glances, icons].map((loop) => loop.stop({ graceMs: 0, abortMs: ABORT_MS }));
      const keeping = [plans, digests, bounces].map((loop) => loop.stop(ABORT_MS));
      await Promise.all([...sending, ...looking, ...keeping, janitor.stop(), watchdog.stop()]);
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
