import { type Kysely, sql, type Transaction } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { type DialectName, hasTable, isTransactionConflict } from '../db/dialect.ts';
import { baseline, findLevel, isLastFormerLevel, tooOldMessage } from './former-levels.ts';
import { levelOf, MIGRATIONS, PROGRAM_LEVEL } from './migrations/index.ts';
import { findOldProcesses } from '../db/postgres-connection.ts';
import { StoreError } from '../db/store-error.ts';
import type { Tables } from './tables.ts';

/** Migrations by name. Tests add their own. */
type Migrations = typeof MIGRATIONS;

export interface MigrateOptions {
  dialect: DialectName;
  /** Name of the database in messages, such as "The database of DATABASE_URL". */
  name: string;
  /** Highest schema level to migrate to. Default: the newest. A lower level is for copies of an older database. */
  upTo?: number;
  /** Maximum number of attempts while processes of an older version are connected, half a second apart. Default: 1. */
  attempts?: number;
  changes?: Migrations;
}

/**
 * Result of `oldestProgram` for a database that does not record this level. It exceeds all real levels, because any unknown
 * migration may be incompatible with this program.
 */
const NO_LEVEL = Infinity;
const CONFLICT_ATTEMPTS = 3;
const PAUSE_MS = 500;

/**
 * Runs pending migrations in one transaction, one process at a time. Accepts a newer schema without breaking changes. On a database of
 * level 20, records `0021-initial-schema` as done, because it has the same tables.
 * @throws StoreError `newer_database`, `too_old_database`, `unexpected_schema`, `refused` or `old_processes`
 */
export async function migrate(db: Kysely<Tables>, options: MigrateOptions): Promise<void> {
  const { attempts = 1 } = options;
  for (let conflicts = 0, refusals = 0; ;) {
    try {
      if (await isUpToDate(db, options)) return;
      return await (options.dialect === 'sqlite'
        ? migrateSqlite(db, options)
        : db.transaction().execute((trx) => migrateWithin(trx, options)));
    } catch (error) {
      // Try again after a conflict such as a deadlock: running processes may lock tables in a different order from the migration.
      if (isTransactionConflict(error) && ++conflicts < CONFLICT_ATTEMPTS) continue;
      const isOldProcess = error instanceof StoreError && error.code === 'old_processes';
      if (!isOldProcess || ++refusals >= attempts) throw error;
      await delay(PAUSE_MS);
    }
  }
}

/**
 * Turns off foreign keys during migrations, so that a migration can replace a table that others refer to. Verifies them before
 * the commit. SQLite ignores the pragma inside a transaction, so it is set before.
 */
async function migrateSqlite(db: Kysely<Tables>, options: MigrateOptions): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`pragma foreign_keys = off`.execute(connection);
    try {
      await connection.transaction().execute(async (trx) => {
        await migrateWithin(trx, options);
        const { rows } = await sql`pragma foreign_key_check`.execute(trx);
        if (rows.length > 0) throw new Error('A migration violated foreign keys.');
      });
    } finally {
      await sql`pragma foreign_keys = on`.execute(connection);
    }
  });
}

/**
 * Returns whether no migration or baseline is pending. Accepts a compatible newer schema.
 * @throws StoreError `newer_database` or `too_old_database`
 */
export async function isUpToDate(db: Kysely<Tables>, options: MigrateOptions): Promise<boolean> {
  if (isLastFormerLevel(await migrationsDone(db, options.dialect))) return false;
  return (await pending(db, options)).length === 0;
}

/** Returns the schema level of the database; see `LevelFound`. @throws StoreError `newer_database` or `too_old_database` */
export async function databaseLevel(db: Kysely<Tables>, options: MigrateOptions): Promise<number> {
  const done = await migrationsDone(db, options.dialect);
  refuseUnknown(done, options);
  refuseTooOld(done, options.name);
  return findLevel(done).level;
}

/** Id of the lock. All versions use the same id, because processes of several versions may start at the same time. */
const LOCK_ID = sql.lit(3_853_314_791_062_309_107n);

/** Keeps other processes of any version from migrating until the transaction ends. PostgreSQL only. */
export async function lockMigrations(trx: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_ID})`.execute(trx);
}

/** Migrates like `migrate`, within a given transaction, which keeps the migration lock until it ends. */
export async function migrateWithin(trx: Transaction<Tables>, options: MigrateOptions): Promise<void> {
  const { dialect, changes = MIGRATIONS } = options;
  if (dialect === 'postgres') await lockMigrations(trx);
  await sql`create table if not exists kysely_migration (
    name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(trx);
  // Read the migrations again under the lock, because another process may have migrated meanwhile.
  if (isLastFormerLevel(await migrationsDone(trx, dialect))) await baseline(trx, dialect, options.name);
  const names = await pending(trx, options);
  const breaking = names.filter((name) => changes[name]?.breaking);
  const newestBreaking = breaking.at(-1);
  if (dialect === 'postgres' && newestBreaking !== undefined) await refuseOldProcesses(trx, newestBreaking);
  const startedAt = Date.now();
  for (const [index, name] of names.entries()) {
    await changes[name]?.up(trx as unknown as Kysely<unknown>, dialect);
    // Use distinct timestamps, so that sorting by them gives the order of the names.
    const timestamp = new Date(startedAt + index).toISOString();
    await sql`insert into kysely_migration (name, timestamp) values (${name}, ${timestamp})`.execute(trx);
  }
  if (names.length > 0) await markOldestProgram(trx, options);
}

/**
 * Refuses to migrate if processes older than a breaking migration are connected. Locks kysely_migration first: a new process
 * begins by reading this table, so it waits and then sees the migrated database. @throws StoreError `old_processes`
 */
async function refuseOldProcesses(trx: Transaction<Tables>, newestBreaking: string): Promise<void> {
  await sql`lock table kysely_migration in access exclusive mode`.execute(trx);
  const { connections, clients } = await findOldProcesses(trx, levelOf(newestBreaking));
  if (connections === 0) return;
  throw new StoreError(
    'old_processes',
    `The database of DATABASE_URL needs a change (${newestBreaking}) that older versions of this program cannot work with, and ${connections === 1 ? '1 connection of such a process is' : `${connections} connections of such processes are`} open (from ${clients.join(', ')}). Stop all of them, then start this one again.`,
  );
}

/** Returns the names of pending migrations. @throws StoreError `newer_database` or `too_old_database` */
async function pending(
  db: Kysely<Tables>,
  { dialect, name, upTo = PROGRAM_LEVEL, changes = MIGRATIONS }: MigrateOptions,
): Promise<string[]> {
  const done = new Set(await migrationsDone(db, dialect));
  refuseTooOld([...done], name);
  const missing = Object.keys(changes).filter((change) => !done.has(change) && levelOf(change) <= upTo);
  const isAhead = [...done].some((change) => !Object.hasOwn(changes, change));
  const isCompatible = missing.length === 0 && (await oldestProgram(db, dialect)) <= levelOf(lastOf(changes));
  if (isAhead && !isCompatible) refuseUnknown([...done], { name, changes });
  return missing;
}

function refuseUnknown(
  done: readonly string[],
  { name, changes }: Pick<MigrateOptions, 'name' | 'changes'>,
): void {
  const { unknown } = findLevel(done, changes);
  if (unknown.length === 0) return;
  throw new StoreError(
    'newer_database',
    `${name} was made by a newer version of this program (${unknown.join(', ')}). Install that version, or restore the backup from before the update.`,
  );
}

function refuseTooOld(done: readonly string[], name: string): void {
  if (findLevel(done).isTooOld)
    throw new StoreError('too_old_database', tooOldMessage(name, done, 'database'));
}

const lastOf = (changes: Migrations) => Object.keys(changes).at(-1) ?? '0000';

async function migrationsDone(db: Kysely<Tables>, dialect: DialectName): Promise<string[]> {
  if (!(await hasTable(db, dialect, 'kysely_migration'))) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}

/** Returns the lowest schema level of programs that may use the database; `NO_LEVEL` if it is not recorded. */
async function oldestProgram(db: Kysely<Tables>, dialect: DialectName): Promise<number> {
  if (!(await hasTable(db, dialect, 'oldest_program'))) return NO_LEVEL;
  const { rows } = await sql<{ level: number }>`select level from oldest_program`.execute(db);
  return rows[0]?.level ?? NO_LEVEL;
}

async function markOldestProgram(
  trx: Transaction<Tables>,
  { dialect, changes = MIGRATIONS }: MigrateOptions,
): Promise<void> {
  const done = await migrationsDone(trx, dialect);
  const level = Math.max(0, ...done.filter((name) => changes[name]?.breaking).map(levelOf));
  await sql`create table if not exists oldest_program (level integer not null)`.execute(trx);
  await sql`delete from oldest_program`.execute(trx);
  await sql`insert into oldest_program (level) values (${level})`.execute(trx);
}

/** Returns the number of the newest migration in the database, even if this program does not know it; 0 if there is none. */
export async function schemaLevel({ db }: { db: Kysely<Tables> }): Promise<number> {
  const { rows } = await sql<{ name: string | null }>`select max(name) as name from kysely_migration`.execute(
    db,
  );
  const newest = rows[0]?.name ?? null;
  return newest === null ? 0 : levelOf(newest);
}
