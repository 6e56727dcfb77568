import { setTimeout as delay } from 'node:timers/promises';
import { type BounceSettings, isGenuine, readBounceAddress } from '../channels/email/bounce-address.ts';
import { readMailbox } from '../channels/email/bounce-mailbox.ts';
import { readDeliveryReport } from '../channels/email/delivery-report.ts';
import { findBouncedMail, recordBounce } from '../store/mail/bounces.ts';
import type { Store } from '../store/db/open-store.ts';
import { createWakeSignal } from './claim-loop.ts';
import type { Clock, Log } from './clock.ts';
import type { Alarms } from './operator-alarm.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

const POLL_MS = MINUTE_MS;

export interface BounceReaderOptions {
  store: Store;
  clock: Clock;
  alarms: Alarms;
  log: Log;
  /** Settings for bounces; without them, bounces are not read. `mailbox` is an imap:// or imaps:// URL with user and password. */
  bounces?: (BounceSettings & { mailbox: string }) | null;
}

export interface BounceReader {
  start(): void;
  /** Reads the mailbox once. Returns the number of recorded bounces. For tests. */
  read(): Promise<number>;
  /** Stops within `abortMs`. */
  stop(abortMs: number): Promise<void>;
}

/**
 * Creates the loop that reads bounces of sent mail. It marks bounced mail as failed and suppresses the address, unless the server
 * refused us as the sender. Several workers may run it, because recording a bounce twice has no further effect.
 */
export function createBounceReader({
  store,
  clock,
  alarms,
  log,
  ...options
}: BounceReaderOptions): BounceReader {
  const bounces = options.bounces ?? null;
  const stopping = new AbortController();
  const wakeSignal = createWakeSignal();
  let looping: Promise<void> = Promise.resolve();

  async function recordBounceIn(raw: Buffer, { address, key }: BounceSettings): Promise<'done' | 'left'> {
    const report = readDeliveryReport(raw);
    if (report === null) return 'left';
    for (const sentTo of report.sentTo) {
      const mark = readBounceAddress(address, sentTo);
      const mail = mark && (await findBouncedMail(store, mark.id));
      if (!mark || !mail || !isGenuine(key, mark, mail.recipient)) continue;
      const detail = `${report.status} ${report.diagnostic}`.trim();
      await recordBounce(store, { mail, detail, isPermanent: !refusesUs(report.status), now: clock.now() });
      log.info({ id: mark.id, detail }, 'a mail bounced');
      return 'done';
    }
    return 'left';
  }

  async function read(): Promise<number> {
    if (bounces === null) return 0;
    try {
      const recorded = await readMailbox(
        bounces.mailbox,
        (raw) => recordBounceIn(raw, bounces),
        stopping.signal,
      );
      await alarms.clear('bounce_mailbox');
      return recorded;
    } catch (error) {
      if (stopping.signal.aborted) return 0;
      // Log only the reason, because the error contains what was sent, including the password.
      const reason = reasonOf(error);
      log.warn({ reason }, 'the bounce mailbox could not be read');
      await alarms.raise('bounce_mailbox', `The mailbox could not be read: ${reason}`);
      return 0;
    }
  }

  return {
    start() {
      if (bounces === null) return;
      looping = (async () => {
        while (!stopping.signal.aborted) {
          await read();
          if (!stopping.signal.aborted) await wakeSignal.wait(POLL_MS);
        }
      })();
    },
    read,
    async stop(abortMs) {
      stopping.abort();
      wakeSignal.ring();
      await Promise.race([looping, delay(abortMs, undefined, { ref: false })]);
    },
  };
}

/** Returns whether a status is about the sender and not the address: security or policy (RFC 3463 §3.8). */
function refusesUs(status: string): boolean {
  return status.startsWith('5.7.');
}

/** Returns the server's response text if there is one, because imapflow's own message is mostly "Command failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const response: unknown = Reflect.get(error, 'responseText');
  return typeof response === 'string' && response !== '' ? response : error.message;
}
