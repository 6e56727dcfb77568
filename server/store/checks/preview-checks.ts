import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CertificateFacts } from '../../core/facts.ts';
import type { Verdict } from '../../core/verdict.ts';
import { compileOnce, leaseClock, lockedOrSkipped } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { storedJson } from '../db/stored-json.ts';
import { FACTS } from './certificates.ts';
import { readVerdict } from './verdict-row.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import type { Protocol } from '../../../contract/protocols.ts';

export interface PreviewResult {
  verdict: Verdict;
  /** Leaf certificate that the verdict is about; null if no certificate was read. */
  leaf: CertificateFacts | null;
  /** The served chain, leaf first, without certificates that could not be parsed. `notAfter` is ms UTC. */
  chain: { subject: string; issuer: string; notAfter: number }[];
  /** Number of names in the leaf. `leaf.sans` only has the first of them. */
  names: number;
  /** Why the host is down although a certificate was read, as a sentence; null if it is not down or no certificate was read. */
  outage: string | null;
}

export interface ClaimedPreview {
  id: string;
  host: string;
  port: number;
  protocol: Protocol;
}

/** Maximum age in ms at which a preview check is claimed. Later, the visitor has stopped waiting. */
const EXPIRES_AFTER_MS = 15_000;

/** Queues a preview check and returns its id. The caller must delete it with `removePreview`, even after an error. */
export async function requestPreview(
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

/** Returns the result of a preview check; null as long as no worker has stored one. */
export async function readPreviewResult(store: Store, id: string): Promise<PreviewResult | null> {
  const row = await store.db.selectFrom('glances').select('answer').where('id', '=', id).executeTakeFirst();
  return row?.answer ? readAnswer(row.answer) : null;
}

const readAnswer = storedJson<PreviewResult>(
  'the answer of a preview check',
  z.object({
    verdict: z.preprocess(
      readVerdict,
      z.custom<Verdict>((verdict) => verdict !== null),
    ),
    leaf: FACTS.nullable(),
    chain: z.array(z.object({ subject: z.string(), issuer: z.string(), notAfter: z.number() })),
    names: z.number(),
    // Workers of older versions do not store `outage`.
    outage: z.string().nullable().default(null),
  }),
);

export async function removePreview(store: Store, id: string): Promise<void> {
  await store.db.deleteFrom('glances').where('id', '=', id).execute();
}

const firstPreview = compileOnce((db) =>
  db.selectFrom('glances').select('created_at as at').orderBy('created_at').limit(1).compile(),
);

/** Returns when the oldest preview check was requested, ms UTC, whether or not it was answered; null if there is none. */
export async function firstPreviewAt({ db }: Store): Promise<number | null> {
  const [first] = await firstPreview(db, {});
  return first?.at ?? null;
}

/**
 * Claims preview checks requested in the last 15 seconds under a lease, oldest first. Also deletes preview checks that were left
 * behind, so that no other loop has to.
 */
export async function claimPreviews(
  store: Store,
  { now, limit, leaseMs }: { now: number; limit: number; leaseMs: number },
): Promise<ClaimedPreview[]> {
  await prunePreviews(store, now);
  const clock = leaseClock(store, now);
  return store.db
    .with('asked', (db) =>
      lockedOrSkipped(
        store.dialect,
        db
          .selectFrom('glances')
          .select('id')
          .where('created_at', '>', sql<number>`${clock} - ${sql.lit(EXPIRES_AFTER_MS)}`)
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

/** Sets the end of the lease to `leaseMs` from now; 0 ends the lease at once. Does nothing if the check has an answer. */
export async function extendPreview(
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

/**
 * Stores the answer of a preview check, unless the check was deleted or already has one. If a lease expired, two workers may
 * answer; only the first answer is stored.
 */
export async function storePreviewResult(store: Store, id: string, answer: PreviewResult): Promise<void> {
  const { numUpdatedRows } = await store.db
    .updateTable('glances')
    .set({ answer: JSON.stringify(answer) })
    .where('id', '=', id)
    .where('answer', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) store.signals.publish({ topic: 'glance', glanceId: id });
}

/**
 * Deletes preview checks older than a minute, left behind by a killed process, and preview checks more than a minute in the
 * future, created while a clock ran ahead.
 */
async function prunePreviews(store: Store, now: number): Promise<void> {
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
