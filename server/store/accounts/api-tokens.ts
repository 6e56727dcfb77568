import { createHash, randomUUID } from 'node:crypto';
import { FIXED_LIMITS } from '../../core/limits.ts';
import { type Account, toAccount } from './accounts.ts';
import { locked } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction, type WriteInTransaction } from '../db/transaction.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import { storedStrings } from '../db/stored-json.ts';

/** A personal token without its secret. Timestamps are in ms UTC. */
export interface ApiToken {
  id: string;
  name: string;
  /** The first characters of the token, so that its owner recognises it. */
  prefix: string;
  scopes: readonly string[];
  createdAt: number;
  /** Time of the last use, accurate to five minutes; null if the token was never used. */
  lastUsedAt: number | null;
  expiresAt: number | null;
}

export type CreatedToken = { ok: true; token: ApiToken } | { ok: false; code: 'too_many_tokens' };

/**
 * Stores a token as its SHA-256, and deletes tokens that expired at least 30 days ago. Returns `too_many_tokens` if the account
 * already has `max` tokens that have not expired.
 */
export async function createToken(
  store: Store,
  request: {
    accountId: string;
    /** The complete token. */
    secret: string;
    prefix: string;
    name: string;
    scopes: readonly string[];
    expiresAt: number | null;
    max: number;
    now: number;
    alsoWrite?: WriteInTransaction<ApiToken>;
  },
): Promise<CreatedToken> {
  const { accountId, secret, prefix, name, scopes, expiresAt, now } = request;
  return inTransaction(store, async (trx): Promise<CreatedToken> => {
    // Serialise parallel requests of one account, so that the count below is exact.
    await locked(
      store.dialect,
      trx.selectFrom('accounts').select('id').where('id', '=', accountId),
    ).executeTakeFirst();
    const { count } = await trx
      .selectFrom('api_tokens')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
      .executeTakeFirstOrThrow();
    if (count >= request.max) return { ok: false, code: 'too_many_tokens' };
    await trx
      .deleteFrom('api_tokens')
      .where('account_id', '=', accountId)
      .where('expires_at', '<=', now - FIXED_LIMITS.expiredTokensShownMs)
      .execute();
    const row = await trx
      .insertInto('api_tokens')
      .values({
        account_id: accountId,
        id: randomUUID(),
        token_hash: hashOf(secret),
        prefix,
        name,
        scopes: JSON.stringify(scopes),
        created_at: now,
        last_used_at: null,
        expires_at: expiresAt,
      })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
    const token = toToken(row);
    await request.alsoWrite?.(trx, token);
    return { ok: true, token };
  });
}

/** Lists the account's tokens, newest first. */
export async function listTokens(store: Store, accountId: string): Promise<ApiToken[]> {
  const rows = await store.db
    .selectFrom('api_tokens')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(toToken);
}

/** Revokes a token. Returns false if the account has no such token. */
export async function revokeToken(
  store: Store,
  { accountId, tokenId }: { accountId: string; tokenId: string },
): Promise<boolean> {
  return inTransaction(store, async (trx) => {
    const revoked = await trx
      .deleteFrom('api_tokens')
      .where('account_id', '=', accountId)
      .where('id', '=', tokenId)
      .returning('id')
      .executeTakeFirst();
    return revoked !== undefined;
  });
}

const LAST_USED_INTERVAL_MS = 5 * MINUTE_MS;

/**
 * Authenticates a token and updates its last use. Returns null if it is unknown, revoked or expired, or if its account is disabled.
 * The lookup by SHA-256 leaks nothing by its timing, because a guesser cannot choose the bits of the hash.
 */
export async function authenticateToken(
  store: Store,
  { secret, now }: { secret: string; now: number },
): Promise<{ tokenId: string; scopes: readonly string[]; account: Account } | null> {
  const row = await store.db
    .selectFrom('api_tokens')
    .innerJoin('accounts', 'accounts.id', 'api_tokens.account_id')
    .selectAll('accounts')
    .select(['api_tokens.id as token_id', 'scopes', 'last_used_at'])
    .where('token_hash', '=', hashOf(secret))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (!row) return null;
  // `last_used_at` is in the future if the clock ran ahead and was set back.
  if (Math.abs(now - (row.last_used_at ?? 0)) >= LAST_USED_INTERVAL_MS)
    await store.db
      .updateTable('api_tokens')
      .set({ last_used_at: now })
      .where('account_id', '=', row.id)
      .where('id', '=', row.token_id)
      .execute();
  return { tokenId: row.token_id, scopes: storedStrings(row.scopes), account: toAccount(row) };
}

const COLUMNS = ['id', 'name', 'prefix', 'scopes', 'created_at', 'last_used_at', 'expires_at'] as const;

/** Returns the SHA-256 of a token. A fast hash is enough, because the secret has 256 random bits. */
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex');

const toToken = (row: {
  id: string;
  name: string;
  prefix: string;
  scopes: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
}): ApiToken => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: storedStrings(row.scopes),
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
});
