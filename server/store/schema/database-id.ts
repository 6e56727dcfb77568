import { type Kysely, sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type DialectName, hasTable, SQLITE_FILE } from '../db/dialect.ts';
import { StoreError } from '../db/store-error.ts';
import type { Tables } from './tables.ts';

/** File in DATA_DIR with the id of the database that the folder belongs to. */
export const DATABASE_ID_FILE = 'database-id';

/** The database to open, and the id that it should have. */
export interface DatabasePlace {
  dialect: DialectName;
  /** Name of the database in messages. */
  name: string;
  dataDir: string;
  /** Id of the database that DATA_DIR belongs to; null before the first start. */
  expectedId: string | null;
}

/** Refuses a missing or empty file, because SQLite would create a new database there. @throws StoreError `lost_database` */
export function refuseLostFile(place: DatabasePlace): void {
  const path = join(place.dataDir, SQLITE_FILE);
  if (place.expectedId === null || (existsSync(path) && statSync(path).size > 0)) return;
  throw lostDatabase(place);
}

/**
 * Refuses an empty database and a database with another id, before anything is written to it. Accepts a database without an id,
 * from before databases had ids. @throws StoreError `lost_database` or `other_database`
 */
export async function refuseOtherDatabase(db: Kysely<Tables>, place: DatabasePlace): Promise<void> {
  const { dialect, name, dataDir, expectedId } = place;
  if (expectedId === null) return;
  if (!(await hasTable(db, dialect, 'kysely_migration'))) throw lostDatabase(place);
  const id = await databaseId(db, dialect);
  if (id === null || id === expectedId) return;
  throw new StoreError(
    'other_database',
    `${name} is another one than before: its id is ${id}, but DATA_DIR ${dataDir} belongs to ${expectedId} (${DATABASE_ID_FILE}). ${remedy(place)} to use this one.`,
  );
}

/** Returns the id of the database; null if it has none. */
export async function databaseId(db: Kysely<Tables>, dialect: DialectName): Promise<string | null> {
  if (!(await hasTable(db, dialect, 'database_id'))) return null;
  const { rows } = await sql<{ id: string }>`select id from database_id`.execute(db);
  return rows[0]?.id ?? null;
}

/** Returns the id of the database. If it has none, assigns the expected or a new id; of several processes, the first one does. */
export async function ensureDatabaseId(
  db: Kysely<Tables>,
  { dialect, expectedId }: DatabasePlace,
): Promise<string | null> {
  const id = await databaseId(db, dialect);
  if (id !== null) return id;
  await sql`insert into database_id (singleton, id) values (1, ${expectedId ?? randomUUID()})
    on conflict do nothing`.execute(db);
  return databaseId(db, dialect);
}

function lostDatabase(place: DatabasePlace): StoreError {
  return new StoreError(
    'lost_database',
    `${place.name} is empty, but DATA_DIR ${place.dataDir} belongs to one with data (${DATABASE_ID_FILE}). ${remedy(place)} to start with an empty one.`,
  );
}

const remedy = ({ dialect }: DatabasePlace): string =>
  `${dialect === 'sqlite' ? 'Put the file back' : 'Correct DATABASE_URL'}, restore a backup (npm run restore -- FILE --force), or delete ${DATABASE_ID_FILE}`;
