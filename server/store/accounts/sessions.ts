import { sql } from 'kysely';
import { FIXED_LIMITS } from '../../core/limits.ts';
import { type Account, toAccount } from './accounts.ts';
import { locked } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';

/** The client that last used a session: its User-Agent (at most 300 characters are stored) and its IP address. */
export interface SessionClient {
  userAgent: string;
  address: string;
}

/** A session to open. The hashes are of 256-bit secrets, which never reach the store. Timestamps are in ms UTC. */
export interface NewSession {
  sessionId: string;
  accountId: string;
  accessHash: string;
  refreshHash: string;
  accessExpiresAt: number;
  /** End of the idle period, which each rotation extends. */
  refreshIdleExpiresAt: number;
  /** End of the session, which no rotation extends. */
  refreshExpiresAt: number;
  seenFrom?: SessionClient;
  /** Whether the address was verified when the sign-in was authorized. If it is absent, `openSession` does not compare it. */
  emailVerified?: boolean;
  signedInAt: number;
}

/**
 * Opens a session. Returns false and opens none if the account's verification changed since the sign-in was authorized,
 * because another person may have verified the address.
 */
export async function openSession(store: Store, session: NewSession): Promise<boolean> {
  return inTransaction(store, async (trx) => {
    const account = await locked(
      store.dialect,
      trx.selectFrom('accounts').select(['id', 'email_verified']).where('id', '=', session.accountId),
    ).executeTakeFirst();
    if (session.emailVerified !== undefined && Number(session.emailVerified) !== account?.email_verified)
      return false;
    await trx
      .insertInto('sessions')
      .values({
        id: session.sessionId,
        account_id: session.accountId,
        access_hash: session.accessHash,
        access_expires_at: session.accessExpiresAt,
        refresh_hash: session.refreshHash,
        previous_refresh_hash: null,
        rotated_at: null,
        refresh_idle_expires_at: session.refreshIdleExpiresAt,
        refresh_expires_at: session.refreshExpiresAt,
        ...clientColumns(session.seenFrom),
        created_at: session.signedInAt,
      })
      .execute();
    return true;
  });
}

const MAX_USER_AGENT = 300;

const clientColumns = (seenFrom: SessionClient | undefined) =>
  seenFrom && {
    user_agent: seenFrom.userAgent.replaceAll('\0', '').slice(0, MAX_USER_AGENT).toWellFormed(),
    address: seenFrom.address,
  };

/** The session id and token hash from a cookie. */
export type SessionProof = { sessionId: string } & ({ accessHash: string } | { refreshHash: string });

/**
 * Returns the session of a cookie; null if it is unknown, ended or expired, its token is wrong, or its account is disabled. Does
 * not use up the refresh token.
 */
export async function findSession(
  store: Store,
  { now, ...proof }: SessionProof & { now: number },
): Promise<{ sessionId: string; account: Account; accessExpiresAt: number } | null> {
  const { sessionId } = proof;
  const row = await store.db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .selectAll('accounts')
    .select('access_expires_at')
    .where('sessions.id', '=', sessionId)
    .where((eb) =>
      'accessHash' in proof
        ? eb.and([eb('access_hash', '=', proof.accessHash), eb('access_expires_at', '>', now)])
        : eb.and([eb('refresh_hash', '=', proof.refreshHash), eb('refresh_idle_expires_at', '>', now)]),
    )
    .where('refresh_expires_at', '>', now)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return row ? { sessionId, account: toAccount(row), accessExpiresAt: row.access_expires_at } : null;
}

export interface Rotation {
  sessionId: string;
  /** Hash of the refresh token that the client sent. */
  refreshHash: string;
  /**
   * Hash of the next token, which is derived from the current one, so that parallel requests get the same successor.
   */
  nextRefreshHash: string;
  nextAccessHash: string;
  accessExpiresAt: number;
  refreshIdleExpiresAt: number;
  seenFrom?: SessionClient;
  now: number;
  /** Time after a rotation, in ms, during which a client may still exchange the previous token for the same successor. */
  graceMs: number;
}

export type RotationResult =
  | { outcome: 'rotated' | 'same_successor'; account: Account }
  /** The token was not the current one, nor its predecessor within `graceMs`: somebody may have a copy. The session has ended. */
  | { outcome: 'revoked' }
  | { outcome: 'unknown' };

/** Exchanges a refresh token for its successor. It is a single statement, so that only one of two parallel requests rotates. */
export async function rotateSession(store: Store, rotation: Rotation): Promise<RotationResult> {
  const { sessionId, refreshHash, now } = rotation;
  const rotated = await store.db
    .updateTable('sessions')
    .set({
      previous_refresh_hash: refreshHash,
      rotated_at: now,
      refresh_hash: rotation.nextRefreshHash,
      refresh_idle_expires_at: rotation.refreshIdleExpiresAt,
      access_hash: rotation.nextAccessHash,
      access_expires_at: rotation.accessExpiresAt,
      ...clientColumns(rotation.seenFrom),
    })
    .where('id', '=', sessionId)
    .where('refresh_hash', '=', refreshHash)
    .where('refresh_expires_at', '>', now)
    .where('refresh_idle_expires_at', '>', now)
    .returning('id')
    .executeTakeFirst();

  const session = await store.db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .selectAll('accounts')
    .select([
      'refresh_hash',
      'previous_refresh_hash',
      'rotated_at',
      'refresh_expires_at',
      'refresh_idle_expires_at',
    ])
    .where('sessions.id', '=', sessionId)
    .executeTakeFirst();
  if (!session) return { outcome: 'unknown' };
  // The session was opened while the account was being disabled.
  if (session.disabled_at !== null) {
    await endSession(store, sessionId);
    return { outcome: 'unknown' };
  }
  if (rotated) return { outcome: 'rotated', account: toAccount(session) };

  if (session.refresh_expires_at <= now || session.refresh_idle_expires_at <= now) {
    await endSession(store, sessionId);
    return { outcome: 'unknown' };
  }
  const isPreceding =
    session.previous_refresh_hash === refreshHash && session.refresh_hash === rotation.nextRefreshHash;
  if (isPreceding && (session.rotated_at ?? 0) + rotation.graceMs > now)
    return { outcome: 'same_successor', account: toAccount(session) };
  await endSession(store, sessionId);
  return { outcome: 'revoked' };
}

/** An open session as its owner sees it. Timestamps are in ms UTC. */
export interface OpenSession {
  id: string;
  userAgent: string;
  address: string;
  createdAt: number;
  /** Time of the last refresh, else of the sign-in. An active session refreshes every 15 minutes. */
  lastUsedAt: number;
}

/** Lists the account's open sessions, last used first. */
export async function listSessions(store: Store, accountId: string, now: number): Promise<OpenSession[]> {
  const rows = await store.db
    .selectFrom('sessions')
    .select(['id', 'user_agent', 'address', 'created_at'])
    .select((eb) => eb.fn.coalesce('rotated_at', 'created_at').as('lastUsedAt'))
    .where('account_id', '=', accountId)
    .where('refresh_expires_at', '>', now)
    .where('refresh_idle_expires_at', '>', now)
    .orderBy('lastUsedAt', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(({ user_agent: userAgent, created_at: createdAt, ...row }) => ({
    ...row,
    userAgent,
    createdAt,
  }));
}

/**
 * Ends a session and signals the processes that serve it. With `accountId`, only ends a session of this account. Returns false if
 * there is no such session.
 */
export async function endSession(store: Store, sessionId: string, accountId?: string): Promise<boolean> {
  const ended = await store.db
    .deleteFrom('sessions')
    .where('id', '=', sessionId)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .returning('account_id')
    .executeTakeFirst();
  if (ended) store.signals.publish({ topic: 'session_ended', accountId: ended.account_id, sessionId });
  return ended !== undefined;
}

/** Signs the account out everywhere, also at the built-in identity provider. */
export async function endAllSessions(store: Store, accountId: string): Promise<void> {
  await inTransaction(store, async (trx) => {
    await trx.deleteFrom('sessions').where('account_id', '=', accountId).execute();
    await endProviderSessions({ db: trx }, accountId);
  });
  store.signals.publish({ topic: 'session_ended', accountId, sessionId: null });
}

/** Ends the account's sessions at the built-in identity provider. */
export async function endProviderSessions({ db }: Pick<Store, 'db'>, accountId: string): Promise<void> {
  await db
    .deleteFrom('session')
    .where('userId', 'in', (eb) =>
      eb.selectFrom('identities').select('subject').where('account_id', '=', accountId),
    )
    .execute();
}

/** Deletes the oldest sessions of accounts above the limit. Returns how many. */
export async function endOldestSessions({ db }: Store): Promise<number> {
  const ranked = db
    .selectFrom('sessions')
    .select('id')
    .select(sql<number>`row_number() over (partition by account_id order by created_at desc, id)`.as('rank'));
  const ended = await db
    .deleteFrom('sessions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom(ranked.as('ranked'))
        .select('ranked.id')
        .where('ranked.rank', '>', FIXED_LIMITS.sessionsPerAccount),
    )
    .executeTakeFirst();
  return Number(ended.numDeletedRows);
}

/**
 * Corrects sessions that were opened or refreshed while the clock ran ahead and would stay valid for too long: moves their times
 * as if this happened at `now` (ms UTC). Keeps times up to `ahead` (ms UTC). Returns the number of corrected sessions.
 */
export async function moveFutureSessions(
  { db }: Store,
  { now, ahead }: { now: number; ahead: number },
): Promise<number> {
  const at = sql.lit(now);
  const lastUsed = sql<number>`coalesce(rotated_at, created_at)`;
  const refreshed = await db
    .updateTable('sessions')
    .set({
      access_expires_at: sql<number>`access_expires_at - (${lastUsed} - ${at})`,
      refresh_idle_expires_at: sql<number>`refresh_idle_expires_at - (${lastUsed} - ${at})`,
      rotated_at: sql<number | null>`case when rotated_at is null then null else ${at} end`,
    })
    .where(lastUsed, '>', ahead)
    .executeTakeFirst();
  const opened = await db
    .updateTable('sessions')
    .set({ refresh_expires_at: sql<number>`refresh_expires_at - (created_at - ${at})`, created_at: now })
    .where('created_at', '>', ahead)
    .executeTakeFirst();
  return Number(refreshed.numUpdatedRows + opened.numUpdatedRows);
}
