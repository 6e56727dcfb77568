import {
  type ColumnDataType,
  type Dialect,
  type Expression,
  type Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
} from 'kysely';
import { join } from 'node:path';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import type { Store } from './open-store.ts';

/** Everything in which the two databases differ; the rest of the store does not know which one it talks to. */
export type DialectName = 'sqlite' | 'postgres';

export const OLDEST_POSTGRES = 15;
export const SQLITE_FILE = 'certlantern.db';

export function sqliteDialect(dataDir: string): Dialect {
  return new NodeSqliteDialect(join(dataDir, SQLITE_FILE), { readsApart: true });
}

/** Column types that have no common name. The last two serve better-auth's tables alone. */
export function columnTypes(
  dialect: DialectName,
): Record<'bytes' | 'identityInstant' | 'identityFlag', ColumnDataType> {
  return dialect === 'postgres'
    ? { bytes: 'bytea', identityInstant: 'timestamptz', identityFlag: 'boolean' }
    : { bytes: 'blob', identityInstant: 'date', identityFlag: 'integer' };
}

/** A boolean as better-auth's tables hold it. */
export function identityFlag(dialect: DialectName, value: boolean): boolean | number {
  return dialect === 'postgres' ? value : Number(value);
}

/** Whether there is a table of this name where ours are. */
export async function hasTable<DB>(db: Kysely<DB>, dialect: DialectName, name: string): Promise<boolean> {
  const { rows } = await (
    dialect === 'postgres'
      ? sql`select 1 from pg_tables where schemaname = any (current_schemas(false)) and tablename = ${name}`
      : sql`select 1 from sqlite_master where type = 'table' and name = ${name}`
  ).execute(db);
  return rows.length > 0;
}

type Select<DB, TB extends keyof DB, O> = SelectQueryBuilder<DB, TB, O>;

/**
 * Holds the selected rows until the transaction ends. SQLite has one writer, whose transaction excludes all others. "No
 * key": rows that refer to these ones may still be written, so that a check's record never waits for an account.
 */
export function locked<DB, TB extends keyof DB, O>(
  dialect: DialectName,
  query: Select<DB, TB, O>,
  /** Of a join: the one table whose rows are held. */
  of?: TB & string,
): Select<DB, TB, O> {
  return dialect === 'postgres' ? query.forNoKeyUpdate(of) : query;
}

/** Keeps the selected rows from being deleted until the transaction ends. Others may still change them. */
export function keptFromDeletion<DB, TB extends keyof DB, O>(
  dialect: DialectName,
  query: Select<DB, TB, O>,
): Select<DB, TB, O> {
  return dialect === 'postgres' ? query.forKeyShare() : query;
}

/** As `locked`, passing over rows that others hold. */
export function lockedAndFree<DB, TB extends keyof DB, O>(
  dialect: DialectName,
  query: Select<DB, TB, O>,
): Select<DB, TB, O> {
  return dialect === 'postgres' ? query.forNoKeyUpdate().skipLocked() : query;
}

/** The database's own clock in ms UTC: one clock for the leases of workers on many machines. */
function databaseClock(dialect: DialectName): RawBuilder<number> {
  return dialect === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}

/**
 * Substring search in which no character has a special meaning. `column` holds lower case. LIKE would take time for each place in
 * the text times the length of the query where both repeat one character: measured, 0.6 ms for 2,000 characters and 253.
 */
export function contains(
  dialect: DialectName,
  column: Expression<string>,
  text: string,
): RawBuilder<boolean> {
  const wanted = text.toLowerCase();
  // instr() compares whole blocks of memory: 0.01 ms for the same, and as fast as LIKE elsewhere.
  return dialect === 'postgres'
    ? sql<boolean>`strpos(${column}, ${wanted}) > 0`
    : sql<boolean>`instr(${column}, ${wanted}) > 0`;
}

/**
 * As `contains`, for texts of any length. PostgreSQL's strpos() is as slow as LIKE where text and query repeat one character; a
 * regular expression, here a literal (`***=`), reads each character once, but takes three to ten times as long elsewhere.
 */
export function longContains(
  dialect: DialectName,
  column: Expression<string>,
  text: string,
): RawBuilder<boolean> {
  if (dialect === 'sqlite') return contains(dialect, column, text);
  return sql<boolean>`${column} ~ ${`***=${text.toLowerCase()}`}`;
}

/** The items of a JSON list of strings, as a table with the column `value`. */
export function listItems(dialect: DialectName, column: string): RawBuilder<{ value: string }> {
  return dialect === 'postgres'
    ? sql`json_array_elements_text(${sql.ref(column)}::json)`
    : sql`json_each(${sql.ref(column)})`;
}

/** The query as one that is carried out by itself, whatever it is part of: its rows are sorted, and not an index walked for it. */
export function byItself<DB, TB extends keyof DB, O>(
  dialect: DialectName,
  query: Select<DB, TB, O>,
): Select<DB, TB, O> {
  return dialect === 'postgres' ? query.offset(0) : query.limit(-1);
}

/** pg hands out its Buffer; SQLite plain bytes. */
export function bytes(value: Uint8Array): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const FOREIGN_KEY_VIOLATION = '23503';
const UNIQUE_VIOLATION = '23505';

/** A transaction that lost a race, also to a row deleted or written just now; as new it may succeed. */
export function lostRace(error: unknown): boolean {
  return [SERIALIZATION_FAILURE, DEADLOCK, FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION].includes(
    errorCode(error),
  );
}

const SQLITE_FOREIGN_KEY = 787;

/** What was to be written refers to a row that is gone. */
export function refersToNothing(error: unknown): boolean {
  if (errorCode(error) === FOREIGN_KEY_VIOLATION) return true;
  return error instanceof Error && Reflect.get(error, 'errcode') === SQLITE_FOREIGN_KEY;
}

const STILL_STARTING = '57P03';
const TOO_MANY_CONNECTIONS = '53300';
const SHUTTING_DOWN = '57P01';

/** An error of connecting that time may heal: no answer (no SQLSTATE), or a server that is coming up. */
export function mayPass(error: unknown): boolean {
  const code = errorCode(error);
  const isSqlState = /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);
  return !isSqlState || [STILL_STARTING, TOO_MANY_CONNECTIONS, SHUTTING_DOWN].includes(code);
}

const OUTAGE_CODES = new Set([
  STILL_STARTING,
  TOO_MANY_CONNECTIONS,
  SHUTTING_DOWN,
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** The database server is gone or not there yet, as a query sees it. The embedded database has no such state. */
export function isOutage(error: unknown): boolean {
  if (OUTAGE_CODES.has(errorCode(error))) return true;
  // What the pool says of connections that end or never begin carries no code.
  const message = error instanceof Error ? error.message : '';
  return /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered)/.test(
    message,
  );
}

const QUERY_CANCELLED = '57014';

/** A query took longer than its connection allows, as those for searches do. */
export const tookTooLong = (error: unknown): boolean => errorCode(error) === QUERY_CANCELLED;

const POSTGRES_DISK_FULL = '53100';
/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: no room for the index of the write-ahead log. */
const SQLITE_DISK_FULL = [13, 4_874];

/** Nothing more can be written until its operator makes room. */
export function isDiskFull(error: unknown): boolean {
  if (errorCode(error) === POSTGRES_DISK_FULL) return true;
  return error instanceof Error && SQLITE_DISK_FULL.includes(Number(Reflect.get(error, 'errcode')));
}

function errorCode(error: unknown): string {
  return error instanceof Error ? String(Reflect.get(error, 'code') ?? '') : '';
}

/**
 * "Now" as leases see it. Workers on many machines share the database's clock: one that runs ahead must not take the leases
 * of the others for over.
 */
export function leaseClock(store: Store, now: number): RawBuilder<number> {
  return store.leaseClock === 'database' ? databaseClock(store.dialect) : sql<number>`cast(${now} as bigint)`;
}
