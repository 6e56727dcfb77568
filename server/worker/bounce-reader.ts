import { setTimeout as delay } from 'node:timers/promises';
import {
  type BounceReturn,
  isGenuine,
  readBounceAddress,
  readDeliveryReport,
  readMailbox,
} from '../channels/email/index.ts';
import { mailOf, recordBounce } from '../store/mail/bounces.ts';
import type { Store } from '../store/db/open-store.ts';
import { createBell } from './bell.ts';
import type { Clock, Log } from './clock.ts';
import type { Alarms } from './operator-alarm.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

const POLL_MS = MINUTE_MS;

export interface BounceReaderOptions {
  store: Store;
  clock: Clock;
  alarms: Alarms;
  log: Log;
  /** Left out: nobody reads what comes back. `mailbox`: imap:// or imaps:// with user and password. */
  bounces?: (BounceReturn & { mailbox: string }) | null;
}

export interface BounceReader {
  start(): void;
  /** Reads the mailbox once; how many bounces were taken down. For tests. */
  read(): Promise<number>;
  /** Ends within `abortMs`. */
  stop(abortMs: number): Promise<void>;
}

/**
 * Reads the mailbox to which mail comes back that a server had taken: the delivery counts as failed then, and says so, and an address
 * that takes no mail gets none. Several workers may read it: what one took is gone for the others, or taken twice to the
 * same end.
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
  const bell = createBell();
  let looping: Promise<void> = Promise.resolve();

  async function take(raw: Buffer, { address, key }: BounceReturn): Promise<'done' | 'left'> {
    const report = readDeliveryReport(raw);
    if (report === null) return 'left';
    for (const sentTo of report.sentTo) {
      const mark = readBounceAddress(address, sentTo);
      const mail = mark && (await mailOf(store, mark.id));
      if (!mark || !mail || !isGenuine(key, mark, mail.recipient)) continue;
      const detail = `${report.status} ${report.diagnostic}`.trim();
      await recordBounce(store, { mail, detail, ends: !refusesUs(report.status), now: clock.now() });
      log.info({ id: mail.id, detail }, 'a mail came back');
      return 'done';
    }
    return 'left';
  }

  async function read(): Promise<number> {
    if (bounces === null) return 0;
    try {
      const taken = await readMailbox(bounces.mailbox, (raw) => take(raw, bounces), stopping.signal);
      await alarms.clear('bounce_mailbox');
      return taken;
    } catch (error) {
      if (stopping.signal.aborted) return 0;
      // The reason alone: the error itself holds what was sent, and so the password.
      const reason = reasonOf(error);
      log.warn({ reason }, 'the mailbox of bounces could not be read');
      await alarms.raise('bounce_mailbox', `It could not be read: ${reason}`);
      return 0;
    }
  }

  return {
    start() {
      if (bounces === null) return;
      looping = (async () => {
        while (!stopping.signal.aborted) {
          await read();
          if (!stopping.signal.aborted) await bell.wait(POLL_MS);
        }
      })();
    },
    read,
    async stop(abortMs) {
      stopping.abort();
      bell.ring();
      await Promise.race([looping, delay(abortMs, undefined, { ref: false })]);
    },
  };
}

/** RFC 3463 §3.8: security or policy, which is about who sends and not about the address. */
function refusesUs(status: string): boolean {
  return status.startsWith('5.7.');
}

/** imapflow's own message is mostly "Command failed"; the server's words stand beside it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const response: unknown = Reflect.get(error, 'responseText');
  return typeof response === 'string' && response !== '' ? response : error.message;
}
