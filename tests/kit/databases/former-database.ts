import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { SQLITE_FILE } from '../../../server/store/db/dialect.ts';
import { type Database, type DatabaseName, freshDatabase } from './database.ts';

const SCRIPTS = join(import.meta.dirname, '../../store/former-schema');

/**
 * Returns a database of level 20 with rows in every table, as the program left it before the migration `0021-initial-schema`.
 * It is removed when the test ends.
 */
export async function formerDatabase(name: DatabaseName): Promise<Database> {
  const database = await freshDatabase(name, { migrated: false });
  onTestFinished(() => database.remove());
  await execute(database, readFileSync(join(SCRIPTS, `${name}.sql`), 'utf8'));
  return database;
}

/** Runs statements on a test's database, as another program would. */
export async function execute({ databaseUrl, dataDir }: Database, statements: string): Promise<void> {
  if (databaseUrl === null) {
    const db = new DatabaseSync(join(dataDir, SQLITE_FILE));
    db.exec(statements);
    db.close();
    return;
  }
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
