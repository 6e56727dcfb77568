import { isOverdue } from '../core/health.ts';
import { clearUnconfirmedAlarms, mailAlarms } from '../store/alerts/alarms.ts';
import { oldestDueTimes } from '../store/alerts/deliveries.ts';
import { deleteHeartbeat, ensureHeartbeat } from '../store/operations/heartbeat.ts';
import type { Store } from '../store/db/open-store.ts';
import { correctFutureTimes } from '../store/operations/sweep.ts';
import { spreadOverdue } from '../store/monitors/check-due.ts';
import { mailDownSince } from '../store/accounts/account-health.ts';
import type { Clock, Log } from './clock.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Alarms } from './operator-alarm.ts';
import type { OwnNetwork } from './own-network.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import { count } from '../../contract/words.ts';

export interface WatchdogOptions {
  store: Store;
  clock: Clock;
  log: Log;
  alarms: Alarms;
  ownNetwork: OwnNetwork;
  /** The recipient of alarm mails. */
  supportEmail: string;
  /** The endpoint of the self-check; null without HEARTBEAT_URL. */
  heartbeat: Pick<Heartbeat, 'host' | 'port'> | null;
}

export interface Watchdog {
  /** Starts the rounds, which run until `stop`. Resolves after the attempt to spread overdue checks; checks may begin then. */
  start(): Promise<void>;
  /** Runs one round. For tests. */
  runOnce(): Promise<void>;
  stop(): Promise<void>;
}

const ROUND_MS = 30_000;
/** If wall clock and monotonic clock differ by more than this, the machine slept or somebody set the clock. */
const JUMP_MS = MINUTE_MS;
/**
 * Time in ms after which an unconfirmed alarm about what one process sees is cleared. Processes confirm their alarms about once a
 * minute, so the problem, or the process that raised the alarm, has probably ended.
 */
const UNCONFIRMED_MS = 5 * MINUTE_MS;
/** Interval in ms between two verifications of the database file. */
const VERIFY_EVERY_MS = DAY_MS;
const STORAGE_FAULTS = ['database_damaged', 'disk_failed', 'disk_full'] as const;
/**
 * Limits for spreading overdue checks: only if more than `minOverdue` checks are overdue by more than `lateMs`. `overMs` is the
 * shortest check interval, so that spreading delays no check by more than its own interval.
 */
const BACKLOG = { lateMs: 2 * MINUTE_MS, minOverdue: 100, overMs: 10 * MINUTE_MS };

/**
 * Creates the loop that watches the other loops. It raises and mails alarms about late work and failing mail, reschedules work
 * that a wrong clock scheduled too late, and maintains the monitor of the self-check.
 */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { store, clock, log, alarms, ownNetwork, heartbeat } = options;
  const storage = createStorageWatch(options);
  const hasJumped = createJumpDetector(clock);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  /**
   * Spreads overdue checks over ten minutes. Does nothing while the clock is wrong, because every check could seem overdue. With
   * `onlyIfIdle`, also does nothing if workers recorded checks while the backlog grew.
   */
  async function spreadBacklog({ onlyIfIdle }: { onlyIfIdle: boolean }): Promise<void> {
    if (!(await ownNetwork.clockIsRight())) return;
    const moved = await spreadOverdue(store, { ...BACKLOG, now: clock.now(), onlyIfIdle });
    if (moved > 0) log.warn({ checks: moved }, 'overdue checks are spread over the next ten minutes');
  }

  async function updateOwnMonitor(): Promise<void> {
    if (heartbeat === null) await deleteHeartbeat(store);
    else await ensureHeartbeat(store, { host: heartbeat.host, port: heartbeat.port, now: clock.now() });
  }

  async function runOnce(): Promise<void> {
    if (hasJumped() && (await ownNetwork.clockIsRight())) {
      await correctFutureTimes(store, clock.now());
      // Spread even if a worker has recorded checks in the seconds since the machine woke up.
      await spreadBacklog({ onlyIfIdle: false });
    }
    await ownNetwork.clearPastAlarms();
    // With a wrong clock everything would seem late.
    if (await ownNetwork.clockIsRight()) await checkLateness(store, alarms, clock.now());
    const now = clock.now();
    await clearUnconfirmedAlarms(store, {
      codes: ['clock_wrong', 'network_cut', ...(store.dialect === 'postgres' ? STORAGE_FAULTS : [])],
      before: now - UNCONFIRMED_MS,
    });
    await clearUnconfirmedAlarms(store, { codes: ['tls_differs'], before: now - DAY_MS });
    void storage.verifyDaily();
    await storage.reportFaults();
    await updateOwnMonitor();
    await mailAlarms(store, { recipient: options.supportEmail, now });
  }

  function scheduleNext(): void {
    timer = setTimeout(() => {
      running = runOnce()
        .catch((error: unknown) => log.error({ err: error }, 'the watchdog failed'))
        .finally(() => {
          if (timer !== undefined) scheduleNext();
        });
    }, ROUND_MS);
  }

  return {
    async start() {
      scheduleNext();
      void storage.verifyDaily();
      try {
        await spreadBacklog({ onlyIfIdle: true });
        await updateOwnMonitor();
      } catch (error) {
        log.error({ err: error }, 'overdue checks could not be spread');
      }
    },
    runOnce,
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await running;
    },
  };
}

/** Returns a function that returns whether the machine slept or the clock was set since its last call. */
function createJumpDetector(clock: Clock): () => boolean {
  let last = { now: clock.now(), at: clock.monotonic() };
  return () => {
    const before = last;
    last = { now: clock.now(), at: clock.monotonic() };
    return Math.abs(last.now - before.now - (last.at - before.at)) > JUMP_MS;
  };
}

/** Raises alarms about late work and about mail that no server accepts. Clears these alarms once the problem is over. */
async function checkLateness(store: Store, alarms: Alarms, now: number): Promise<void> {
  const raiseOrClear = (code: Parameters<Alarms['raise']>[0], detail: string | null): Promise<void> =>
    detail === null ? alarms.clear(code) : alarms.raise(code, detail);
  const late = (at: number | null, what: string): string | null =>
    at === null || !isOverdue(at, now)
      ? null
      : `The oldest due ${what} has been waiting for ${count(Math.floor((now - at) / MINUTE_MS), 'minute')}.`;
  const { checkAt, deliveryAt } = await oldestDueTimes(store, now);
  await raiseOrClear('checks_late', late(checkAt, 'check'));
  await raiseOrClear('alerts_late', late(deliveryAt, 'alert'));
  const since = await mailDownSince(store, now);
  await raiseOrClear(
    'mail_down',
    since === null ? null : `No mail has been accepted since ${new Date(since).toISOString()}.`,
  );
}

/** Verifies the database file daily, and reports the faults of the file and its disk as alarms. */
function createStorageWatch({ store, clock, log, alarms }: WatchdogOptions) {
  let verifiedAt = -Infinity;
  let isVerifying = false;
  let isVerified = false;

  async function reportFaults(): Promise<void> {
    const faults = await store.storage.faults();
    for (const code of STORAGE_FAULTS) {
      const detail = faults.get(code);
      if (detail !== undefined) await alarms.raise(code, detail);
      // Keep the alarm: another process may have raised it, and a process only sees the faults of its own queries.
      else if (store.dialect === 'postgres') continue;
      // Keep the alarm about damage, which an earlier process may have raised, until a verification has read all tables.
      else if ((isVerified || code !== 'database_damaged') && alarms.mayBeRaised(code))
        await alarms.clear(code);
    }
  }

  return {
    reportFaults,
    /** Verifies the database file in the background, once a day. */
    async verifyDaily(): Promise<void> {
      if (isVerifying || clock.monotonic() - verifiedAt < VERIFY_EVERY_MS) return;
      verifiedAt = clock.monotonic();
      isVerifying = true;
      try {
        if (await store.storage.verify()) isVerified = true;
      } catch (error) {
        log.error({ err: error }, 'the database could not be verified');
      } finally {
        isVerifying = false;
      }
      await reportFaults();
    },
  };
}
