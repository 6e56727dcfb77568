import { forgetAlarms, mailAlarms } from '../store/alerts/alarms.ts';
import { oldestDue, recallDeliveries } from '../store/alerts/deliveries.ts';
import { endHeartbeat, keepHeartbeat } from '../store/operations/heartbeat.ts';
import { recallMails } from '../store/mail/mails.ts';
import { recallMonitors } from '../store/monitors/monitors.ts';
import type { Store } from '../store/db/open-store.ts';
import { spreadOverdue } from '../store/monitors/overdue.ts';
import { recallPlans } from '../store/billing/plan-ends.ts';
import { LATE_MS, mailDownSince } from '../store/accounts/standing.ts';
import type { Clock, Log } from './clock.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Alarms } from './operator-alarm.ts';
import type { OwnNetwork } from './own-network.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

export interface WatchdogOptions {
  store: Store;
  clock: Clock;
  log: Log;
  alarms: Alarms;
  ownNetwork: OwnNetwork;
  /** Whom alarms are mailed to. */
  supportEmail: string;
  /** What the product's own check looks at; null without HEARTBEAT_URL. */
  heartbeat: Pick<Heartbeat, 'host' | 'port'> | null;
  /** In ms, for tests; no hand on the clock moves it. */
  monotonic?: () => number;
}

export interface Watchdog {
  /** Resolves once overdue checks are spread, so that checks may begin; goes on watching until `stop`. */
  start(): Promise<void>;
  /** One round. For tests. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

const ROUND_MS = 30_000;
/** By how much more or less time than there was must have passed to count as a sleep of the machine, or as a clock that was set. */
const JUMP_MS = MINUTE_MS;
/** More than two rounds without a word of whoever raised an alarm: that process is gone. */
const FORGOTTEN_MS = 5 * MINUTE_MS;
/** The shortest interval: nobody waits for longer than twice the own one. */
const HERD = { lateMs: 2 * MINUTE_MS, fewest: 100, overMs: 10 * MINUTE_MS };

/** Watches the other loops: whether work is late, mail goes out, the clock jumps. What it finds is the operator's to hear. */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { store, clock, log, alarms, ownNetwork, heartbeat } = options;
  const { monotonic = () => performance.now() } = options;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let last = { now: clock.now(), at: monotonic() };

  function hasJumped(): boolean {
    const before = last;
    last = { now: clock.now(), at: monotonic() };
    return Math.abs(last.now - before.now - (last.at - before.at)) > JUMP_MS;
  }

  /** After a while without anybody at work. By a wrong clock everything would be overdue. */
  async function spread({ unlessWorked }: { unlessWorked: boolean }): Promise<void> {
    if (!(await ownNetwork.clockIsRight())) return;
    const spreadOut = await spreadOverdue(store, { ...HERD, now: clock.now(), unlessWorked });
    if (spreadOut > 0) log.warn({ checks: spreadOut }, 'overdue checks are spread over the next ten minutes');
  }

  async function recall(): Promise<void> {
    const now = clock.now();
    await recallMonitors(store, now);
    await recallDeliveries(store, now);
    await recallMails(store, now);
    await recallPlans(store, now);
  }

  async function keepOwnCheck(): Promise<void> {
    if (heartbeat === null) await endHeartbeat(store);
    else await keepHeartbeat(store, { host: heartbeat.host, port: heartbeat.port, now: clock.now() });
  }

  async function raiseOrClear(code: Parameters<Alarms['raise']>[0], detail: string | null): Promise<void> {
    if (detail === null) await alarms.clear(code);
    else await alarms.raise(code, detail);
  }

  async function lookAtLateness(): Promise<void> {
    const now = clock.now();
    const { checkAt, deliveryAt } = await oldestDue(store, now);
    const late = (at: number | null, what: string): string | null =>
      at === null || now - at <= LATE_MS
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

  async function look(): Promise<void> {
    if (hasJumped() && (await ownNetwork.clockIsRight())) {
      await recall();
      // Since the machine woke up, some seconds ago, we were.
      await spread({ unlessWorked: false });
    }
    await ownNetwork.lookAgain();
    // By a wrong clock everything is late.
    if (await ownNetwork.clockIsRight()) await lookAtLateness();
    const now = clock.now();
    await forgetAlarms(store, { codes: ['clock_wrong', 'network_cut'], before: now - FORGOTTEN_MS });
    await keepOwnCheck();
    await mailAlarms(store, { recipient: options.supportEmail, now });
  }

  function goOn(): void {
    timer = setTimeout(() => {
      looking = look()
        .catch((error: unknown) => log.error({ err: error }, 'the watch over the other loops failed'))
        .finally(() => {
          if (timer !== undefined) goOn();
        });
    }, ROUND_MS);
  }

  return {
    async start() {
      goOn();
      try {
        await spread({ unlessWorked: true });
        await keepOwnCheck();
      } catch (error) {
        log.error({ err: error }, 'overdue checks could not be spread');
      }
    },
    look,
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await looking;
    },
  };
}
