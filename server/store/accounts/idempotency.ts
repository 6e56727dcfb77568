import { sql, type Transaction } from 'kysely';
import { createHash, randomUUID } from 'node:crypto';
import { leaseClock } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { consumeRateLimit, readRateLimit } from '../operations/rate-limits.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';

/** Time for which a stored answer is replayed. */
export const ANSWER_RETENTION_MS = DAY_MS;
/**
 * Lease of a key in ms, longer than any call takes. After it, another request may claim the key, because its process probably
 * died.
 */
const LEASE_MS = MINUTE_MS;

export interface StoredAnswer {
  status: number;
  contentType: string;
  body: string;
}

/** Proof that this request owns the idempotency key and may execute the call. */
export interface IdempotencyLease {
  accountId: string;
  keyHash: string;
  attempt: string;
}

export type IdempotencyClaim =
  | { isClaimed: true; lease: IdempotencyLease }
  | { isClaimed: false; answer: StoredAnswer }
  | { isClaimed: false; refused: 'idempotency_key_reused' | 'idempotency_key_in_use' }
  | { isClaimed: false; refused: 'full'; retryAfterMs: number };

/**
 * Claims an idempotency key; of parallel requests only one gets it. Returns the stored answer if the key was claimed within a
 * day. Takes over an expired lease of the same request. Returns `full` if the account's answers of the day reach its limit.
 */
export async function claimIdempotencyKey(
  store: Store,
  { accountId, key, request, now }: { accountId: string; key: string; request: string; now: number },
): Promise<IdempotencyClaim> {
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
            eb('idempotency_keys.created_at', '<=', now - ANSWER_RETENTION_MS),
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
    const lease = { accountId, keyHash, attempt };
    const quota = { key: answerQuotaKey(accountId), windowMs: ANSWER_RETENTION_MS, now };
    const { count, endsAt } = await readRateLimit(store.db, quota);
    if (count < store.limits.keptAnswersMb * KB_PER_MB) return { isClaimed: true, lease };
    await releaseKey(store, lease);
    return { isClaimed: false, refused: 'full', retryAfterMs: endsAt - now };
  }

  const existing = await store.db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status', 'content_type', 'body'])
    .where('account_id', '=', accountId)
    .where('key_hash', '=', keyHash)
    .executeTakeFirst();
  // The other request released the key between the two statements. A retry by the client can claim it.
  if (!existing) return { isClaimed: false, refused: 'idempotency_key_in_use' };
  if (existing.request_hash !== fresh.request_hash)
    return { isClaimed: false, refused: 'idempotency_key_reused' };
  if (existing.status === null) return { isClaimed: false, refused: 'idempotency_key_in_use' };
  const { status, content_type: contentType, body } = existing;
  return { isClaimed: false, answer: { status, contentType: contentType ?? '', body: body ?? '' } };
}

/**
 * Stores the answer, in the transaction of the change if there is one. A second call replaces the first answer. Stores
 * nothing if another attempt has taken over the key. @throws IdempotencyLeaseLost if so and `db` is a transaction, to roll it back
 */
export async function storeAnswer(
  db: Transaction<Tables> | Store['db'],
  { accountId, keyHash, attempt }: IdempotencyLease,
  { status, contentType, body }: StoredAnswer,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('idempotency_keys')
    .set({ status, content_type: contentType, body })
    .where('account_id', '=', accountId)
    .where('key_hash', '=', keyHash)
    .where('attempt', '=', attempt)
    .executeTakeFirst();
  if (numUpdatedRows === 0n && db.isTransaction) throw new IdempotencyLeaseLost();
}

/** Thrown when a request took longer than its lease, so that another request took over the key. */
export class IdempotencyLeaseLost extends Error {
  override name = 'IdempotencyLeaseLost';
}

/** Counts the size of a stored answer against the account's daily limit. */
export async function countStoredAnswer(
  store: Store,
  { accountId }: IdempotencyLease,
  { body, now }: { body: string; now: number },
): Promise<void> {
  const weight = Math.ceil(Buffer.byteLength(body) / BYTES_PER_KB);
  const use = { key: answerQuotaKey(accountId), limit: Infinity, windowMs: ANSWER_RETENTION_MS, now, weight };
  await consumeRateLimit(store, use);
}

const BYTES_PER_KB = 1_000;
const KB_PER_MB = 1_000;
/** Returns the key in `rate_limits` that counts the account's stored answers. */
export const answerQuotaKey = (accountId: string): string => `answers:${accountId}`;

/** Releases a key without a stored answer, so that the client may use it again. Does nothing if an answer is stored. */
export async function releaseKey(
  store: Store,
  { accountId, keyHash, attempt }: IdempotencyLease,
): Promise<void> {
  await store.db
    .deleteFrom('idempotency_keys')
    .where('account_id', '=', accountId)
    .where('key_hash', '=', keyHash)
    .where('attempt', '=', attempt)
    .where('status', 'is', null)
    .execute();
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
