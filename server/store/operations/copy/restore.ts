import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SQLITE_FILE } from '../../db/dialect.ts';
import { type BackupFacts, openBackup, stripFacts, verifyBackup } from './backup-file.ts';
import { CopyError, withRoom } from './copy-error.ts';
import { fillPostgres } from './fill-postgres.ts';
import { flush } from './flush.ts';

export interface RestoreOrder {
  /** null: SQLite in `dataDir`, which the caller holds for itself. */
  databaseUrl: string | null;
  dataDir: string;
  file: string;
  /** Whether data that is there may be replaced. */
  replace: boolean;
  now: number;
  /** Puts the keys into place, once all of the data is there and just before it counts. */
  placeSecrets: () => void;
}

export interface Restored {
  facts: BackupFacts;
  /** Where the database is now that was there before; null where there was none, and on PostgreSQL. */
  former: string | null;
}

/** Makes the database what it was when the backup was made. Until all of it is there, nothing is changed. @throws CopyError, StoreError */
export async function restore(order: RestoreOrder): Promise<Restored> {
  return order.databaseUrl === null ? intoSqlite(order) : intoPostgres(order, order.databaseUrl);
}

async function intoPostgres(
  { file, replace, placeSecrets }: RestoreOrder,
  databaseUrl: string,
): Promise<Restored> {
  const source = openBackup(file);
  try {
    source.exec('begin');
    const facts = await verifyBackup(source, file);
    const setting = 'DATABASE_URL';
    await fillPostgres({ databaseUrl, setting, source, replace, beforeCommit: placeSecrets });
    return { facts, former: null };
  } finally {
    source.close();
  }
}

const ITS_LOGS = ['-wal', '-shm'];

async function intoSqlite({ dataDir, file, replace, now, placeSecrets }: RestoreOrder): Promise<Restored> {
  const path = join(dataDir, SQLITE_FILE);
  if (existsSync(path) && !replace)
    throw new CopyError(
      'not_empty',
      `DATA_DIR ${dataDir} has a database already. With --force it is kept under another name and replaced.`,
    );
  const draft = `${path}.restoring`;
  return withRoom(draft, async () => {
    try {
      copyFileSync(file, draft);
      const db = new DatabaseSync(draft, { enableForeignKeyConstraints: false });
      let facts: BackupFacts;
      try {
        // As it arrived here, and not as it lies there.
        facts = await verifyBackup(db, file);
        stripFacts(db);
      } finally {
        db.close();
      }
      flush(draft);
      const former = setAside(path, now);
      placeSecrets();
      renameSync(draft, path);
      flush(dataDir);
      return { facts, former };
    } finally {
      for (const left of ['', '-journal', ...ITS_LOGS]) rmSync(`${draft}${left}`, { force: true });
    }
  });
}

/** Gives what is there another name, the log beside it too: SQLite would read it into the new file. */
function setAside(path: string, now: number): string | null {
  const former = `${path}.before-${stamp(now)}`;
  const there = ['', ...ITS_LOGS].filter((ending) => existsSync(`${path}${ending}`));
  for (const ending of there) renameSync(`${path}${ending}`, `${former}${ending}`);
  return there.includes('') ? former : null;
}

/** "20261122T011500Z", fit for the name of a file. */
export function stamp(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}
