import { type Kysely, sql, type Transaction } from 'kysely';
import { type DialectName, hasTable, lostRace } from '../db/dialect.ts';
import { levelOf, MIGRATIONS, PROGRAM_LEVEL } from './migrations/index.ts';
import { oldProcesses } from '../db/running-processes.ts';
import { StoreError } from '../db/store-error.ts';
import type { Tables } from './tables.ts';
import type { Store } from '../db/open-store.ts';

/** What runs over the migrations; tests add some of their own. */
type Changes = typeof MIGRATIONS;

export interface MigrateOptions {
  dialect: DialectName;
  /** How messages call the database: "The database of DATABASE_URL". */
  name: string;
  /** Default: the newest. A lower one is for a copy of a database of that level. */
  upTo?: number;
  changes?: Changes;
}

/** Anything but a level: with no mark in the database, all that is unknown may have broken what we rely on. */
const NO_MARK = Infinity;
const ATTEMPTS = 3;

/**
 * Brings the database to the newest level, all or nothing, one process at a time. A database that is ahead of this program is
 * good as long as all it has more is additive.
 * @throws StoreError `newer_database`, or `old_processes` while some run that a pending change would break.
 */
export async function migrate(db: Kysely<Tables>, options: MigrateOptions): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      if ((await pending(db, options)).length === 0) return;
      return await db.transaction().execute((trx) => migrateWithin(trx, options));
    } catch (error) {
      // Processes that go on meanwhile may hold in another order what a change wants.
      if (attempt === ATTEMPTS || !lostRace(error)) throw error;
    }
  }
}

/** Whether the database is of this program's level, or ahead of it and still good. @throws StoreError `newer_database` */
export async function isUpToDate(db: Kysely<Tables>, options: MigrateOptions): Promise<boolean> {
  return (await pending(db, options)).length === 0;
}

/** The level of what is there; 0 where nothing is. @throws StoreError `newer_database` where it has more than this program. */
export async function databaseLevel(db: Kysely<Tables>, options: MigrateOptions): Promise<number> {
  const done = await migrationsDone(db, options.dialect);
  refuseUnknown(done, options);
  return Math.max(0, ...done.map(levelOf));
}

/** The same lock as earlier versions take, which may start at the same time. */
const LOCK_ID = sql.lit(3_853_314_791_062_309_107n);

/** Until the end of the transaction no other process of any version migrates; on PostgreSQL. */
export async function lockMigrations(trx: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_ID})`.execute(trx);
}

/** As `migrate`, in a transaction that does more. It holds the lock of the migrations to its end. */
export async function migrateWithin(trx: Transaction<Tables>, options: MigrateOptions): Promise<void> {
  const { dialect, changes = MIGRATIONS } = options;
  if (dialect === 'postgres') await lockMigrations(trx);
  await sql`create table if not exists kysely_migration (
    name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(trx);
  // Anew: the process that had the lock before may have done it.
  const names = await pending(trx, options);
  const breaking = names.filter((name) => changes[name]?.breaking);
  const newestBreaking = breaking.at(-1);
  if (dialect === 'postgres' && newestBreaking !== undefined) await refuseOldProcesses(trx, newestBreaking);
  const startedAt = Date.now();
  for (const [index, name] of names.entries()) {
    await changes[name]?.up(trx as unknown as Kysely<unknown>, dialect);
    // One after the other: earlier versions sort by it.
    const timestamp = new Date(startedAt + index).toISOString();
    await sql`insert into kysely_migration (name, timestamp) values (${name}, ${timestamp})`.execute(trx);
  }
  if (names.length > 0) await markOldestProgram(trx, options);
}

/**
 * A process that starts from now on waits at its first question, which is for this table, and then sees what we did; all
 * others are connected already.
 */
async function refuseOldProcesses(trx: Transaction<Tables>, newestBreaking: string): Promise<void> {
  await sql`lock table kysely_migration in access exclusive mode`.execute(trx);
  const { connections, places } = await oldProcesses(trx, levelOf(newestBreaking));
  if (connections === 0) return;
  throw new StoreError(
    'old_processes',
    `The database of DATABASE_URL needs a change (${newestBreaking}) that older versions of this program cannot work with, and ${connections === 1 ? '1 connection of such a process is' : `${connections} connections of such processes are`} open (from ${places.join(', ')}). Stop all of them, then start this one again.`,
  );
}

/** Those that are to be made. @throws StoreError `newer_database` where something is made that breaks this program. */
async function pending(
  db: Kysely<Tables>,
  { dialect, name, upTo = PROGRAM_LEVEL, changes = MIGRATIONS }: MigrateOptions,
): Promise<string[]> {
  const done = new Set(await migrationsDone(db, dialect));
  const missing = Object.keys(changes).filter((change) => !done.has(change) && levelOf(change) <= upTo);
  const isAhead = [...done].some((change) => !Object.hasOwn(changes, change));
  const goesOn = missing.length === 0 && (await oldestProgram(db, dialect)) <= levelOf(lastOf(changes));
  if (isAhead && !goesOn) refuseUnknown([...done], { name, changes });
  return missing;
}

function refuseUnknown(
  done: readonly string[],
  { name, changes = MIGRATIONS }: Pick<MigrateOptions, 'name' | 'changes'>,
): void {
  const unknown = done.filter((change) => !Object.hasOwn(changes, change));
  if (unknown.length === 0) return;
  throw new StoreError(
    'newer_database',
    `${name} was made by a newer version of this program (${unknown.join(', ')}). Install that version, or restore the backup from before the update.`,
  );
}

const lastOf = (changes: Changes) => Object.keys(changes).at(-1) ?? '0000';

async function migrationsDone(db: Kysely<Tables>, dialect: DialectName): Promise<string[]> {
  if (!(await hasTable(db, dialect, 'kysely_migration'))) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}

/** The lowest level of programs that may work on the database. */
async function oldestProgram(db: Kysely<Tables>, dialect: DialectName): Promise<number> {
  if (!(await hasTable(db, dialect, 'oldest_program'))) return NO_MARK;
  const { rows } = await sql<{ level: number }>`select level from oldest_program`.execute(db);
  return rows[0]?.level ?? NO_MARK;
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

/** The number of the newest migration that the database has, also where that is newer than this program; 0 without any. */
export async function schemaLevel({ db }: Store): Promise<number> {
  const { rows } = await sql<{ name: string | null }>`select max(name) as name from kysely_migration`.execute(
    db,
  );
  const newest = rows[0]?.name ?? null;
  return newest === null ? 0 : levelOf(newest);
}
