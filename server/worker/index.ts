import { randomUUID } from 'node:crypto';
import type { Canaries, Examiner } from '../probe/index.ts';
import { metricsOnly, type Telemetry } from '../telemetry/index.ts';
import { type BounceReaderOptions, createBounceReader } from './bounce-reader.ts';
import { type CheckerOptions, createCheckLoop } from './checker.ts';
import type { DelivererOptions } from './deliverer.ts';
import { createPreviewLoop } from './preview-checker.ts';
import { createIconKeeper, type IconKeeperOptions } from './icon-keeper.ts';
import { createDigestKeeper } from './digest-keeper.ts';
import { createJanitor } from './janitor.ts';
import { createDeliveryLoops, createMailLoop } from './message-loops.ts';
import { createAlarms } from './operator-alarm.ts';
import { createOwnNetwork } from './own-network.ts';
import { createPlanKeeper } from './plan-keeper.ts';
import { createSharedProbes } from './shared-probes.ts';
import { createWatchdog } from './watchdog.ts';

export { type Clock, systemClock } from './clock.ts';
export { createAlarms } from './operator-alarm.ts';
export { type OwnNetwork, TRUST_EVERY_CHECK } from './own-network.ts';

/** Default time to finish messages at a stop: a message that is interrupted while it is sent may arrive twice. */
const MESSAGE_GRACE_MS = 700;
const ABORT_MS = 600;
const LEASE_MS = 45_000;

export interface WorkerOptions extends CheckerOptions, DelivererOptions, IconKeeperOptions {
  /** Examiner for preview checks; `examiner` by default. */
  previewExaminer?: Examiner;
  /** Largest number of checks that run at once. */
  concurrency: number;
  /**
   * Length of the leases of checks and messages, ms; 45 s by default. When they expire, other workers take over the work of a
   * killed process. A probe takes at most 20 s, and the canaries that it may wait for 8 s more; the rest is for recording.
   */
  leaseMs?: number;
  /** The recipient of the operator's alarms. */
  supportEmail: string;
  bounces?: BounceReaderOptions['bounces'];
  /** Telemetry of the loops; by default metrics without traces. */
  telemetry?: Telemetry;
  /**
   * Canary hosts; null to run without them. An outage of our own network or a wrong clock is then not distinguished from
   * failing endpoints.
   */
  canaries: Canaries | null;
}

export interface Worker {
  start(): void;
  /**
   * Stops claiming. Releases running checks at once, and messages that are still being sent after `messageGraceMs` (700 ms by
   * default). Resolves at most 0.6 s later.
   */
  stop(messageGraceMs?: number): Promise<void>;
  /**
   * Runs everything that is due now, and what becomes due by that: digests, plan ends, checks, deliveries, mails. For tests.
   */
  runDue(): Promise<{ plans: number; checks: number; deliveries: number; mails: number }>;
  /** Runs every requested preview check; returns how many. For tests. */
  runPreviews(): Promise<number>;
  /** Fetches every icon that is due, once; returns how many. For tests. */
  runIcons(): Promise<number>;
  /** Runs one round of the janitor. For tests. */
  sweep(): Promise<void>;
  /** Runs one round of the watchdog. For tests. */
  watch(): Promise<void>;
  /** Reads the bounce mailbox once; returns how many bounces it recorded. For tests. */
  readBounces(): Promise<number>;
}

/** Creates a worker with all loops of the product. Several workers may share one database: each claims work under leases. */
export function createWorker(options: WorkerOptions): Worker {
  const { store, telemetry = metricsOnly(), leaseMs = LEASE_MS } = options;
  const alarms = createAlarms(options);
  const ownNetwork = createOwnNetwork({ ...options, alarms });
  const parts = { ...options, telemetry, leaseMs, alarms, ownNetwork, claimedBy: randomUUID() };
  const checks = createCheckLoop({ ...parts, sharedProbes: createSharedProbes({ ...options, ownNetwork }) });
  const deliveries = createDeliveryLoops(parts);
  const mails = createMailLoop(parts);
  const previews = createPreviewLoop({ ...parts, examiner: options.previewExaminer ?? options.examiner });
  const icons = createIconKeeper({ ...options, telemetry });
  const plans = createPlanKeeper({ ...options, ownNetwork });
  const digests = createDigestKeeper({ ...options, ownNetwork });
  const bounces = createBounceReader({ ...options, alarms });
  const janitor = createJanitor({ ...options, ownNetwork });
  const watchdog = createWatchdog({ ...options, alarms, ownNetwork });
  let unsubscribe = (): void => {};
  let isStopped = false;

  /** Starts checks after the watchdog has spread overdue ones. Due messages are sent before that. */
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
        if (topic === 'glances') previews.wake();
      });
      for (const loop of deliveries) loop.start();
      mails.start();
      void startChecks();
      previews.start();
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
      const probing = [checks, previews, icons].map((loop) => loop.stop({ graceMs: 0, abortMs: ABORT_MS }));
      const keeping = [plans, digests, bounces].map((loop) => loop.stop(ABORT_MS));
      await Promise.all([...sending, ...probing, ...keeping, janitor.stop(), watchdog.stop()]);
    },
    async runDue() {
      await digests.runDue();
      const done = { plans: await plans.runDue(), checks: await checks.runDue(), deliveries: 0, mails: 0 };
      for (const loop of deliveries) done.deliveries += await loop.runDue();
      done.mails = await mails.runDue();
      return done;
    },
    runPreviews: () => previews.runDue(),
    runIcons: () => icons.runDue(),
    sweep: () => janitor.sweep(),
    watch: () => watchdog.runOnce(),
    readBounces: () => bounces.read(),
  };
}
