import { type Expression, sql, type SqlBool, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { leaseClock, lockedAndFree } from '../db/dialect.ts';
import type { Claim } from '../monitors/monitor-claims.ts';
import type { Store } from '../db/open-store.ts';
import type { OutboxColumns, Tables } from '../schema/tables.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** The tables of what is to be sent. */
export type Outbox = 'deliveries' | 'mails';

/** The columns used here are the same in each of them; to the compiler all are this one. */
const asTable = (outbox: Outbox) => outbox as 'mails';

/**
 * Claims in a row that ended without a word, after which a row is given up: it kills its worker every time. High, for
 * a row must not be lost to a worker that is killed for other reasons.
 */
export const MOST_UNANSWERED_CLAIMS = 20;

/** Written out: SQLite recognises the partial index of what waits by its words, not by a parameter's value. */
export const isWaiting = sql<boolean>`state = 'waiting'`;

/** Proof that a row is this worker's to send; worthless once another worker has claimed it. */
export interface OutboxLease {
  id: string;
  leaseToken: string;
}

export interface ClaimedRows {
  leaseToken: string;
  /** With the number of the attempt, from 1. */
  rows: { id: string; account_id: string | null; attempts: number }[];
  /** Rows that ended every worker that claimed them; they are failed now. */
  givenUp: string[];
}

/**
 * Takes the rows that have been due the longest, under a lease, and counts the attempt. What is for a disabled account
 * stays where it is: nothing goes out to one, and nothing is lost.
 */
export async function claimDueRows(
  store: Store,
  trx: Transaction<Tables>,
  outbox: Outbox,
  claim: Claim & {
    /** Which of those that are due may be taken; absent: all. */
    isFree?: Expression<SqlBool>;
  },
): Promise<ClaimedRows> {
  const table = asTable(outbox);
  const clock = leaseClock(store, claim.now);
  const leaseToken = randomUUID();
  const claimed = await trx
    .with('due', (db) =>
      lockedAndFree(
        store.dialect,
        db
          .selectFrom(table)
          .select('id')
          .where(isWaiting)
          .where('next_attempt_at', '<=', claim.now)
          .where((eb) => eb.or([eb('lease_token', 'is', null), eb('lease_expires_at', '<=', clock)]))
          .where(isForEnabledAccount(outbox))
          .$if(claim.isFree !== undefined, (due) => due.where(claim.isFree ?? sql<boolean>`true`))
          .orderBy('next_attempt_at')
          .limit(claim.limit),
      ),
    )
    .updateTable(table)
    .set((eb) => ({
      lease_token: leaseToken,
      lease_expires_at: sql<number>`${clock} + ${sql.lit(claim.leaseMs)}`,
      claimed_by: claim.claimedBy,
      attempts: eb('attempts', '+', 1),
      unanswered: eb('unanswered', '+', 1),
      first_attempt_at: eb.fn.coalesce('first_attempt_at', eb.val(claim.now)),
    }))
    .where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
    .returning(['id', 'account_id', 'attempts', 'unanswered'])
    .execute();

  const poisoned = claimed.filter(({ unanswered }) => unanswered > MOST_UNANSWERED_CLAIMS);
  const givenUp = poisoned.map(({ id }) => id);
  if (givenUp.length > 0)
    await trx
      .updateTable(table)
      .set({
        state: 'failed',
        settled_at: claim.now,
        detail: `Given up: ${MOST_UNANSWERED_CLAIMS} attempts in a row ended without a result.`,
        lease_token: null,
        lease_expires_at: null,
      })
      .where('id', 'in', givenUp)
      .execute();
  return {
    leaseToken,
    rows: claimed.filter(({ id }) => !givenUp.includes(id)),
    givenUp,
  };
}

/** Rows whose account is not disabled, or which have none. */
export function isForEnabledAccount(outbox: Outbox): Expression<SqlBool> {
  return sql<boolean>`not exists (select 1 from accounts
    where accounts.id = ${sql.ref(`${outbox}.account_id`)} and accounts.disabled_at is not null)`;
}

/** Moves the end of the lease to `leaseMs` from now, while the row is still being sent. Harmless when it is no longer ours. */
export async function extendRow(
  store: Store,
  outbox: Outbox,
  { id, leaseToken, now, leaseMs }: OutboxLease & { now: number; leaseMs: number },
): Promise<void> {
  await store.db
    .updateTable(asTable(outbox))
    .set({ lease_expires_at: sql<number>`${leaseClock(store, now)} + ${sql.lit(leaseMs)}` })
    .where('id', '=', id)
    .where('lease_token', '=', leaseToken)
    .execute();
}

/** Ends the lease, and the row's waiting where `change` says so. Undefined when the lease is no longer ours. */
export async function answerRow(
  trx: Transaction<Tables>,
  outbox: Outbox,
  { id, leaseToken }: OutboxLease,
  change: Partial<Pick<OutboxColumns, 'settled_at' | 'next_attempt_at' | 'detail'>> & { state?: string },
): Promise<{ account_id: string | null; attempts: number } | undefined> {
  return trx
    .updateTable(asTable(outbox))
    .set({ ...(change as object), unanswered: 0, lease_token: null, lease_expires_at: null })
    .where('id', '=', id)
    .where('lease_token', '=', leaseToken)
    .returning(['account_id', 'attempts'])
    .executeTakeFirst();
}

/**
 * Gives a claimed row back until `until` as if nobody had tried: no attempt is counted, and the time in which it is tried
 * begins anew. The number of the attempt that was none; undefined when the lease is no longer ours.
 */
export async function holdRow(
  trx: Transaction<Tables>,
  outbox: Outbox,
  { id, leaseToken, until, detail }: OutboxLease & { until: number; detail: string },
): Promise<{ account_id: string | null; attempt: number } | undefined> {
  const held = await trx
    .updateTable(asTable(outbox))
    .set((eb) => ({
      attempts: eb('attempts', '-', 1),
      unanswered: 0,
      first_attempt_at: null,
      next_attempt_at: until,
      detail,
      lease_token: null,
      lease_expires_at: null,
    }))
    .where('id', '=', id)
    .where('lease_token', '=', leaseToken)
    .returning(['account_id', 'attempts'])
    .executeTakeFirst();
  return held && { account_id: held.account_id, attempt: held.attempts + 1 };
}

/** A row that ended so many workers in a row is left alone for as long as its lease lasts. */
const MOST_FREED = 2;

/**
 * Ends the leases of a process that was killed, so that what it was sending is sent again at once. Only for who knows that nobody
 * else is at work: a database that belongs to one process, at its start.
 */
export async function freeRows({ db }: Store, outbox: Outbox): Promise<void> {
  await db
    .updateTable(asTable(outbox))
    .set({ lease_token: null, lease_expires_at: null })
    .where(isWaiting)
    .where('lease_token', 'is not', null)
    .where('unanswered', '<=', MOST_FREED)
    .execute();
}

/** Retries and quiet hours put off by a day and a little at most. */
const LONGEST_PUT_OFF_MS = 2 * DAY_MS;

/**
 * Makes due what neither a retry nor a day's limit can have put off so far, and ends leases that no worker can have taken for so long: the machine's
 * clock ran ahead and was set back. Returns how many rows.
 */
export async function recallRows(store: Store, outbox: Outbox, now: number): Promise<number> {
  const result = await store.db
    .updateTable(asTable(outbox))
    .set((eb) => ({
      next_attempt_at: eb
        .case()
        .when('next_attempt_at', '>', now)
        .then(now)
        .else(eb.ref('next_attempt_at'))
        .end(),
      lease_token: null,
      lease_expires_at: null,
    }))
    .where(isWaiting)
    .where((eb) =>
      eb.or([
        eb('next_attempt_at', '>', now + LONGEST_PUT_OFF_MS),
        eb('lease_expires_at', '>', sql<number>`${leaseClock(store, now)} + ${sql.lit(LONGEST_PUT_OFF_MS)}`),
      ]),
    )
    .executeTakeFirst();
  const recalled = Number(result.numUpdatedRows);
  if (recalled > 0) store.signals.publish({ topic: outbox });
  return recalled;
}
