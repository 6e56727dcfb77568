import {
  CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteDialect,
} from 'kysely';
import { setImmediate } from 'node:timers/promises';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/**
 * SQLite answers at once, and what follows in a promise runs before any event: under load queries would follow one another
 * for as long as there are any, and sockets wait.
 */
const LONGEST_TURN_MS = 5;

/**
 * In KiB. Lists of a large account are read from indexes of some megabytes; what a check reads and writes is little.
 * Carrying the log over into the database is left to those who do it apart until it has so many pages.
 */
const READER = 'PRAGMA cache_size = -16000';
const WRITER = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 4000`;

/**
 * Kysely over Node's own SQLite. Transactions and writes have one connection, and wait for one another: inside the program nothing
 * can meet SQLITE_BUSY. `synchronous=FULL` makes a commit survive power loss; the timeout is for a backup tool beside us.
 * With `readsApart`, what is only read outside a transaction has a connection of its own, and does not wait for those that write: it
 * sees what was committed by then.
 */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #path: string;
  readonly #readsApart: boolean;

  constructor(path: string, { readsApart = false }: { readsApart?: boolean } = {}) {
    super({ database: () => Promise.reject(new Error('The driver of this dialect opens it.')) });
    this.#path = path;
    this.#readsApart = readsApart;
  }

  override createDriver(): Driver {
    return new NodeSqliteDriver(this.#path, this.#readsApart);
  }

  override createAdapter(): DialectAdapter {
    return new NodeSqliteAdapter();
  }
}

class NodeSqliteAdapter extends SqliteAdapter {
  /** SQLite's DDL is transactional, whatever Kysely's adapter says: a migration that is killed half way leaves nothing. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** The driver itself lets wait who has to. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #path: string;
  readonly #readsApart: boolean;
  #writer: Opened | null = null;
  #reader: Opened | null = null;
  readonly #turns = new Turns();

  constructor(path: string, readsApart: boolean) {
    this.#path = path;
    this.#readsApart = readsApart;
  }

  async init(): Promise<void> {
    const writer = new Opened(this.#path, WRITER);
    try {
      // Not before the first has made it what it is.
      if (this.#readsApart) this.#reader = new Opened(this.#path, READER, { readOnly: true });
    } catch (error) {
      writer.database.close();
      throw error;
    }
    this.#writer = writer;
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#writer === null) throw new Error('The database is not open.');
    return new Connection(this.#writer, this.#reader, this.#turns);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    ours(connection).release();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await ours(connection).hold();
    // A deferred one that turns from reading to writing fails at once where another process wrote in between.
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite rolls back by itself where the disk is full or fails. A second rollback would fail and hide that reason.
    if (this.#writer?.database.isTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    this.#reader?.database.close();
    this.#writer?.database.close();
  }
}

/** What a query or a transaction has of the two connections while it lasts. */
class Connection implements DatabaseConnection {
  readonly #writer: Opened;
  readonly #reader: Opened | null;
  readonly #turns: Turns;
  #isHeld = false;

  constructor(writer: Opened, reader: Opened | null, turns: Turns) {
    this.#writer = writer;
    this.#reader = reader;
    this.#turns = turns;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#isHeld) return this.#write(query);
    if (this.#reader !== null && SelectQueryNode.is(query.query)) {
      await this.#turns.giveWay();
      return this.#reader.answer(query);
    }
    await this.hold();
    try {
      return this.#write(query);
    } finally {
      this.release();
    }
  }

  #write<Row>(query: CompiledQuery): QueryResult<Row> {
    const result = this.#writer.answer<Row>(query);
    // What is kept may be about columns that are no more.
    if (CHANGES_TABLES.test(query.sql)) for (const one of [this.#writer, this.#reader]) one?.forget();
    return result;
  }

  /** What is read row by row would keep the log from being tidied up. */
  streamQuery(): never {
    throw new Error('Nothing is read row by row.');
  }

  /** Waits until no other one writes; until `release` none does. */
  async hold(): Promise<void> {
    await this.#turns.take();
    this.#isHeld = true;
    await this.#turns.giveWay();
  }

  release(): void {
    if (this.#isHeld) this.#turns.give();
    this.#isHeld = false;
  }
}

function ours(connection: DatabaseConnection): Connection {
  if (connection instanceof Connection) return connection;
  throw new Error('This connection is of another driver.');
}

/** One writes at a time, first come, first served; and whoever asks lets the rest of the program have its turn now and then. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;
  #yieldedAt = performance.now();
  #yielding: Promise<void> | null = null;

  async take(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }

  async giveWay(): Promise<void> {
    // Again where those who waited for the same have taken long by now.
    while (performance.now() - this.#yieldedAt > LONGEST_TURN_MS) await (this.#yielding ??= this.#nextTurn());
  }

  async #nextTurn(): Promise<void> {
    await setImmediate();
    this.#yieldedAt = performance.now();
    this.#yielding = null;
  }
}

/** Of a connection those that run all the time are some hundred, with tens of kilobytes each; those with an instant written out are never met again. */
const MOST_PREPARED = 200;
/** Longer ones have a list of values in them, which differs each time and which a kept one would hold in memory. */
const LONGEST_KEPT = 2_500;
const CHANGES_TABLES = /^\s*(?:create|alter|drop)\b/i;

/** An open connection. It prepares each statement once and keeps those used last: preparing takes as long as running most of them. */
class Opened {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(path: string, settings: string, { readOnly = false } = {}) {
    this.database = new DatabaseSync(path, {
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

  answer<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const { statement, hasRows } = this.#statementOf(sql);
    const values = parameters as readonly SQLInputValue[];
    if (hasRows) return { rows: statement.all(...values) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
  }

  forget(): void {
    this.#prepared.clear();
  }

  #statementOf(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) this.#prepared.delete(sql);
    const prepared = known ?? this.#prepare(sql);
    if (sql.length <= LONGEST_KEPT) this.#prepared.set(sql, prepared);
    const [oldest] = this.#prepared.keys();
    if (this.#prepared.size > MOST_PREPARED && oldest !== undefined) this.#prepared.delete(oldest);
    return prepared;
  }

  #prepare(sql: string): Prepared {
    const statement = this.database.prepare(sql);
    return { statement, hasRows: statement.columns().length > 0 };
  }
}

interface Prepared {
  statement: StatementSync;
  hasRows: boolean;
}
