import { clearUnconfirmedAlarms, mailAlarms } from '../store/alerts/alarms.ts';
import { oldestDue, rescheduleDeliveries } from '../store/alerts/deliveries.ts';
import { deleteHeartbeat, ensureHeartbeat } from '../store/operations/heartbeat.ts';
import { rescheduleMails } from '../store/mail/mails.ts';
import type { Store } from '../store/db/open-store.ts';
import { spreadOverdue } from '../store/monitors/spread-overdue.ts';
import { restoreEndedPlans } from '../store/billing/plan-expiry.ts';
import { OVERDUE_MS, mailDownSince } from '../store/accounts/account-health.ts';
import type { Clock, Log } from './clock.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Alarms } from './operator-alarm.ts';
import type { OwnNetwork } from './own-network.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import { resetFarDueTimes } from '../store/monitors/check-due.ts';

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
  /** Returns a time in ms that changes of the clock do not affect. For tests. */
  monotonic?: () => number;
}

export interface Watchdog {
  /** Starts the rounds, which run until `stop`. Resolves once overdue checks are spread, so that checks may begin. */
  start(): Promise<void>;
  /** Runs one round. For tests. */
  runOnce(): Promise<void>;
  stop(): Promise<void>;
}

const ROUND_MS = 30_000;
/** Difference between wall clock and monotonic clock that counts as sleep of the machine, or as a change of the clock. */
const JUMP_MS = MINUTE_MS;
/**
 * An alarm is cleared after this time without confirmation. It is more than two rounds, so the process that raised it is
 * gone.
 */
const UNCONFIRMED_MS = 5 * MINUTE_MS;
/**
 * Limits for spreading overdue checks, over the shortest interval, so that no monitor waits longer than twice its own
 * interval.
 */
const BACKLOG = { lateMs: 2 * MINUTE_MS, fewest: 100, overMs: 10 * MINUTE_MS };

/** Creates the watch over the other loops. It reports late work, failing mail and jumps of the clock to the operator. */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { store, clock, log, alarms, ownNetwork, heartbeat } = options;
  const { monotonic = () => performance.now() } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let last = { now: clock.now(), at: monotonic() };

  function hasJumped(): boolean {
    const before = last;
    last = { now: clock.now(), at: monotonic() };
    return Math.abs(last.now - before.now - (last.at - before.at)) > JUMP_MS;
  }

  /**
   * Spreads the overdue checks after a time without workers, unless the clock is wrong: everything would then seem overdue.
   */
  async function spreadBacklog({ unlessWorked }: { unlessWorked: boolean }): Promise<void> {
    if (!(await ownNetwork.clockIsRight())) return;
    const moved = await spreadOverdue(store, { ...BACKLOG, now: clock.now(), unlessWorked });
    if (moved > 0) log.warn({ checks: moved }, 'overdue checks are spread over the next ten minutes');
  }

  async function resetFarDue(): Promise<void> {
    const now = clock.now();
    await resetFarDueTimes(store, now);
    await rescheduleDeliveries(store, now);
    await rescheduleMails(store, now);
    await restoreEndedPlans(store, now);
  }

  async function keepOwnCheck(): Promise<void> {
    if (heartbeat === null) await deleteHeartbeat(store);
    else await ensureHeartbeat(store, { host: heartbeat.host, port: heartbeat.port, now: clock.now() });
  }

  async function raiseOrClear(code: Parameters<Alarms['raise']>[0], detail: string | null): Promise<void> {
    if (detail === null) await alarms.clear(code);
    else await alarms.raise(code, detail);
  }

  async function checkLateness(): Promise<void> {
    const now = clock.now();
    const { checkAt, deliveryAt } = await oldestDue(store, now);
    const late = (at: number | null, what: string): string | null =>
      at === null || now - at <= OVERDUE_MS
        ? null
        : `The oldest due ${what} waits for ${Math.floor((now - at) / MINUTE_MS)} minutes.`;
    await raiseOrClear('checks_late', late(checkAt, 'check'));
    await raiseOrClear('alerts_late', late(deliveryAt, 'alert'));
    const since = await mailDownSince(store, now);
    await raiseOrClear(
      'mail_down',
      since === null ? null : `No mail has been taken since ${new Date(since).toISOString()}.`,
    );
  }

  async function runOnce(): Promise<void> {
    if (hasJumped() && (await ownNetwork.clockIsRight())) {
      await resetFarDue();
      // The worker may have recorded checks since the machine woke up seconds ago; spread the backlog nevertheless.
      await spreadBacklog({ unlessWorked: false });
    }
    await ownNetwork.lookAgain();
    // With a wrong clock everything would seem late.
    if (await ownNetwork.clockIsRight()) await checkLateness();
    const now = clock.now();
    await clearUnconfirmedAlarms(store, {
      codes: ['clock_wrong', 'network_cut'],
      before: now - UNCONFIRMED_MS,
    });
    await keepOwnCheck();
    await mailAlarms(store, { recipient: options.supportEmail, now });
  }

  function scheduleNext(): void {
    timer = setTimeout(() => {
      running = runOnce()
        .catch((error: unknown) => log.error({ err: error }, 'the watch over the other loops failed'))
        .finally(() => {
          if (timer !== undefined) scheduleNext();
        });
    }, ROUND_MS);
  }

  return {
    async start() {
      scheduleNext();
      try {
        await spreadBacklog({ unlessWorked: true });
        await keepOwnCheck();
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
