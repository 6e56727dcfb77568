import { randomUUID } from 'node:crypto';
import { forgetForecasts } from '../store/forecasts/forecasts.ts';
import type { Canaries } from '../probe/canary.ts';
import type { Examiner } from '../probe/examiner.ts';
import { metricsOnly, type Telemetry } from '../telemetry/metrics.ts';
import { type BounceReaderOptions, createBounceReader } from './bounce-reader.ts';
import { type CheckerOptions, createCheckLoop } from './checker.ts';
import type { DelivererOptions } from './deliverer.ts';
import { createPreviewLoop } from './preview-checker.ts';
import { createIconLoop, type IconLoopOptions } from './icon-loop.ts';
import { createDigestLoop, createPlanLoop } from './account-loops.ts';
import { createForecastLoop, type ForecastLoopOptions } from './forecast-loop.ts';
import { createJanitor } from './janitor.ts';
import { createLogListLoop, type LogListsOptions } from './log-lists.ts';
import { createDeliveryLoops, createMailLoop } from './message-loops.ts';
import { createAlarms } from './operator-alarm.ts';
import { createOwnNetwork } from './own-network.ts';
import { createSharedProbes } from './shared-probes.ts';
import { createWatchdog } from './watchdog.ts';

/** Default time in ms that messages get to finish at a stop. An interrupted message may arrive twice. */
const MESSAGE_GRACE_MS = 700;
const ABORT_MS = 600;
const LEASE_MS = 45_000;

export interface WorkerOptions
  extends CheckerOptions, DelivererOptions, IconLoopOptions, ForecastLoopOptions {
  /** Examiner for preview checks; `examiner` by default. */
  previewExaminer?: Examiner;
  /** Maximum number of checks that run at once, not counting those that wait for slow servers. */
  concurrency: number;
  /**
   * Length of the leases of checks and messages, ms. Default: 45 s. When the lease of a killed process expires, other workers
   * take over its work. Leases are renewed while the work runs, so that a check may wait for a slow server.
   */
  leaseMs?: number;
  /** The recipient of the operator's alarms. */
  supportEmail: string;
  bounces?: BounceReaderOptions['bounces'];
  /** Where the lists of Certificate Transparency logs come from, and who uses them. Default: no lists. */
  logLists?: LogListsOptions;
  /** Telemetry of the loops; by default metrics without traces. */
  telemetry?: Telemetry;
  /**
   * Canary hosts; null to run without them. Without canaries, nothing detects a wrong clock, and an outage of our own network is
   * only detected if many hosts fail at once.
   */
  canaries: Canaries | null;
}

export interface Worker {
  start(): void;
  /**
   * Stops claiming. Aborts checks, preview checks and other fetches at once, and messages after `messageGraceMs` (default 700 ms). Waits at
   * most `abortMs` (default 600 ms) for their end and as long for their release. Finishes the current step of janitor and watchdog.
   */
  stop(messageGraceMs?: number, abortMs?: number): Promise<void>;
  /**
   * Runs due work in this order: digests, plan ends, checks, deliveries, mails. Each step includes work that earlier steps made
   * due. For tests.
   */
  runDue(): Promise<{ plans: number; checks: number; deliveries: number; mails: number }>;
  /** Runs every requested preview check. Returns their number. For tests. */
  runPreviews(): Promise<number>;
  /** Fetches every icon that is due. Returns their number. For tests. */
  runIcons(): Promise<number>;
  /** Makes every forecast that is due. Returns their number. For tests. */
  runForecasts(): Promise<number>;
  /** Runs one round of the janitor. For tests. */
  sweep(): Promise<void>;
  /** Runs one round of the watchdog. For tests. */
  watch(): Promise<void>;
  /** Reads the bounce mailbox once. Returns the number of recorded bounces. For tests. */
  readBounces(): Promise<number>;
  /** Fetches the lists of Certificate Transparency logs that are due. For tests. */
  runLogLists(): Promise<void>;
}

/** Creates a worker with all loops of the product. Several workers may share one database. */
export function createWorker(options: WorkerOptions): Worker {
  const { store, telemetry = metricsOnly(), leaseMs = LEASE_MS } = options;
  const alarms = createAlarms(options);
  const ownNetwork = createOwnNetwork({ ...options, alarms });
  const parts = { ...options, telemetry, leaseMs, alarms, ownNetwork, claimedBy: randomUUID() };
  const logLists = createLogListLoop({ ...options, ownNetwork });
  const checks = createCheckLoop({
    ...parts,
    sharedProbes: createSharedProbes({ ...options, ownNetwork }),
    onPublicCertificate: () => logLists.want(),
  });
  const deliveries = createDeliveryLoops(parts);
  const mails = createMailLoop(parts);
  const previews = createPreviewLoop({ ...parts, examiner: options.previewExaminer ?? options.examiner });
  const icons = createIconLoop({ ...options, telemetry });
  const forecasts = createForecastLoop({ ...options, telemetry, ownNetwork });
  const plans = createPlanLoop({ ...options, ownNetwork });
  const digests = createDigestLoop({ ...options, ownNetwork });
  const bounces = createBounceReader({ ...options, alarms });
  const janitor = createJanitor({ ...options, ownNetwork });
  const watchdog = createWatchdog({ ...options, alarms, ownNetwork });
  let unsubscribe = (): void => {};
  let isStopped = false;

  /** Starts forecasts, or deletes them if the operator turned them off. */
  async function startForecasts(): Promise<void> {
    if (forecasts !== null) return forecasts.start();
    await forgetForecasts(store).catch((error: unknown) =>
      options.log.error({ err: error }, 'forecasts are turned off, but deleting them failed'),
    );
  }

  /** Starts checks after the watchdog has spread overdue ones. Messages start without waiting for the watchdog. */
  async function startChecks(): Promise<void> {
    await logLists.useKept();
    logLists.start();
    await watchdog.start();
    if (!isStopped) checks.start();
  }

  return {
    start() {
      unsubscribe = store.signals.subscribe(({ topic }) => {
        if (topic === 'due') checks.wake();
        if (topic === 'deliveries') for (const loop of deliveries) loop.wake();
        if (topic === 'mails') mails.wake();
        if (topic === 'icons') icons.wake();
        if (topic === 'glances') previews.wake();
      });
      for (const loop of deliveries) loop.start();
      mails.start();
      void startChecks();
      previews.start();
      icons.start();
      void startForecasts();
      plans.start();
      digests.start();
      bounces.start();
      janitor.start();
    },
    async stop(messageGraceMs = MESSAGE_GRACE_MS, abortMs = ABORT_MS) {
      isStopped = true;
      unsubscribe();
      ownNetwork.close();
      const sending = [...deliveries, mails].map((loop) => loop.stop({ graceMs: messageGraceMs, abortMs }));
      const probing = [checks, previews, icons, forecasts].map((loop) => loop?.stop({ graceMs: 0, abortMs }));
      const keeping = [plans, digests, bounces, logLists].map((loop) => loop.stop(abortMs));
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
    runForecasts: async () => (await forecasts?.runDue()) ?? 0,
    sweep: () => janitor.sweep(),
    watch: () => watchdog.runOnce(),
    readBounces: () => bounces.read(),
    runLogLists: () => logLists.runDue(),
  };
}
