import {
  CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type QueryCompiler,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteDialect,
} from 'kysely';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { LogSync } from './log-sync.ts';
import { SqliteCompiler } from './long-lists.ts';
import { LruCache } from '../../pki/lru-cache.ts';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/**
 * Maximum time in ms without yielding to the event loop. SQLite answers synchronously, and promise callbacks run before I/O
 * events. Without yielding, a stream of queries would starve the sockets.
 */
const MAX_BLOCKING_MS = 5;

/**
 * Settings of the connection that reads: a cache of 16,000 KiB, because lists of a large account read indexes of several
 * megabytes.
 */
const READER_PRAGMAS = 'PRAGMA cache_size = -16000';
/**
 * Settings of the writer. The checkpoint thread empties the log; above 4,000 pages, a write does. The log of a killed process is
 * first copied into the database: after a disk failure, parts may be only in memory, and later commits would depend on them.
 */
const WRITER_PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA wal_checkpoint(PASSIVE)`;
/** With these settings, only checkpoints wait for the disk. `LogSync` makes commits survive power loss. */
const LOG_PRAGMAS = 'PRAGMA synchronous = NORMAL';

/**
 * Kysely dialect for node:sqlite. Transactions and writes queue for one connection, so they never fail with SQLITE_BUSY because
 * of each other. With `hasReader`, reads outside transactions use a second connection and do not wait for writes.
 */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #path: string;
  readonly #hasReader: boolean;
  readonly #sync: LogSync;

  constructor(
    path: string,
    { hasReader = false, sync = new LogSync(path) }: { hasReader?: boolean; sync?: LogSync } = {},
  ) {
    super({ database: () => Promise.reject(new Error('The driver of this dialect opens the database.')) });
    this.#path = path;
    this.#hasReader = hasReader;
    this.#sync = sync;
  }

  override createDriver(): Driver {
    return new NodeSqliteDriver(this.#path, this.#hasReader, this.#sync);
  }

  override createAdapter(): DialectAdapter {
    return new NodeSqliteAdapter();
  }

  override createQueryCompiler(): QueryCompiler {
    return new SqliteCompiler();
  }
}

class NodeSqliteAdapter extends SqliteAdapter {
  /** Returns true, unlike Kysely's adapter: SQLite rolls back DDL, so a killed migration leaves nothing behind. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** Returns true, because the driver itself queues writes. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #path: string;
  readonly #hasReader: boolean;
  #writer: SqliteConnection | null = null;
  #reader: SqliteConnection | null = null;
  #sync: LogSync | null;
  readonly #lock = new WriterLock();

  constructor(path: string, hasReader: boolean, sync: LogSync) {
    this.#path = path;
    this.#hasReader = hasReader;
    this.#sync = sync;
  }

  async init(): Promise<void> {
    const writer = new SqliteConnection(this.#path, WRITER_PRAGMAS);
    try {
      // Open the reader after the writer, because the writer creates the file and turns on WAL.
      if (this.#hasReader)
        this.#reader = new SqliteConnection(this.#path, READER_PRAGMAS, { readOnly: true });
      // A database in memory has no write-ahead log.
      if (writer.database.prepare('PRAGMA journal_mode').get()?.['journal_mode'] === 'wal')
        writer.database.exec(LOG_PRAGMAS);
      else this.#sync = null;
    } catch (error) {
      writer.database.close();
      throw error;
    }
    this.#writer = writer;
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#writer === null) throw new Error('The database is not open.');
    return new RoutedConnection(this.#writer, this.#reader, this.#sync, this.#lock);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    asRouted(connection).release();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await asRouted(connection).hold();
    this.#sync?.refuseAfterFailure();
    // An immediate transaction takes the write lock now. A deferred one fails at its first write if another process wrote since
    // its first read.
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const routed = asRouted(connection);
    await routed.executeQuery(CompiledQuery.raw('commit'));
    await routed.settle();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite itself rolls back when the disk is full or fails. A second rollback would fail and hide that error.
    if (this.#writer?.database.isTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    await this.#sync?.close();
    this.#reader?.database.close();
    this.#writer?.database.close();
  }
}

/** A connection that routes the statements of one query or transaction to the writer or the reader. */
class RoutedConnection implements DatabaseConnection {
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection | null;
  readonly #sync: LogSync | null;
  readonly #lock: WriterLock;
  #isHeld = false;
  /** Time since which this connection holds the writer, on the clock of `performance.now()`. */
  #heldAt = 0;

  constructor(
    writer: SqliteConnection,
    reader: SqliteConnection | null,
    sync: LogSync | null,
    lock: WriterLock,
  ) {
    this.#writer = writer;
    this.#reader = reader;
    this.#sync = sync;
    this.#lock = lock;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#isHeld) {
      await this.#lock.yieldIfDue(this.#heldAt);
      return this.#write(query);
    }
    if (this.#reader !== null && SelectQueryNode.is(query.query)) {
      await this.#lock.yieldIfDue();
      return this.#reader.run(query);
    }
    const isRead = READS.test(query.sql);
    await this.hold();
    try {
      if (!isRead) this.#sync?.refuseAfterFailure();
      return this.#write(query);
    } finally {
      if (isRead) this.release();
      else await this.settle();
    }
  }

  /** Lets the next transaction begin, then waits until the committed one is on the disk. */
  async settle(): Promise<void> {
    this.release();
    await this.#sync?.wait();
  }

  #write<Row>(query: CompiledQuery): QueryResult<Row> {
    const result = this.#writer.run<Row>(query);
    // Clear the caches, because cached statements may refer to dropped columns.
    if (IS_DDL.test(query.sql))
      for (const connection of [this.#writer, this.#reader]) connection?.clearCache();
    return result;
  }

  /** Throws, because an open cursor would block WAL checkpoints. */
  streamQuery(): never {
    throw new Error('This dialect does not stream rows.');
  }

  /** Waits for the writer and keeps it until `release`. */
  async hold(): Promise<void> {
    await this.#lock.acquire();
    this.#isHeld = true;
    await this.#lock.yieldIfDue();
    this.#heldAt = performance.now();
  }

  release(): void {
    if (this.#isHeld) this.#lock.release();
    this.#isHeld = false;
  }
}

function asRouted(connection: DatabaseConnection): RoutedConnection {
  if (connection instanceof RoutedConnection) return connection;
  throw new Error('This connection belongs to another driver.');
}

const urgency = new AsyncLocalStorage<true>();

/** Runs `work`. Its writes and transactions overtake ordinary ones that wait for the writer. */
export const runUrgently = <T>(work: () => Promise<T>): Promise<T> => urgency.run(true, work);

/** A lock for the writer: urgent work first, otherwise first come, first served. It also yields to the event loop regularly. */
class WriterLock {
  readonly #urgent: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;
  #yieldedAt = performance.now();
  #yielding: Promise<void> | null = null;

  async acquire(): Promise<void> {
    const queue = urgency.getStore() ? this.#urgent : this.#waiting;
    if (this.#isTaken) await new Promise<void>((resolve) => void queue.push(resolve));
    this.#isTaken = true;
  }

  release(): void {
    const next = this.#urgent.shift() ?? this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }

  /**
   * Yields to the event loop if `MAX_BLOCKING_MS` have passed since the last yield and since `heldAt`, when the caller got the
   * writer. So a short transaction never yields: every other write would wait during the yield.
   */
  async yieldIfDue(heldAt = -Infinity): Promise<void> {
    // Use a loop, because other callers woken by the same yield may have used up the time again.
    while (performance.now() - Math.max(this.#yieldedAt, heldAt) > MAX_BLOCKING_MS)
      await (this.#yielding ??= this.#yieldNow());
  }

  async #yieldNow(): Promise<void> {
    await setImmediate();
    this.#yieldedAt = performance.now();
    this.#yielding = null;
  }
}

/**
 * Maximum number of cached statements per connection; each takes tens of KB. Some hundred statements run often. Statements with
 * literal times never repeat.
 */
const MAX_CACHED_STATEMENTS = 200;
/** Maximum length of a cached statement in characters. Longer ones contain a list of values, so they differ each time. */
const MAX_CACHED_LENGTH = 2_500;
/** Raw statements that change nothing. They need not wait for the disk. */
const READS = /^\s*(?:select|pragma)\b/i;
const IS_DDL = /^\s*(?:create|alter|drop)\b/i;

/** An open connection with an LRU cache of prepared statements: preparing a statement takes as long as running most of them. */
class SqliteConnection {
  readonly database: DatabaseSync;
  #prepared = new LruCache<string, Prepared>(MAX_CACHED_STATEMENTS);

  constructor(path: string, settings: string, { readOnly = false } = {}) {
    this.database = new DatabaseSync(path, {
      // Wait up to 10 s for locks of other processes, such as backup tools.
      timeout: 10_000,
      enableForeignKeyConstraints: true,
      readOnly,
    });
    try {
      this.database.exec(settings);
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const { statement, hasRows } = this.#statementOf(sql);
    const values = parameters as readonly SQLInputValue[];
    if (hasRows) return { rows: statement.all(...values) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
  }

  clearCache(): void {
    this.#prepared = new LruCache(MAX_CACHED_STATEMENTS);
  }

  #statementOf(sql: string): Prepared {
    const cached = this.#prepared.get(sql);
    if (cached !== null) return cached;
    const statement = this.database.prepare(sql);
    const prepared = { statement, hasRows: statement.columns().length > 0 };
    if (sql.length <= MAX_CACHED_LENGTH) this.#prepared.set(sql, prepared);
    return prepared;
  }
}

interface Prepared {
  statement: StatementSync;
  hasRows: boolean;
}
