import { sql } from 'kysely';
import { type Account, toAccount } from './accounts.ts';
import { locked } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';

/** From where a session was used: what the browser calls itself (at most 300 characters are kept), and its address. */
export interface SeenFrom {
  userAgent: string;
  address: string;
}

/** Hashes are of 256-bit secrets; the secrets themselves never come here. */
export interface NewSession {
  sessionId: string;
  accountId: string;
  accessHash: string;
  refreshHash: string;
  accessExpiresAt: number;
  /** Moves with every rotation. */
  refreshIdleExpiresAt: number;
  /** Never moves. */
  refreshExpiresAt: number;
  seenFrom?: SeenFrom;
  /** Whether the address was proven when the sign-in was judged. Absent: it does not matter. */
  emailVerified?: boolean;
  now: number;
}

/** Opens a session. False, and none is opened, where the address was proven since the sign-in was judged, perhaps by somebody else. */
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
        ...seenColumns(session.seenFrom),
        created_at: session.now,
      })
      .execute();
    return true;
  });
}

const MAX_USER_AGENT = 300;

const seenColumns = (seenFrom: SeenFrom | undefined) =>
  seenFrom && {
    user_agent: seenFrom.userAgent.replaceAll('\0', '').slice(0, MAX_USER_AGENT).toWellFormed(),
    address: seenFrom.address,
  };

/** What a cookie proves a session by. */
export type SessionProof = { sessionId: string } & ({ accessHash: string } | { refreshHash: string });

/** The session that a cookie proves. Null for unknown, wrong, ended and expired alike. Uses up no refresh token. */
export async function sessionBy(
  store: Store,
  { now, ...proof }: SessionProof & { now: number },
): Promise<{ sessionId: string; account: Account } | null> {
  const { sessionId } = proof;
  const row = await store.db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .selectAll('accounts')
    .where('sessions.id', '=', sessionId)
    .where((eb) =>
      'accessHash' in proof
        ? eb.and([eb('access_hash', '=', proof.accessHash), eb('access_expires_at', '>', now)])
        : eb.and([eb('refresh_hash', '=', proof.refreshHash), eb('refresh_idle_expires_at', '>', now)]),
    )
    .where('refresh_expires_at', '>', now)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return row ? { sessionId, account: toAccount(row) } : null;
}

export interface Rotation {
  sessionId: string;
  /** Of the refresh token presented. */
  refreshHash: string;
  /** Of its successor, which is derived from it: two requests with the same token name the same one. */
  nextRefreshHash: string;
  nextAccessHash: string;
  accessExpiresAt: number;
  refreshIdleExpiresAt: number;
  seenFrom?: SeenFrom;
  now: number;
  /** How long the immediately preceding token still gets the same successor. */
  graceMs: number;
}

export type RotationResult =
  | { outcome: 'rotated' | 'same_successor'; account: Account }
  /** An older token came back: somebody has a copy. The session is over for everybody. */
  | { outcome: 'revoked' }
  | { outcome: 'unknown' };

/** Exchanges a refresh token for its successor. The exchange is one statement: of two at once exactly one rotates. */
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
      ...seenColumns(rotation.seenFrom),
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
  // Opened while its account was being disabled.
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

/** One place where an account is signed in. Instants are ms UTC. */
export interface OpenSession {
  id: string;
  userAgent: string;
  address: string;
  createdAt: number;
  /** Of the sign-in, or of the last refresh, which comes every quarter of an hour of use. */
  lastUsedAt: number;
}

/** Where the account is signed in, the newest use first. */
export async function sessionsOf(store: Store, accountId: string, now: number): Promise<OpenSession[]> {
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
 * Ends one session, of this account where one is named, and tells the processes that serve it. False, and harmless, where
 * there is none.
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

/** Signs the account out everywhere, at the built-in identity provider too. */
export async function endAllSessions(store: Store, accountId: string): Promise<void> {
  await inTransaction(store, async (trx) => {
    await trx.deleteFrom('sessions').where('account_id', '=', accountId).execute();
    await trx
      .deleteFrom('session')
      .where('userId', 'in', (eb) =>
        eb.selectFrom('identities').select('subject').where('account_id', '=', accountId),
      )
      .execute();
  });
  store.signals.publish({ topic: 'session_ended', accountId, sessionId: null });
}

/** Of one account: somebody who has the password may open as many as the limits of all calls allow. */
const MOST_OF_ACCOUNT = 200;

/** Ends the oldest sessions of accounts that have too many. */
async function endOldest({ db }: Store): Promise<bigint> {
  const placed = db
    .selectFrom('sessions')
    .select('id')
    .select(
      sql<number>`row_number() over (partition by account_id order by created_at desc, id)`.as('place'),
    );
  const ended = await db
    .deleteFrom('sessions')
    .where('id', 'in', (eb) =>
      eb.selectFrom(placed.as('placed')).select('placed.id').where('placed.place', '>', MOST_OF_ACCOUNT),
    )
    .executeTakeFirst();
  return ended.numDeletedRows;
}

/**
 * Removes sessions that nobody can refresh any more, the oldest of accounts that have too many, and the identity provider's own sessions, links and challenges that
 * ran out: its library drops one only when somebody comes back with it. Returns how many.
 */
export async function pruneSessions(store: Store, now: number): Promise<number> {
  const ours = await store.db
    .deleteFrom('sessions')
    .where((eb) => eb.or([eb('refresh_expires_at', '<=', now), eb('refresh_idle_expires_at', '<=', now)]))
    .executeTakeFirst();
  let removed = ours.numDeletedRows + (await endOldest(store));
  for (const table of ['session', 'verification'] as const) {
    const theirs = await store.db
      .deleteFrom(table)
      .where('expiresAt', '<=', new Date(now).toISOString())
      .executeTakeFirst();
    removed += theirs.numDeletedRows;
  }
  return Number(removed);
}
