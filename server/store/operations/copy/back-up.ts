import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { SQLITE_FILE } from '../../db/dialect.ts';
import { databaseLevel, migrate } from '../../schema/migrate.ts';
import { NodeSqliteDialect } from '../../db/node-sqlite-dialect.ts';
import { postgresDialect, waitForPostgres } from '../../db/postgres-connection.ts';
import type { Tables } from '../../schema/tables.ts';
import { type BackupMetadata, finishBackup, flushToDisk, sqliteTarget } from './backup-file.ts';
import { CopyError, mapFileErrors } from './copy-error.ts';
import { copyTables } from './copy-tables.ts';
import { postgresRows, postgresTables } from './postgres-tables.ts';
import { withoutSqliteTriggers } from './sqlite-tables.ts';

export interface BackupOptions {
  /** PostgreSQL URL; null: SQLite in `dataDir`. */
  databaseUrl: string | null;
  dataDir: string;
  /** Path of the backup file, which must not exist yet. */
  file: string;
  /** The text of secrets.json, stored in the backup; null if there is none. */
  secrets: string | null;
  now: number;
}

/**
 * Writes a consistent snapshot of the whole database into one file while the server runs. The file gets its final name
 * only after it is complete and verified. @throws CopyError, StoreError
 */
export async function backUp({
  databaseUrl,
  dataDir,
  file,
  secrets,
  now,
}: BackupOptions): Promise<BackupMetadata> {
  if (existsSync(file))
    throw new CopyError('not_empty', `The file ${file} already exists. Choose another name.`);
  const draft = `${file}.partial`;
  const source =
    databaseUrl === null ? `The database in DATA_DIR (${dataDir})` : 'The database of DATABASE_URL';
  return mapFileErrors({ source, target: file }, async () => {
    try {
      rmSync(draft, { force: true });
      // Make the file readable by its owner only, because the backup contains the secret keys.
      writeFileSync(draft, '', { mode: 0o600, flag: 'wx' });
      if (databaseUrl === null) await copySqlite(dataDir, draft);
      else await copyPostgres(databaseUrl, draft);
      const db = new DatabaseSync(draft);
      let facts: BackupMetadata;
      try {
        facts = await finishBackup(db, { madeAt: now, secrets });
      } finally {
        db.close();
      }
      flushToDisk(draft);
      renameSync(draft, file);
      flushToDisk(dirname(file));
      return facts;
    } finally {
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${draft}${suffix}`, { force: true });
    }
  });
}

const PAGES_PER_STEP = 2_000;

async function copySqlite(dataDir: string, draft: string): Promise<void> {
  const db = new DatabaseSync(join(dataDir, SQLITE_FILE), { timeout: 10_000 });
  try {
    // The read transaction keeps the snapshot unchanged. Without it, each concurrent write would restart the backup.
    db.exec('begin; select count(*) from sqlite_schema');
    await backup(db, draft, { rate: PAGES_PER_STEP });
  } finally {
    db.close();
  }
}

async function copyPostgres(databaseUrl: string, draft: string): Promise<void> {
  const db = new Kysely<Tables>({
    dialect: postgresDialect(databaseUrl, () => undefined, { connections: 1 }),
  });
  try {
    await waitForPostgres(db, databaseUrl, { connectAttempts: 1 });
    await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (trx) => {
        const level = await databaseLevel(trx, { dialect: 'postgres', name: 'The database of DATABASE_URL' });
        if (level === 0)
          throw new CopyError(
            'nothing_there',
            'The database of DATABASE_URL is empty: there is nothing to back up.',
          );
        await createTables(draft, level);
        const target = new DatabaseSync(draft, { enableForeignKeyConstraints: false });
        try {
          target.exec('PRAGMA synchronous = OFF; begin');
          const to = sqliteTarget(target);
          const from = { tables: await postgresTables(trx), rows: postgresRows.bind(null, trx) };
          const names = to.tables.map(({ name }) => name);
          await withoutSqliteTriggers(target, () => copyTables(from, to, { names }));
          target.exec('commit');
        } finally {
          target.close();
        }
      });
  } finally {
    await db.destroy();
  }
}

/** Creates all tables of a schema level, with only the rows that the migrations insert. */
async function createTables(path: string, level: number): Promise<void> {
  const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(path) });
  await migrate(db, { dialect: 'sqlite', name: 'The copy', upTo: level });
  await db.destroy();
}
