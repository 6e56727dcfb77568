import { EventEmitter } from 'node:events';
import { type Kysely, sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { runWithoutCaller } from './transaction.ts';
import { connectionOptions } from './postgres-connection.ts';
import type { StoreLog } from './store-error.ts';
import type { Tables } from '../schema/tables.ts';

/** A wake-up signal about a change in the database. Signals may get lost, so listeners must also poll. */
export type Signal =
  | { topic: 'due' }
  | { topic: 'deliveries' }
  | { topic: 'mails' }
  /** A site was registered. Its icon may have to be fetched. */
  | { topic: 'icons' }
  /** A list of Certificate Transparency logs was fetched, or could not be fetched. */
  | { topic: 'log_lists' }
  /** A preview check was requested. */
  | { topic: 'glances' }
  /** A preview check has its answer. */
  | { topic: 'glance'; glanceId: string }
  /** Sent or planned alerts of a domain changed; with `monitorId` null, alerts of the account or its channels. */
  | { topic: 'alerts'; accountId: string; monitorId: string | null }
  /** Data of the account may have changed: plan, verified address, failing mail, suppressions or channels. */
  | { topic: 'account'; accountId: string }
  | {
      topic: 'domain';
      accountId: string;
      monitorId: string;
      change: 'added' | 'checking' | 'checked' | 'changed' | 'removed';
    }
  /** One session ended, or all sessions of the account (`sessionId` null). */
  | { topic: 'session_ended'; accountId: string; sessionId: string | null }
  /** Signals of other processes were lost, so loaded data may be stale. Processes do not send this signal to each other. */
  | { topic: 'missed' };

export interface Signals {
  /** Calls the listeners of this process at once and those of other processes soon. Never throws. */
  publish(signal: Signal): void;
  /** Adds a listener and returns the function that removes it. */
  subscribe(listener: (signal: Signal) => void): () => void;
}

export function createLocalSignals(): Signals {
  const emitter = new EventEmitter();
  // Remove the limit on listeners: each open event stream adds one, and another limit bounds the number of streams.
  emitter.setMaxListeners(0);
  return {
    publish: (signal) => void runWithoutCaller(() => emitter.emit('signal', signal)),
    subscribe(listener) {
      emitter.on('signal', listener);
      return () => void emitter.off('signal', listener);
    },
  };
}

const CHANNEL = 'certlantern';
const MAX_RECONNECT_DELAY_MS = 10_000;

/**
 * Creates signals that processes exchange by LISTEN/NOTIFY over a separate connection, which reconnects after an error. Signals
 * sent meanwhile are lost, so each reconnect wakes all loops once and publishes `missed`.
 */
export function createPostgresSignals(
  db: Kysely<Tables>,
  databaseUrl: string,
  log: StoreLog,
): Signals & { firstTry: Promise<void>; close(): Promise<void> } {
  const local = createLocalSignals();
  const origin = randomUUID();
  const closing = new AbortController();
  const firstTry = Promise.withResolvers<void>();
  const listening = listen();

  async function listen(): Promise<void> {
    let failures = 0;
    while (!closing.signal.aborted) {
      try {
        await listenUntilBroken(() => {
          if (failures > 0) wakeAll();
          failures = 0;
          firstTry.resolve();
        });
      } catch (error) {
        log.warn({ err: error }, 'signals from other processes are interrupted');
      }
      firstTry.resolve();
      failures += 1;
      const pause = Math.min(MAX_RECONNECT_DELAY_MS, 100 * 2 ** Math.min(failures, 10));
      await delay(pause, undefined, { signal: closing.signal, ref: false }).catch(onAbort);
    }
  }

  async function listenUntilBroken(onListening: () => void): Promise<void> {
    const client = new Client(connectionOptions(databaseUrl));
    const { promise: broken, resolve, reject } = Promise.withResolvers<void>();
    client.on('error', reject);
    client.on('end', resolve);
    const stop = (): void => resolve();
    closing.signal.addEventListener('abort', stop, { once: true });
    // `await broken` below handles the error. This line prevents an unhandled rejection while the client is still connecting.
    broken.catch(() => undefined);
    client.on('notification', ({ payload }) => {
      const signal = parse(payload ?? '', origin);
      if (signal) local.publish(signal);
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      onListening();
      await broken;
    } finally {
      // Remove the listener: otherwise those of all attempts of a long outage would stay in memory.
      closing.signal.removeEventListener('abort', stop);
      await client.end().catch((error: unknown) => log.warn({ err: error }, 'closing a connection failed'));
    }
  }

  function wakeAll(): void {
    for (const topic of ['due', 'deliveries', 'mails', 'icons', 'log_lists', 'glances', 'missed'] as const)
      local.publish({ topic });
  }

  return {
    firstTry: firstTry.promise,
    subscribe: (listener) => local.subscribe(listener),
    publish(signal) {
      local.publish(signal);
      const payload = JSON.stringify({ origin, signal });
      sql`select pg_notify(${CHANNEL}, ${payload})`.execute(db).catch((error: unknown) => {
        if (!closing.signal.aborted) log.warn({ err: error }, 'a signal to other processes was lost');
      });
    },
    async close() {
      closing.abort();
      await listening;
    },
  };
}

function onAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}

/**
 * Topics that are accepted from other processes. The type requires every topic: signals with a missing one would be dropped, and
 * most tests would not notice.
 */
const TOPICS: Record<Exclude<Signal['topic'], 'missed'>, true> = {
  due: true,
  deliveries: true,
  mails: true,
  icons: true,
  log_lists: true,
  glances: true,
  glance: true,
  account: true,
  alerts: true,
  domain: true,
  session_ended: true,
};

/** Parses a payload. Returns null for this process's own signals and for unknown payloads. */
function parse(payload: string, origin: string): Signal | null {
  let message: unknown;
  try {
    message = JSON.parse(payload);
  } catch {
    return null;
  }
  if (typeof message !== 'object' || message === null) return null;
  if (Reflect.get(message, 'origin') === origin) return null;
  const signal: unknown = Reflect.get(message, 'signal');
  if (typeof signal !== 'object' || signal === null) return null;
  return Object.hasOwn(TOPICS, String(Reflect.get(signal, 'topic'))) ? (signal as Signal) : null;
}
