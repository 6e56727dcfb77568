import { Kysely, sql, type Transaction } from 'kysely';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { databaseLevel, lockMigrations, migrate, migrateWithin } from '../../schema/migrate.ts';
import { NodeSqliteDialect } from '../../db/node-sqlite-dialect.ts';
import { findOldProcesses, postgresDialect, waitForPostgres } from '../../db/postgres-connection.ts';
import type { Tables } from '../../schema/tables.ts';
import { levelOfFile, sqliteTarget } from './backup-file.ts';
import { CopyError, mapFileErrors } from './copy-error.ts';
import { copyTables, isMigrationTable, type TableShape, type TableSum } from './copy-tables.ts';
import {
  dropPostgresTables,
  insertIntoPostgres,
  postgresRows,
  postgresTables,
  withoutPostgresTriggers,
} from './postgres-tables.ts';
import { SQLITE_FILE } from '../../db/dialect.ts';

export interface FillOrder {
  databaseUrl: string;
  /** Name of the setting that contains the URL, for messages: DATABASE_URL or --to. */
  setting: string;
  /** An SQLite file with the product's tables, on which the caller has begun a transaction. */
  source: DatabaseSync;
  /** Whether existing data may be replaced. */
  replace: boolean;
  onTable?: (sum: TableSum) => void;
  /** Called after all rows are copied, right before the commit. */
  beforeCommit?: () => void;
}

/**
 * Creates the product's tables on PostgreSQL at the source's schema level and copies all rows, in one transaction: nobody sees a
 * partial copy, and a failure leaves existing data unchanged. @throws CopyError, StoreError
 */
export async function fillPostgres(order: FillOrder): Promise<TableSum[]> {
  const { databaseUrl, setting, source, onTable, beforeCommit } = order;
  const name = `The database of ${setting}`;
  const level = levelOfFile(source, 'The source');
  const db = new Kysely<Tables>({
    dialect: postgresDialect(databaseUrl, () => undefined, { connections: 1 }),
  });
  try {
    await waitForPostgres(db, databaseUrl, { connectAttempts: 1, setting });
    const sums = await db.transaction().execute(async (trx) => {
      await lockMigrations(trx);
      const { connections, clients } = await findOldProcesses(trx, Infinity);
      if (connections > 0)
        throw new CopyError(
          'in_use',
          `Processes of this program are connected to the database of ${setting} (from ${clients.join(', ')}). Stop all of them first.`,
        );
      await dropExistingTables(trx, { ...order, name });
      await migrateWithin(trx, { dialect: 'postgres', name, upTo: level });
      const from = sqliteTarget(source);
      const to = {
        tables: await postgresTables(trx),
        rows: (table: TableShape) => postgresRows(trx, table),
        insert: (table: TableShape, rows: Parameters<typeof insertIntoPostgres>[2]) =>
          insertIntoPostgres(trx, table, rows),
      };
      const names = from.tables.map((table) => table.name);
      const targets = to.tables.filter((table) => names.includes(table.name));
      const copied = await withoutPostgresTriggers(trx, targets, () =>
        copyTables(from, to, { names, onTable }),
      );
      beforeCommit?.();
      return copied;
    });
    // Update the statistics, without which the planner would treat the tables as empty in the first queries.
    await sql`analyze`.execute(db);
    return sums;
  } finally {
    await db.destroy();
  }
}

/**
 * Drops the product's tables. @throws CopyError `not_empty` if they have data that may not be replaced, or if another program has
 * tables of the same names
 */
async function dropExistingTables(
  trx: Transaction<Tables>,
  { setting, source, replace, name }: FillOrder & { name: string },
): Promise<void> {
  const level = await databaseLevel(trx, { dialect: 'postgres', name });
  const existing = await postgresTables(trx);
  const names = new Set(sqliteTarget(source).tables.map((table) => table.name));
  const foreign = existing.filter((table) => level === 0 && names.has(table.name)).map((table) => table.name);
  if (foreign.length > 0)
    throw new CopyError(
      'not_empty',
      `The database of ${setting} has tables of another program with the same names as ours (${foreign.join(', ')}). Use a separate database.`,
    );
  if (level === 0) return;
  const former = await tablesOfLevel(level);
  const nonEmpty: string[] = [];
  // Ignore `database_id`, which has a row even if the database has no data.
  for (const table of former.filter((name) => name !== 'database_id')) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(trx);
    if (rows.length > 0) nonEmpty.push(table);
  }
  if (nonEmpty.length > 0 && !replace)
    throw new CopyError(
      'not_empty',
      `The database of ${setting} already contains data (${nonEmpty.join(', ')}). Use an empty one.`,
    );
  await dropPostgresTables(trx, [...former, 'kysely_migration', 'oldest_program']);
}

/** Returns the names of the tables that the migrations up to `level` create. */
async function tablesOfLevel(level: number): Promise<string[]> {
  const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(':memory:') });
  try {
    await migrate(db, { dialect: 'sqlite', name: 'The reference database', upTo: level });
    const tables = await db.introspection.getTables();
    return tables.map((table) => table.name).filter((table) => !isMigrationTable(table));
  } finally {
    await db.destroy();
  }
}

export interface MoveOptions {
  /** Folder of the SQLite database. The caller must hold its lock. */
  dataDir: string;
  /** URL of the PostgreSQL database. */
  to: string;
  /** Called for each table that was copied and verified. */
  onTable: (sum: TableSum) => void;
}

/** Copies the SQLite database, which stays unchanged, to an empty PostgreSQL database. @throws CopyError, StoreError */
export async function moveToPostgres({ dataDir, to, onTable }: MoveOptions): Promise<TableSum[]> {
  const files = { source: `The database in DATA_DIR (${dataDir})`, target: 'the database of --to' };
  return mapFileErrors(files, async () => {
    const source = new DatabaseSync(join(dataDir, SQLITE_FILE), { timeout: 10_000 });
    try {
      source.exec('PRAGMA query_only = true; begin');
      return await fillPostgres({ databaseUrl: to, setting: '--to', source, replace: false, onTable });
    } finally {
      source.close();
    }
  });
}
