import type { Selectable, UpdateObject } from 'kysely';
import { plainBytes } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import type { LogListsTable, Tables } from '../schema/tables.ts';

/* The lists of Certificate Transparency logs that workers fetch. All processes use the same ones. */

/** Which list, and where the operator gets it. A list from another address is kept separately. */
export interface LogListKey {
  list: 'google' | 'apple';
  address: string;
}

/** What is known about a list, without its bytes. Times are in ms UTC. */
export interface LogListState {
  askedAt: number;
  /** Number of requests since the last usable answer. */
  attempts: number;
  /** Why the last request gave no usable answer; null if it gave one, or if it has no answer yet. */
  problem: string | null;
  fetchedAt: number | null;
  answeredAt: number | null;
  etag: string | null;
  lastModified: string | null;
}

/** Returns what is known about a list; null if it was never asked for. */
export async function logListState(store: Store, key: LogListKey): Promise<LogListState | null> {
  const row = await rowOf(store, key)
    .select(['asked_at', 'attempts', 'problem', 'fetched_at', 'answered_at', 'etag', 'last_modified'])
    .executeTakeFirst();
  return row === undefined ? null : stateOf(row);
}

/** Returns the bytes of the kept list, and when a server last said that they are current (ms UTC); null if none is kept. */
export async function keptLogList(
  store: Store,
  key: LogListKey,
): Promise<{ body: Uint8Array; answeredAt: number } | null> {
  const row = await rowOf(store, key).select(['body', 'answered_at']).executeTakeFirst();
  if (!row?.body || row.answered_at === null) return null;
  return { body: plainBytes(row.body), answeredAt: row.answered_at };
}

/**
 * Claims the next request for a list, and counts it. `before`: the state that the caller read; null if there was none. Returns false
 * if another process was faster.
 */
export async function claimLogList(
  store: Store,
  { list, address, before, now }: LogListKey & { before: LogListState | null; now: number },
): Promise<boolean> {
  if (before === null) {
    const { numInsertedOrUpdatedRows } = await store.db
      .insertInto('log_lists')
      .values({ list, address, asked_at: now, attempts: 1 })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }
  const { numUpdatedRows } = await store.db
    .updateTable('log_lists')
    .set({ asked_at: now, attempts: before.attempts + 1 })
    .where('list', '=', list)
    .where('address', '=', address)
    .where('asked_at', '=', before.askedAt)
    .where('attempts', '=', before.attempts)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** A usable answer: a new list, or null if the kept one is unchanged. */
export type LogListAnswer = { body: Uint8Array; etag: string | null; lastModified: string | null } | null;

/** Stores a usable answer, and wakes the processes that use the list. */
export async function storeLogList(
  store: Store,
  { now, answer, ...key }: LogListKey & { answer: LogListAnswer; now: number },
): Promise<void> {
  await update(store, key, {
    ...(answer && {
      body: answer.body,
      etag: answer.etag,
      last_modified: answer.lastModified,
      fetched_at: now,
    }),
    attempts: 0,
    problem: null,
    answered_at: now,
  });
}

/** Stores why a request gave no usable answer. The kept list stays. */
export async function storeLogListProblem(
  store: Store,
  { problem, ...key }: LogListKey & { problem: string },
): Promise<void> {
  await update(store, key, { problem });
}

async function update(
  store: Store,
  { list, address }: LogListKey,
  values: UpdateObject<Tables, 'log_lists'>,
): Promise<void> {
  await store.db
    .updateTable('log_lists')
    .set(values)
    .where('list', '=', list)
    .where('address', '=', address)
    .execute();
  store.signals.publish({ topic: 'log_lists' });
}

/** Returns the state of each list that was asked for, for the operator. If its address was changed, that of the newest request. */
export async function logListStates({ db }: Store): Promise<Map<string, LogListState>> {
  const rows = await db
    .selectFrom('log_lists')
    .select(['list', 'asked_at', 'attempts', 'problem', 'fetched_at', 'answered_at', 'etag', 'last_modified'])
    .orderBy('asked_at')
    .execute();
  return new Map(rows.map((row) => [row.list, stateOf(row)]));
}

function rowOf({ db }: Store, { list, address }: LogListKey) {
  return db.selectFrom('log_lists').where('list', '=', list).where('address', '=', address);
}

function stateOf(row: Omit<Selectable<LogListsTable>, 'list' | 'address' | 'body'>): LogListState {
  return {
    askedAt: row.asked_at,
    attempts: row.attempts,
    problem: row.problem,
    fetchedAt: row.fetched_at,
    answeredAt: row.answered_at,
    etag: row.etag,
    lastModified: row.last_modified,
  };
}
