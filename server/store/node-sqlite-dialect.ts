import { type DialectAdapter, type Driver, SqliteAdapter, SqliteDialect, type SqliteStatement } from 'kysely';
import { setImmediate } from 'node:timers/promises';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/**
 * SQLite answers at once, and what follows in a promise runs before any event: under load transactions would follow one another
 * for as long as there are any, and sockets wait.
 */
const LONGEST_TURN_MS = 5;

/**
 * Kysely over Node's own SQLite. One connection, on which Kysely queues transactions: inside the program nothing can meet
 * SQLITE_BUSY. `synchronous=FULL` makes a commit survive power loss; the timeout is for a backup tool beside us.
 */
export class NodeSqliteDialect extends SqliteDialect {
  constructor(path: string) {
    super({
      database: async () => {
        const database = new DatabaseSync(path, { timeout: 10_000, enableForeignKeyConstraints: true });
        try {
          database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
        } catch (error) {
          database.close();
          throw error;
        }
        return { close: () => database.close(), prepare: createPreparer(database) };
      },
    });
  }

  /** Whatever waits for the connection has it one after the other; now and then the rest of the program has its turn. */
  override createDriver(): Driver {
    const driver = super.createDriver();
    const acquire = driver.acquireConnection.bind(driver);
    let yieldedAt = performance.now();
    driver.acquireConnection = async (options) => {
      const connection = await acquire(options);
      if (performance.now() - yieldedAt > LONGEST_TURN_MS) {
        await setImmediate();
        yieldedAt = performance.now();
      }
      return connection;
    };
    return driver;
  }

  override createAdapter(): DialectAdapter {
    return new TransactionalDdlAdapter();
  }
}

/** SQLite's DDL is transactional, whatever Kysely's adapter says: a migration that is killed half way leaves nothing. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Those that run all the time are some two hundred; those with an instant written out are never met again. */
const MOST_PREPARED = 500;
/** Longer ones have a list of values in them, which differs each time and which a kept one would hold in memory. */
const LONGEST_KEPT = 2_500;
const CHANGES_TABLES = /^\s*(?:create|alter|drop)\b/i;

/** Prepares each statement once and keeps those used last: preparing takes as long as running most of them. */
function createPreparer(database: DatabaseSync): (sql: string) => SqliteStatement {
  const prepared = new Map<string, SqliteStatement>();
  return (wanted) => {
    const sql = adapted(database, wanted);
    const known = prepared.get(sql);
    if (known) prepared.delete(sql);
    const statement = known ?? toStatement(database, sql);
    // What is kept may be about columns that are no more.
    if (!known && CHANGES_TABLES.test(sql)) prepared.clear();
    else if (sql.length <= LONGEST_KEPT) prepared.set(sql, statement);
    const [oldest] = prepared.keys();
    if (prepared.size > MOST_PREPARED && oldest !== undefined) prepared.delete(oldest);
    return statement;
  };
}

function toStatement(database: DatabaseSync, sql: string): SqliteStatement {
  const prepare = (): StatementSync => database.prepare(sql);
  const statement = prepare();
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    // Rows are read from it while others may use the kept one.
    iterate: (parameters) => prepare().iterate(...values(parameters)),
  };
}

function adapted(database: DatabaseSync, sql: string): string {
  // A deferred transaction that turns from reading to writing fails at once where another process wrote in between.
  if (sql === 'begin') return 'begin immediate';
  // SQLite rolls back by itself where the disk is full or fails. A second rollback would fail and hide that reason.
  if (sql === 'rollback' && !database.isTransaction) return 'select 1';
  return sql;
}
