import { sql, type Transaction } from 'kysely';
import { createHash, randomUUID } from 'node:crypto';
import { leaseClock } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { consumeRateLimit, usedOf } from '../operations/rate-limits.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';

/** For how long the answer is given again. */
export const KEPT_MS = DAY_MS;
/** Longer than any such call takes: who has not answered by then is dead. */
const LEASE_MS = MINUTE_MS;

export interface KeptAnswer {
  status: number;
  contentType: string;
  body: string;
}

/** The right to carry a call out once. */
export interface Carrying {
  accountId: string;
  keyHash: string;
  attempt: string;
}

export type Beginning =
  | { begun: true; carrying: Carrying }
  | { begun: false; answer: KeptAnswer }
  | { begun: false; refused: 'idempotency_key_reused' | 'idempotency_key_in_use' }
  | { begun: false; refused: 'full'; retryAfterMs: number };

/**
 * Takes a key for a call: of many at once exactly one begins. What was answered within a day is given again; what nobody
 * answered in time is begun anew. `full`: too many bytes are kept of the account's answers of the last day.
 */
export async function beginOnce(
  store: Store,
  { accountId, key, request, now }: { accountId: string; key: string; request: string; now: number },
): Promise<Beginning> {
  const keyHash = hashOf(key);
  const attempt = randomUUID();
  const fresh = {
    request_hash: hashOf(request),
    attempt,
    created_at: now,
    lease_expires_at: sql<number>`${leaseClock(store, now)} + ${sql.lit(LEASE_MS)}`,
    status: null,
    content_type: null,
    body: null,
  };
  const taken = await store.db
    .insertInto('idempotency_keys')
    .values({ account_id: accountId, key_hash: keyHash, ...fresh })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'key_hash'])
        .doUpdateSet(fresh)
        .where((eb) =>
          eb.or([
            eb('idempotency_keys.created_at', '<=', now - KEPT_MS),
            eb.and([
              eb('idempotency_keys.status', 'is', null),
              eb('idempotency_keys.lease_expires_at', '<=', leaseClock(store, now)),
              eb('idempotency_keys.request_hash', '=', fresh.request_hash),
            ]),
          ]),
        ),
    )
    .returning('attempt')
    .executeTakeFirst();
  if (taken?.attempt === attempt) {
    const carrying = { accountId, keyHash, attempt };
    const { count, endsAt } = await usedOf(store.db, { key: answersKey(accountId), now });
    if (count < store.limits.keptAnswersMb * KB_PER_MB) return { begun: true, carrying };
    await releaseKey(store, carrying);
    return { begun: false, refused: 'full', retryAfterMs: endsAt - now };
  }

  const known = await store.db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status', 'content_type', 'body'])
    .where('account_id', '=', accountId)
    .where('key_hash', '=', keyHash)
    .executeTakeFirst();
  // Given back between the two statements: whoever asks again will begin.
  if (!known) return { begun: false, refused: 'idempotency_key_in_use' };
  if (known.request_hash !== fresh.request_hash) return { begun: false, refused: 'idempotency_key_reused' };
  if (known.status === null) return { begun: false, refused: 'idempotency_key_in_use' };
  const { status, content_type: contentType, body } = known;
  return { begun: false, answer: { status, contentType: contentType ?? '', body: body ?? '' } };
}

/**
 * Keeps the answer, within the transaction of what it tells of where there is one; the last one kept counts.
 * @throws LostKey within a transaction, so that it changes nothing, where another try has taken the key over.
 */
export async function keepAnswer(
  db: Transaction<Tables> | Store['db'],
  { accountId, keyHash, attempt }: Carrying,
  { status, contentType, body }: KeptAnswer,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('idempotency_keys')
    .set({ status, content_type: contentType, body })
    .where('account_id', '=', accountId)
    .where('key_hash', '=', keyHash)
    .where('attempt', '=', attempt)
    .executeTakeFirst();
  if (numUpdatedRows === 0n && db.isTransaction) throw new LostKey();
}

/** Another try carries the call out, because this one took longer than any may. */
export class LostKey extends Error {
  override name = 'LostKey';
}

/** Counts a kept answer in the account's day. */
export async function countKept(
  store: Store,
  { accountId }: Carrying,
  { body, now }: { body: string; now: number },
): Promise<void> {
  const weight = Math.ceil(Buffer.byteLength(body) / BYTES_PER_KB);
  const use = { key: answersKey(accountId), limit: Infinity, windowMs: KEPT_MS, now, weight };
  await consumeRateLimit(store, use);
}

const BYTES_PER_KB = 1_000;
const KB_PER_MB = 1_000;
/** Of the account in `rate_limits`. */
export const answersKey = (accountId: string): string => `answers:${accountId}`;

/** Gives a key back under which nothing was done: it may be used again, for anything. What was answered stays. */
export async function releaseKey(store: Store, { accountId, keyHash, attempt }: Carrying): Promise<void> {
  await store.db
    .deleteFrom('idempotency_keys')
    .where('account_id', '=', accountId)
    .where('key_hash', '=', keyHash)
    .where('attempt', '=', attempt)
    .where('status', 'is', null)
    .execute();
}

/** Forgets keys that are a day old; returns how many. */
export async function pruneKeys(store: Store, now: number): Promise<number> {
  const pruned = await store.db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<=', now - KEPT_MS)
    .executeTakeFirst();
  return Number(pruned.numDeletedRows);
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
