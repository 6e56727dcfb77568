import { type DialectAdapter, SqliteAdapter, SqliteDialect, type SqliteStatement } from 'kysely';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

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
        return { close: () => database.close(), prepare: (sql) => prepare(database, sql) };
      },
    });
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

function prepare(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(adapted(database, sql));
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

function adapted(database: DatabaseSync, sql: string): string {
  // A deferred transaction that turns from reading to writing fails at once where another process wrote in between.
  if (sql === 'begin') return 'begin immediate';
  // SQLite rolls back by itself where the disk is full or fails. A second rollback would fail and hide that reason.
  if (sql === 'rollback' && !database.isTransaction) return 'select 1';
  return sql;
}
