import {
  type AliasedRawBuilder,
  type CompiledQuery,
  type Dialect,
  type Expression,
  type JoinBuilder,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
} from 'kysely';
import { join } from 'node:path';
import { DiskFailure, type LogSync } from './log-sync.ts';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * The name of a supported database. Apart from `schema/`, all differences between the queries of both databases are in this file.
 */
export type DialectName = 'sqlite' | 'postgres';

export const MIN_POSTGRES_VERSION = 15;
export const SQLITE_FILE = 'certlantern.db';

export function sqliteDialect(dataDir: string, sync?: LogSync): Dialect {
  return new NodeSqliteDialect(join(dataDir, SQLITE_FILE), { hasReader: true, sync });
}

/** Converts a boolean to the form that better-auth's tables use. */
export function identityFlag(dialect: DialectName, value: boolean): boolean | number {
  return dialect === 'postgres' ? value : Number(value);
}

/** Returns whether the current schema has a table of this name. */
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
 * Locks the selected rows until the transaction ends (SQLite needs no row locks, because it has one writer at a time). FOR NO KEY
 * UPDATE lets others insert rows that refer to these, so recording a check never waits for an account lock.
 */
export function locked<DB, TB extends keyof DB, O>(
  dialect: DialectName,
  query: Select<DB, TB, O>,
  /** The table whose rows are locked, if the query joins several. */
  of?: TB & string,
): Select<DB, TB, O> {
  return dialect === 'postgres' ? query.forNoKeyUpdate(of) : query;
}

/** Locks the selected rows against deletion until the transaction ends. Others may still update them. */
export function lockedAgainstDeletion<DB, TB extends keyof DB, O>(
  dialect: DialectName,
  query: Select<DB, TB, O>,
): Select<DB, TB, O> {
  return dialect === 'postgres' ? query.forKeyShare() : query;
}

/** Locks like `locked`, but skips rows that others have locked. */
export function lockedOrSkipped<DB, TB extends keyof DB, O>(
  dialect: DialectName,
  query: Select<DB, TB, O>,
): Select<DB, TB, O> {
  return dialect === 'postgres' ? query.forNoKeyUpdate().skipLocked() : query;
}

/**
 * Takes a lock, so that one transaction at a time decides on an account's alerts. Lock monitors first. Returns true if it may
 * have waited; then read again what the decision depends on. SQLite needs no lock, because it has one writer at a time.
 */
export async function lockAlerts(
  db: Kysely<Tables>,
  dialect: DialectName,
  accountId: string,
): Promise<boolean> {
  if (dialect === 'sqlite') return false;
  await sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 0))`.execute(db);
  return true;
}

/** Returns an SQL expression for the database's clock, ms UTC. Workers on several machines use it for their leases. */
function databaseClock(dialect: DialectName): RawBuilder<number> {
  return dialect === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}

/**
 * Returns an SQL condition that `column`, which must be lower case, contains `text`. It does not use LIKE, whose time grows with
 * the product of both lengths if column and text repeat one character (2,000 and 253 characters: 0.6 ms; instr(): 0.01 ms).
 */
export function contains(
  dialect: DialectName,
  column: Expression<string>,
  text: string,
): RawBuilder<boolean> {
  const needle = text.toLowerCase();
  // instr() compares whole blocks of memory. On ordinary texts it is as fast as LIKE.
  return dialect === 'postgres'
    ? sql<boolean>`strpos(${column}, ${needle}) > 0`
    : sql<boolean>`instr(${column}, ${needle}) > 0`;
}

/**
 * Returns a condition like `contains`, for long columns. If column and text repeat one character, PostgreSQL's strpos() is as
 * slow as LIKE. A literal regular expression (`***=`) reads each character once, but on ordinary texts is 3 to 10 times slower.
 */
export function containsInLongText(
  dialect: DialectName,
  column: Expression<string>,
  text: string,
): RawBuilder<boolean> {
  if (dialect === 'sqlite') return contains(dialect, column, text);
  return sql<boolean>`${column} ~ ${`***=${text.toLowerCase()}`}`;
}

/** Returns SQL that expands a JSON list of strings into a table with the column `value`. */
export function listItems(dialect: DialectName, column: string): RawBuilder<{ value: string }> {
  return dialect === 'postgres'
    ? sql`json_array_elements_text(${sql.ref(column)}::json)`
    : sql`json_each(${sql.ref(column)})`;
}

/** Adds an optimisation fence: the planner sorts this subquery's rows instead of walking an index in their order. */
export function withOptimisationFence<DB, TB extends keyof DB, O>(
  dialect: DialectName,
  query: Select<DB, TB, O>,
): Select<DB, TB, O> {
  return dialect === 'postgres' ? query.offset(0) : query.limit(-1);
}

/**
 * Returns the table `certificates` for joins that only read columns of the index `certificates_names`. Without statistics, SQLite
 * would read the rows, and skip the long `facts` in each, instead of the index.
 */
export function certificateNames(
  dialect: DialectName,
): AliasedRawBuilder<Tables['certificates'], 'certificates'> {
  const index = dialect === 'sqlite' ? sql` indexed by certificates_names` : sql``;
  return sql<Tables['certificates']>`certificates`.as<'certificates'>(sql`certificates${index}`);
}

/** Converts a binary value to a plain Uint8Array, because pg returns a Buffer. */
export function plainBytes(value: Uint8Array): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const FOREIGN_KEY_VIOLATION = '23503';
const UNIQUE_VIOLATION = '23505';

/** Returns whether a transaction failed because of a concurrent one. If so, it may succeed when repeated. */
export function isTransactionConflict(error: unknown): boolean {
  return [SERIALIZATION_FAILURE, DEADLOCK, FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION].includes(
    errorCode(error),
  );
}

const SQLITE_FOREIGN_KEY = 787;

/** Returns whether a write failed because it refers to a deleted row. */
export function isForeignKeyViolation(error: unknown): boolean {
  if (errorCode(error) === FOREIGN_KEY_VIOLATION) return true;
  return error instanceof Error && Reflect.get(error, 'errcode') === SQLITE_FOREIGN_KEY;
}

const STILL_STARTING = '57P03';
const TOO_MANY_CONNECTIONS = '53300';
const SHUTTING_DOWN = '57P01';

/**
 * Returns whether a later attempt to connect may succeed: the server did not answer (the error has no SQLSTATE), or it is
 * starting, stopping or busy.
 */
export function isTransientConnectionError(error: unknown): boolean {
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

/** Returns whether a query failed because the database server is unreachable. Never true for SQLite. */
export function isDatabaseOutage(error: unknown): boolean {
  if (OUTAGE_CODES.has(errorCode(error))) return true;
  // The pool's errors about lost or failed connections have no code.
  const message = error instanceof Error ? error.message : '';
  return /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered)/.test(
    message,
  );
}

const QUERY_CANCELLED = '57014';

/** Returns whether a query exceeded its statement timeout. Only the connections for searches have one. */
export const isStatementTimeout = (error: unknown): boolean => errorCode(error) === QUERY_CANCELLED;

/** A fault of the database's file or disk. It is also the code of its alarm. */
export type StorageFault = 'database_damaged' | 'disk_failed' | 'disk_full';

/** SQLSTATEs, and SQLite's extended result codes (sqlite.org/rescode.html), by the fault that they report. */
const FAULT_CODES: Record<StorageFault, readonly (string | number)[]> = {
  // data_corrupted, index_corrupted; SQLITE_CORRUPT, _INDEX, _SEQUENCE, _VTAB, SQLITE_NOTADB, SQLITE_IOERR_READ, _SHORT_READ
  database_damaged: ['XX001', 'XX002', 11, 779, 523, 267, 26, 266, 522],
  // io_error; SQLITE_IOERR_FSYNC, _DIR_FSYNC
  disk_failed: ['58030', 1_034, 1_290],
  // disk_full; SQLITE_FULL, SQLITE_IOERR_SHMSIZE (no space for the index of the write-ahead log); codes of Node's file errors
  disk_full: ['53100', 13, 4_874, 'ENOSPC', 'EDQUOT', 'EFBIG'],
};

/** Returns the fault of the database's file or disk that made a query or a write to a file fail; null for other errors. */
export function storageFaultOf(error: unknown): StorageFault | null {
  if (error instanceof DiskFailure) return 'disk_failed';
  const codes = [errorCode(error), error instanceof Error && Reflect.get(error, 'errcode')];
  const faults = Object.keys(FAULT_CODES) as StorageFault[];
  return faults.find((fault) => codes.some((code) => FAULT_CODES[fault].includes(code))) ?? null;
}

function errorCode(error: unknown): string {
  return error instanceof Error ? String(Reflect.get(error, 'code') ?? '') : '';
}

/** A claim of due rows: their maximum number, the length of the lease, and the worker. */
export interface Claim {
  now: number;
  limit: number;
  leaseMs: number;
  claimedBy: string;
}

/** Clock that decides whether a lease has expired. */
export type LeaseClock = 'database' | 'caller';

/**
 * Returns an SQL expression for the current time that leases use, ms UTC. Workers on several machines share the database's clock,
 * so that a machine whose clock runs ahead does not treat the leases of others as expired.
 */
export function leaseClock(
  store: { dialect: DialectName; leaseClock: LeaseClock },
  now: number,
): RawBuilder<number> {
  return store.leaseClock === 'database' ? databaseClock(store.dialect) : sql<number>`cast(${now} as bigint)`;
}

/** Takes the place of a value while a query is compiled. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Returns a function that runs a query and compiles it only once per dialect. For queries of every check, compiling takes longer
 * than running. `compile` may use each value only as one value of the query, and must not calculate with it.
 */
export function compileOnce<Values extends object, Row>(
  compile: (db: Kysely<Tables>, values: Values, dialect: DialectName) => CompiledQuery<Row>,
): (db: Kysely<Tables>, values: Values) => Promise<Row[]> {
  const compiled = new Map<DialectName, CompiledQuery<Row>>();
  // The proxy has the type of the values, so that Kysely checks their types against the columns.
  const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as Values;
  return async (db, values) => {
    const dialect = db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
    const query = compiled.get(dialect) ?? compile(db, placeholders, dialect);
    compiled.set(dialect, query);
    const parameters = query.parameters.map((one) =>
      one instanceof Placeholder ? Reflect.get(values, one.name) : one,
    );
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

type Join<Table extends keyof Tables> = (join: JoinBuilder<Tables, Table>) => JoinBuilder<Tables, Table>;

/** Returns a join condition: the monitor of each row of `table`, which may be an alias. */
export const monitorOf =
  (table: keyof Tables | 'windows'): Join<'monitors'> =>
  (join) =>
    join
      .onRef('monitors.account_id', '=', sql.ref<string>(`${table}.account_id`))
      .onRef('monitors.id', '=', sql.ref<string>(`${table}.monitor_id`));

/** Join condition: the alert of each delivery. */
export const alertOfDelivery: Join<'alerts' | 'deliveries'> = (join) =>
  join
    .onRef('alerts.account_id', '=', 'deliveries.account_id')
    .onRef('alerts.id', '=', 'deliveries.alert_id');

/** Join condition: the forecast for the current certificate of each monitor. */
export const forecastOfMonitor: Join<'forecasts' | 'monitors'> = (join) =>
  join
    .onRef('forecasts.account_id', '=', 'monitors.account_id')
    .onRef('forecasts.fingerprint', '=', 'monitors.certificate_fingerprint');

/** Join condition: the forecast that lists show of each monitor, that of its current certificate unless only another leaf's renewal fails. */
export const shownForecastOfMonitor: Join<'forecasts' | 'monitors'> = (join) =>
  join.onRef('forecasts.account_id', '=', 'monitors.account_id').on(
    'forecasts.fingerprint',
    '=',
    sql<string>`coalesce((select leaf.fingerprint from other_leaves as leaf
        inner join forecasts as failing on failing.account_id = leaf.account_id
          and failing.fingerprint = leaf.fingerprint and failing.outcome = 'fails'
        where leaf.account_id = monitors.account_id and leaf.monitor_id = monitors.id
          and not exists (select 1 from forecasts as own where own.account_id = monitors.account_id
            and own.fingerprint = monitors.certificate_fingerprint and own.outcome = 'fails')
        order by failing.expected_at, leaf.fingerprint limit 1), monitors.certificate_fingerprint)`,
  );
