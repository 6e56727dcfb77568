import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { type DialectName, hasTable } from '../dialect.ts';
import { StoreError } from '../store-error.ts';
import type { Tables } from '../tables.ts';
import { createFirstTables } from './0001-first-tables.ts';
import { createIdentityProviderTables } from './0002-identity-provider-tables.ts';
import { createPlansAndMails } from './0003-plans-and-mails.ts';
import { createIdentityFactors } from './0004-identity-factors.ts';
import { createDescriptionsAndGlances } from './0005-descriptions-and-glances.ts';
import { createProtocolsAndUptime } from './0006-protocols-and-uptime.ts';
import { createChannelsAndIncidents } from './0007-channels-and-incidents.ts';

/** In order, append-only: what was released is never edited. */
const MIGRATIONS: Record<string, (db: Kysely<unknown>, dialect: DialectName) => Promise<void>> = {
  '0001-first-tables': createFirstTables,
  '0002-identity-provider-tables': createIdentityProviderTables,
  '0003-plans-and-mails': createPlansAndMails,
  '0004-identity-factors': createIdentityFactors,
  '0005-descriptions-and-glances': createDescriptionsAndGlances,
  '0006-protocols-and-uptime': createProtocolsAndUptime,
  '0007-channels-and-incidents': createChannelsAndIncidents,
};

/**
 * Brings the database to the newest schema, all or nothing, one process at a time.
 * @throws StoreError `newer_database` when it has migrations that this program does not know; `name` is how to call it.
 */
export async function migrate(db: Kysely<Tables>, dialect: DialectName, name: string): Promise<void> {
  const done = await migrationsDone(db, dialect);
  const unknown = done.filter((migration) => !(migration in MIGRATIONS));
  if (unknown.length > 0)
    throw new StoreError(
      'newer_database',
      `${name} was made by a newer version of this program (${unknown.join(', ')}). Install that version, or restore the backup from before the update.`,
    );
  // The usual start has nothing to do; finding that out through the Migrator takes longer than all else.
  if (done.length === Object.keys(MIGRATIONS).length) return;
  const migrations = Object.entries(MIGRATIONS).map(([key, up]): [string, Migration] => [
    key,
    { up: (trx) => up(trx, dialect) },
  ]);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(migrations) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

async function migrationsDone(db: Kysely<Tables>, dialect: DialectName): Promise<string[]> {
  if (!(await hasTable(db, dialect, 'kysely_migration'))) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map((row) => row.name);
}
