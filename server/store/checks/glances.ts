import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CertificateFacts, Verdict } from '../../core/index.ts';
import { leaseClock, lockedAndFree } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { storedJson } from '../db/stored-json.ts';
import { FACTS } from './certificates.ts';
import { readVerdict } from './verdict-row.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import type { Protocol } from '../../../contract/words.ts';

/** What a look without an account found. */
export interface GlanceAnswer {
  verdict: Verdict;
  /** The leaf that the verdict speaks of; null where none was read. */
  leaf: CertificateFacts | null;
  /** What was sent with it, the leaf first. What could not be read is left out. */
  chain: { subject: string; issuer: string; notAfter: number }[];
  /** How many names the leaf is for; `leaf.sans` has the first of them. */
  names: number;
}

export interface ClaimedGlance {
  id: string;
  host: string;
  port: number;
  protocol: Protocol;
}

/** Nobody waits for it any more. */
const WORTHLESS_AFTER_MS = 15_000;

/** Asks the workers for a look; returns its id. The caller removes it, whatever comes of it. */
export async function askForGlance(
  store: Store,
  { host, port, protocol, now }: { host: string; port: number; protocol: Protocol; now: number },
): Promise<string> {
  const id = randomUUID();
  await store.db
    .insertInto('glances')
    .values({ id, host, port, protocol, created_at: leaseClock(store, now) })
    .execute();
  store.signals.publish({ topic: 'glances' });
  return id;
}

/** null while there is none. */
export async function answerOfGlance(store: Store, id: string): Promise<GlanceAnswer | null> {
  const row = await store.db.selectFrom('glances').select('answer').where('id', '=', id).executeTakeFirst();
  return row?.answer ? readAnswer(row.answer) : null;
}

const readAnswer = storedJson<GlanceAnswer>(
  'the answer of a preview check',
  z.object({
    verdict: z.preprocess(
      readVerdict,
      z.custom<Verdict>((verdict) => verdict !== null),
    ),
    leaf: FACTS.nullable(),
    chain: z.array(z.object({ subject: z.string(), issuer: z.string(), notAfter: z.number() })),
    names: z.number(),
  }),
);

export async function removeGlance(store: Store, id: string): Promise<void> {
  await store.db.deleteFrom('glances').where('id', '=', id).execute();
}

/**
 * Takes looks that somebody still waits for, under a lease, the oldest first. Those that nobody came back for within a minute
 * are removed: every worker comes by each second.
 */
export async function claimGlances(
  store: Store,
  { now, limit, leaseMs }: { now: number; limit: number; leaseMs: number },
): Promise<ClaimedGlance[]> {
  await pruneGlances(store, now);
  const clock = leaseClock(store, now);
  return store.db
    .with('asked', (db) =>
      lockedAndFree(
        store.dialect,
        db
          .selectFrom('glances')
          .select('id')
          .where('created_at', '>', sql<number>`${clock} - ${sql.lit(WORTHLESS_AFTER_MS)}`)
          .where('answer', 'is', null)
          .where((eb) => eb.or([eb('lease_expires_at', 'is', null), eb('lease_expires_at', '<=', clock)]))
          .orderBy('created_at')
          .limit(limit),
      ),
    )
    .updateTable('glances')
    .set({ lease_expires_at: sql<number>`${clock} + ${sql.lit(leaseMs)}` })
    .where('id', 'in', (eb) => eb.selectFrom('asked').select('asked.id'))
    .returning(['id', 'host', 'port', 'protocol'])
    .execute();
}

/** Moves the end of the lease to `leaseMs` from now; with 0 another worker may take it at once. */
export async function extendGlance(
  store: Store,
  { id, now, leaseMs }: { id: string; now: number; leaseMs: number },
): Promise<void> {
  await store.db
    .updateTable('glances')
    .set({ lease_expires_at: sql<number>`${leaseClock(store, now)} + ${sql.lit(leaseMs)}` })
    .where('id', '=', id)
    .where('answer', 'is', null)
    .execute();
}

/** Nothing happens where nobody waits any more. Of two answers (a lease ran out meanwhile) the first counts. */
export async function answerGlance(store: Store, id: string, answer: GlanceAnswer): Promise<void> {
  const { numUpdatedRows } = await store.db
    .updateTable('glances')
    .set({ answer: JSON.stringify(answer) })
    .where('id', '=', id)
    .where('answer', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) store.signals.publish({ topic: 'glance', glanceId: id });
}

/** What a process that was killed left behind, a clock that ran ahead included. */
async function pruneGlances(store: Store, now: number): Promise<void> {
  const clock = leaseClock(store, now);
  await store.db
    .deleteFrom('glances')
    .where((eb) =>
      eb.or([
        eb('created_at', '<=', sql<number>`${clock} - ${sql.lit(MINUTE_MS)}`),
        eb('created_at', '>', sql<number>`${clock} + ${sql.lit(MINUTE_MS)}`),
      ]),
    )
    .execute();
}
