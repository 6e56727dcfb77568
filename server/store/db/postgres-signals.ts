import { type Kysely, sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { connectionOptions } from './postgres-connection.ts';
import type { StoreLog } from './store-error.ts';
import { createLocalSignals, type Signal, type Signals } from './signals.ts';
import type { Tables } from '../schema/tables.ts';

const CHANNEL = 'certlantern';
const LONGEST_PAUSE_MS = 10_000;

/**
 * Signals between processes by LISTEN/NOTIFY. The listening connection is its own and is renewed when it breaks; what was
 * sent meanwhile is lost, so after every reconnect the loops are woken once, and `missed` is said.
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
          if (failures > 0) makeUp();
          failures = 0;
          firstTry.resolve();
        });
      } catch (error) {
        log.warn({ err: error }, 'signals from other processes are interrupted');
      }
      firstTry.resolve();
      failures += 1;
      const pause = Math.min(LONGEST_PAUSE_MS, 100 * 2 ** Math.min(failures, 10));
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
    // Handled below; a failure while connecting must not count as unhandled.
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
      // Left there, every attempt of a long outage would stay in memory.
      closing.signal.removeEventListener('abort', stop);
      await client.end().catch((error: unknown) => log.warn({ err: error }, 'closing a connection failed'));
    }
  }

  function makeUp(): void {
    for (const topic of ['due', 'deliveries', 'mails', 'glances', 'missed'] as const)
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

/** Complete by its type: a topic that is missing here would stay within its process, unnoticed in most tests. */
const TOPICS: Record<Exclude<Signal['topic'], 'missed'>, true> = {
  due: true,
  deliveries: true,
  mails: true,
  glances: true,
  glance: true,
  account: true,
  alerts: true,
  domain: true,
  session_ended: true,
};

/** What another process of the same program published; null for our own echo and for anything else. */
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
