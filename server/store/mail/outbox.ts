import { type Expression, sql, type SqlBool, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { laneOf, LANES } from '../../core/check/schedule.ts';
import { type Claim, compileOnce, leaseClock, lockedOrSkipped } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import type { OutboxColumns } from '../schema/alert-tables.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { lanes } from '../monitors/check-due.ts';

/** The tables that queue outgoing messages. */
export type Outbox = 'deliveries' | 'mails';

/** Narrows the type to one table for the compiler. The tables share all columns that this file uses. */
const asTable = (outbox: Outbox) => outbox as 'mails';

/**
 * Maximum number of consecutive claims without a result. Above it the row fails, because it seems to kill each worker that claims
 * it. The maximum is high, so that rows do not fail when workers are killed for other reasons.
 */
export const MAX_UNANSWERED_CLAIMS = 20;

/**
 * SQL condition for waiting rows. It contains a literal instead of a parameter, because SQLite uses a partial index only if the
 * query contains the index's condition word for word.
 */
export const isWaiting = sql<boolean>`state = 'waiting'`;

const firstWaiting = {
  deliveries: firstWaitingOf('deliveries'),
  mails: firstWaitingOf('mails'),
};

function firstWaitingOf(outbox: Outbox) {
  return compileOnce((db) =>
    db
      .selectFrom(asTable(outbox))
      .select('next_attempt_at as at')
      .where(isWaiting)
      .orderBy('next_attempt_at')
      .limit(1)
      .compile(),
  );
}

/** Returns when the first waiting row is due, ms UTC, even if it cannot be claimed now; null if no row is waiting. */
export async function firstAttemptDueAt(store: Store, outbox: Outbox): Promise<number | null> {
  const [first] = await firstWaiting[outbox](store.db, {});
  return first?.at ?? null;
}

/** The lane of digests, because nobody waits for a digest. */
export const LAST_LANE = LANES - 1;

/** With this number of waiting messages, `laneOf` returns the last lane. */
const MAX_COUNTED = 4 ** LAST_LANE;

/**
 * Returns the lane of an account's next message, which depends on the number of its waiting messages. Later changes of this number
 * do not change the lane.
 */
export async function nextLane(trx: Transaction<Tables>, outbox: Outbox, accountId: string): Promise<number> {
  const waiting = trx
    .selectFrom(asTable(outbox))
    .select('id')
    .where('account_id', '=', accountId)
    .where(isWaiting)
    .limit(MAX_COUNTED);
  const { many } = await trx
    .selectFrom(waiting.as('waiting'))
    .select((eb) => eb.fn.countAll<number>().as('many'))
    .executeTakeFirstOrThrow();
  return laneOf(many);
}

/** Proof that this worker may send a message. Invalid once another worker has claimed it. */
export interface OutboxLease {
  leaseToken: string;
}

export interface ClaimedRows {
  rows: { id: string; leaseToken: string }[];
  /** Ids of rows that have just failed after too many claims without a result. */
  givenUp: string[];
}

/**
 * Claims due rows and counts the attempt: lane by lane, longest due first. So the first three messages of every account come
 * before the fourth of any other. Fails rows that exceed `MAX_UNANSWERED_CLAIMS`. Rows of disabled accounts wait.
 */
export async function claimDueRows(
  store: Store,
  trx: Transaction<Tables>,
  outbox: Outbox,
  claim: Claim & {
    /** Condition that a due row must meet to be claimed. If absent, every due row may be claimed. */
    isFree?: Expression<SqlBool>;
  },
): Promise<ClaimedRows> {
  const table = asTable(outbox);
  const inLanes = lanes().map((lane) => {
    const due = lockedOrSkipped(
      store.dialect,
      trx
        .selectFrom(table)
        .select('id')
        .where(isWaiting)
        .where('lane', '=', sql.lit(lane))
        .where('next_attempt_at', '<=', claim.now)
        .where(isUnleased(leaseClock(store, claim.now)))
        .where(isForEnabledAccount(outbox))
        .$if(claim.isFree !== undefined, (query) => query.where(claim.isFree ?? sql<boolean>`true`))
        .orderBy('next_attempt_at')
        .limit(claim.limit),
    );
    return sql`select id from (${due}) as ${sql.ref(`lane${lane}`)}`;
  });
  const claimed = await trx
    .with(
      'due',
      () =>
        sql<{
          id: string;
        }>`(select id from (${sql.join(inLanes, sql` union all `)}) as waiting limit ${claim.limit})`,
    )
    .updateTable(table)
    .set(leasedColumns(store, claim, sql<string>`cast(${randomUUID()} as text) || message_id`))
    .where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
    .returning(['id', 'lease_token', 'unanswered'])
    .execute();

  const poisoned = claimed.filter(({ unanswered }) => unanswered > MAX_UNANSWERED_CLAIMS);
  const givenUp = poisoned.map(({ id }) => id);
  if (givenUp.length > 0)
    await trx
      .updateTable(table)
      .set({
        state: 'failed',
        settled_at: claim.now,
        detail: `We gave up: ${MAX_UNANSWERED_CLAIMS} attempts in a row ended without a result.`,
        lease_token: null,
        lease_expires_at: null,
      })
      .where('id', 'in', givenUp)
      .execute();
  return {
    rows: claimed
      .filter(({ id }) => !givenUp.includes(id))
      .map(({ id, lease_token: leaseToken }) => ({ id, leaseToken: leaseToken ?? '' })),
    givenUp,
  };
}

/** Returns the SQL condition that no worker holds the row. `clock` is the current time of leases, see `leaseClock`. */
export const isUnleased = (clock: Expression<number>): Expression<SqlBool> =>
  sql<boolean>`(lease_token is null or lease_expires_at <= ${clock})`;

/** Returns the column values that lease rows under a token and count the attempt. */
export function leasedColumns(store: Store, claim: Omit<Claim, 'limit'>, leaseToken: Expression<string>) {
  return {
    lease_token: leaseToken,
    lease_expires_at: sql<number>`${leaseClock(store, claim.now)} + ${sql.lit(claim.leaseMs)}`,
    claimed_by: claim.claimedBy,
    attempts: sql<number>`attempts + 1`,
    unanswered: sql<number>`unanswered + 1`,
    first_attempt_at: sql<number>`coalesce(first_attempt_at, cast(${claim.now} as bigint))`,
  };
}

/** Returns the SQL condition that the account of a row is enabled, or that the row has no account. */
export function isForEnabledAccount(outbox: Outbox): Expression<SqlBool> {
  return sql<boolean>`not exists (select 1 from accounts
    where accounts.id = ${sql.ref(`${outbox}.account_id`)} and accounts.disabled_at is not null)`;
}

/** Extends the lease to `leaseMs` from now. Does nothing if the lease is lost. */
export async function extendLease(
  store: Store,
  outbox: Outbox,
  { leaseToken, now, leaseMs }: OutboxLease & { now: number; leaseMs: number },
): Promise<void> {
  await store.db
    .updateTable(asTable(outbox))
    .set({ lease_expires_at: sql<number>`${leaseClock(store, now)} + ${sql.lit(leaseMs)}` })
    .where('lease_token', '=', leaseToken)
    .execute();
}

/** A row of a message after an attempt to send it. */
export interface AttemptedRow {
  id: string;
  account_id: string | null;
  attempts: number;
}

/**
 * Rows of a message that a worker is sending or has sent. If a row is queued again later, the time of its first attempt changes.
 */
export interface SentRows {
  ids: readonly string[];
  /** Time of the first attempt, ms UTC. */
  firstAttemptAt: number;
}

/**
 * Applies `change` to all rows of a message, or only to `rows`, and ends their lease. Returns the changed rows: none if the lease
 * is lost. But a message that was sent becomes `delivered` even then, so that no other worker sends it again.
 */
export async function updateLeasedRows(
  trx: Transaction<Tables>,
  outbox: Outbox,
  { leaseToken, rows }: OutboxLease & { rows?: SentRows },
  change: Partial<Pick<OutboxColumns, 'settled_at' | 'next_attempt_at' | 'detail'>> & { state?: string },
): Promise<AttemptedRow[]> {
  return trx
    .updateTable(asTable(outbox))
    .set({ ...(change as object), unanswered: 0, lease_token: null, lease_expires_at: null })
    .$if(rows !== undefined, (query) => query.where('id', 'in', rows?.ids ?? []))
    .where((eb) =>
      rows !== undefined && change.state === 'delivered'
        ? eb.and([isWaiting, eb('first_attempt_at', '=', rows.firstAttemptAt)])
        : eb('lease_token', '=', leaseToken),
    )
    .returning(['id', 'account_id', 'attempts'])
    .execute();
}

/**
 * Defers a claimed message until `until` (ms UTC) without counting the attempt, and restarts the retry period. Returns the
 * message's rows; none if the lease is lost.
 */
export async function deferRows(
  trx: Transaction<Tables>,
  outbox: Outbox,
  { leaseToken, until, detail }: OutboxLease & { until: number; detail: string },
): Promise<AttemptedRow[]> {
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
    .where('lease_token', '=', leaseToken)
    .returning(['id', 'account_id', 'attempts'])
    .execute();
  return held.map((row) => ({ ...row, attempts: row.attempts + 1 }));
}

/** `releaseLeases` skips rows with more consecutive claims without a result, because such a row may kill its worker. */
const MAX_UNANSWERED_TO_RELEASE = 2;

/**
 * Releases the leases of a killed process, so that its rows are sent again at once. Only call it at the start of a process that
 * is the only user of the database, because it would also end the leases of running workers.
 */
export async function releaseLeases({ db }: Store, outbox: Outbox): Promise<void> {
  await db
    .updateTable(asTable(outbox))
    .set({ lease_token: null, lease_expires_at: null })
    .where(isWaiting)
    .where('lease_token', 'is not', null)
    .where('unanswered', '<=', MAX_UNANSWERED_TO_RELEASE)
    .execute();
}

/** Maximum of every delay, ms. Retries, quiet hours and the daily limit delay a row by a little more than a day at most. */
const MAX_DELAY_MS = 2 * DAY_MS;

/**
 * Makes rows due that would wait or stay leased for longer than any delay, because the clock ran ahead when their times were stored.
 * Ends their leases. Returns their number.
 */
export async function correctDueTimes(store: Store, outbox: Outbox, now: number): Promise<number> {
  const result = await store.db
    .updateTable(asTable(outbox))
    .set((eb) => ({
      next_attempt_at: eb
        .case()
        .when('next_attempt_at', '>', now)
        .then(now)
        .else(eb.ref('next_attempt_at'))
        .end(),
      first_attempt_at: eb
        .case()
        .when('first_attempt_at', '>', now)
        .then(now)
        .else(eb.ref('first_attempt_at'))
        .end(),
      lease_token: null,
      lease_expires_at: null,
    }))
    .where(isWaiting)
    .where((eb) =>
      eb.or([
        eb('next_attempt_at', '>', now + MAX_DELAY_MS),
        eb('lease_expires_at', '>', sql<number>`${leaseClock(store, now)} + ${sql.lit(MAX_DELAY_MS)}`),
      ]),
    )
    .executeTakeFirst();
  const madeDue = Number(result.numUpdatedRows);
  if (madeDue > 0) store.signals.publish({ topic: outbox });
  return madeDue;
}
