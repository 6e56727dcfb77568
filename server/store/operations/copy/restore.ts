import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SQLITE_FILE } from '../../db/dialect.ts';
import {
  type BackupMetadata,
  databaseIdOf,
  dropBackupMetadata,
  flushToDisk,
  openBackup,
  verifyBackup,
} from './backup-file.ts';
import { CopyError, mapFileErrors } from './copy-error.ts';
import { fillPostgres } from './fill-postgres.ts';

export interface RestoreOptions {
  /** PostgreSQL URL. Null: SQLite in `dataDir`; then the caller must hold the folder's lock. */
  databaseUrl: string | null;
  dataDir: string;
  file: string;
  /** Whether existing data may be replaced. */
  replace: boolean;
  now: number;
  /** Writes the secret keys. Called after all data is copied, right before the database is replaced or committed. */
  restoreSecrets: () => void;
}

export interface Restored {
  facts: BackupMetadata;
  /** New path of the previous SQLite database, which was renamed; null if there was none, and on PostgreSQL. */
  former: string | null;
  /** Id of the restored database; null if it gets one at the next start. */
  databaseId: string | null;
}

/**
 * Restores the database from a backup. A failure leaves the existing data unchanged. After a crash, the existing SQLite file may
 * have its `former` name. @throws CopyError, StoreError
 */
export async function restoreBackup(order: RestoreOptions): Promise<Restored> {
  const { databaseUrl, dataDir, file } = order;
  const target = databaseUrl === null ? `DATA_DIR ${dataDir}` : 'the database of DATABASE_URL';
  return mapFileErrors({ source: `The backup ${file}`, target }, () =>
    databaseUrl === null ? intoSqlite(order) : intoPostgres(order, databaseUrl),
  );
}

async function intoPostgres(
  { file, replace, restoreSecrets }: RestoreOptions,
  databaseUrl: string,
): Promise<Restored> {
  const source = openBackup(file);
  try {
    source.exec('begin');
    const facts = await verifyBackup(source, file);
    const setting = 'DATABASE_URL';
    await fillPostgres({ databaseUrl, setting, source, replace, beforeCommit: restoreSecrets });
    return { facts, former: null, databaseId: databaseIdOf(source) };
  } finally {
    source.close();
  }
}

const LOG_SUFFIXES = ['-wal', '-shm'];

async function intoSqlite({
  dataDir,
  file,
  replace,
  now,
  restoreSecrets,
}: RestoreOptions): Promise<Restored> {
  const path = join(dataDir, SQLITE_FILE);
  if (existsSync(path) && !replace)
    throw new CopyError(
      'not_empty',
      `DATA_DIR ${dataDir} already has a database. With --force it is renamed and replaced.`,
    );
  const draft = `${path}.restoring`;
  try {
    copyFileSync(file, draft);
    const db = new DatabaseSync(draft, { enableForeignKeyConstraints: false });
    let facts: BackupMetadata;
    let databaseId: string | null;
    try {
      // Verify the copy and not the original, because the copy becomes the database.
      facts = await verifyBackup(db, file);
      dropBackupMetadata(db);
      databaseId = databaseIdOf(db);
    } finally {
      db.close();
    }
    flushToDisk(draft);
    const former = `${path}.before-${fileTimestamp(now)}`;
    const isReplacing = existsSync(path);
    try {
      renameDatabase(path, former);
      restoreSecrets();
      renameSync(draft, path);
    } catch (error) {
      renameDatabase(former, path);
      throw error;
    }
    flushToDisk(dataDir);
    return { facts, former: isReplacing ? former : null, databaseId };
  } finally {
    for (const suffix of ['', '-journal', ...LOG_SUFFIXES]) rmSync(`${draft}${suffix}`, { force: true });
  }
}

/** Renames a database, if it exists, and its log files: SQLite would apply an old log to a new database of the same name. */
function renameDatabase(from: string, to: string): void {
  for (const suffix of ['', ...LOG_SUFFIXES])
    if (existsSync(`${from}${suffix}`)) renameSync(`${from}${suffix}`, `${to}${suffix}`);
}

/** Formats a time (ms UTC) for file names, such as "20261122T011500Z". */
export function fileTimestamp(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}
