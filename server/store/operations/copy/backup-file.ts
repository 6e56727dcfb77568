import { DatabaseSync } from 'node:sqlite';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { findLevel, tooOldMessage } from '../../schema/former-levels.ts';
import { CopyError } from './copy-error.ts';
import { checksumTable, copyMismatch, type TableSum, type Target } from './copy-tables.ts';
import { BACKUP_TABLES, insertIntoSqlite, sqliteRows, sqliteTables } from './sqlite-tables.ts';

/**
 * Metadata of a backup. It is written last, so a file without it is incomplete. A backup is an SQLite file with the product's
 * tables at their schema level, whether they come from SQLite or PostgreSQL.
 */
export interface BackupMetadata {
  madeAt: number;
  level: number;
  /** The text of secrets.json; null if there was none. */
  secrets: string | null;
  tables: TableSum[];
}

/** Returns a view of an SQLite file as source or target of a copy. */
export function sqliteTarget(db: DatabaseSync): Target {
  return {
    tables: sqliteTables(db),
    rows: (table) => sqliteRows(db, table),
    insert: (table, rows) => insertIntoSqlite(db, table, rows),
  };
}

/** Returns the schema level of an SQLite file with the product's tables. @throws CopyError `newer` or `older` */
export function levelOfFile(
  db: DatabaseSync,
  name: string,
  kind: 'database' | 'backup' = 'database',
): number {
  const rows = db.prepare('select name from kysely_migration').all();
  const done = rows.map((row) => String(row['name']));
  const { level, unknown, isTooOld } = findLevel(done);
  if (unknown.length > 0)
    throw new CopyError(
      'newer',
      `${name} was made by a newer version of this program (${unknown.join(', ')}). Install that version first.`,
    );
  if (isTooOld) throw new CopyError('older', tooOldMessage(name, done, kind));
  return level;
}

/** Completes a backup file that has all tables: checks it and writes its metadata. @throws CopyError `damaged`, `newer` or `older` */
export async function finishBackup(
  db: DatabaseSync,
  { madeAt, secrets }: Pick<BackupMetadata, 'madeAt' | 'secrets'>,
): Promise<BackupMetadata> {
  // Turn off the write-ahead log: then the backup is one file, and whoever copies it cannot forget a part.
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL');
  checkIntegrity(db, 'The copy of the database');
  const level = levelOfFile(db, 'The database');
  const side = sqliteTarget(db);
  const tables: TableSum[] = [];
  for (const table of side.tables) tables.push(await checksumTable(side, table));
  db.exec(`begin immediate;
    create table backup (made_at integer not null, level integer not null, secrets text);
    create table backup_tables (name text primary key, rows integer not null, checksum text not null)`);
  db.prepare('insert into backup values (?, ?, ?)').run(madeAt, level, secrets);
  const insert = db.prepare('insert into backup_tables values (?, ?, ?)');
  for (const { table, rows, checksum } of tables) insert.run(table, rows, checksum);
  db.exec('commit');
  return { madeAt, level, secrets, tables };
}

/** Reads the metadata of a backup without verifying its tables. @throws CopyError `not_a_backup`, `newer` or `older` */
export function readBackupMetadata(file: string): BackupMetadata {
  const db = openBackup(file);
  try {
    const facts = readMetadata(db, file);
    levelOfFile(db, `The backup ${file}`, 'backup');
    return facts;
  } catch (error) {
    if (error instanceof CopyError) throw error;
    throw notABackup(file, error);
  } finally {
    db.close();
  }
}

/** Reads the whole backup and compares row counts and checksums with its metadata. @throws CopyError */
export async function verifyBackup(db: DatabaseSync, file: string): Promise<BackupMetadata> {
  const facts = readMetadata(db, file);
  checkIntegrity(db, `The backup ${file}`);
  const side = sqliteTarget(db);
  for (const expected of facts.tables) {
    const table = side.tables.find(({ name }) => name === expected.table);
    if (table === undefined)
      throw new CopyError(
        'damaged',
        `The backup ${file} is damaged: the table ${expected.table} is missing.`,
      );
    const found = await checksumTable(side, table);
    if (found.rows !== expected.rows || found.checksum !== expected.checksum)
      throw new CopyError(
        'damaged',
        `The backup ${file} is damaged. ${copyMismatch(expected, found).message}`,
      );
  }
  return facts;
}

/** Returns the id of the database in an SQLite file; null if the file was written before databases had ids. */
export function databaseIdOf(db: DatabaseSync): string | null {
  if (!sqliteTables(db).some(({ name }) => name === 'database_id')) return null;
  const row = db.prepare('select id from database_id').get();
  return row === undefined ? null : String(row['id']);
}

/** Drops the metadata tables, so that only the tables of the product remain. */
export function dropBackupMetadata(db: DatabaseSync): void {
  db.exec(BACKUP_TABLES.map((name) => `drop table ${name}`).join(';'));
}

/** Opens a backup file read-only. @throws CopyError `not_a_backup` */
export function openBackup(file: string): DatabaseSync {
  try {
    const db = new DatabaseSync(file, { readOnly: true });
    db.exec('PRAGMA schema_version');
    return db;
  } catch (error) {
    throw notABackup(file, error);
  }
}

function readMetadata(db: DatabaseSync, file: string): BackupMetadata {
  try {
    const facts = db.prepare('select made_at, level, secrets from backup').get();
    const tables = db.prepare('select name, rows, checksum from backup_tables').all();
    if (facts === undefined) throw new Error('The backup was never finished.');
    return {
      madeAt: Number(facts['made_at']),
      level: Number(facts['level']),
      secrets: facts['secrets'] === null ? null : String(facts['secrets']),
      tables: tables.map((row) => ({
        table: String(row['name']),
        rows: Number(row['rows']),
        checksum: String(row['checksum']),
      })),
    };
  } catch (error) {
    throw notABackup(file, error);
  }
}

function notABackup(file: string, cause: unknown): CopyError {
  return new CopyError('not_a_backup', `${file} is not a complete backup made by “npm run backup”.`, cause);
}

function checkIntegrity(db: DatabaseSync, name: string): void {
  const [answer] = db.prepare('PRAGMA integrity_check(1)').all();
  const orphans = db.prepare('PRAGMA foreign_key_check').all().length;
  const fault = String(answer?.['integrity_check'] ?? 'no answer');
  if (fault !== 'ok') throw new CopyError('damaged', `${name} is damaged (${fault}).`);
  if (orphans > 0)
    throw new CopyError('damaged', `${name} is damaged (${orphans} rows refer to missing rows).`);
}

/** Flushes a file, or the directory entries of a folder, to disk (fsync). */
export function flushToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
