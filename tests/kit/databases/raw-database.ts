import { type Dialect, Kysely } from 'kysely';
import { sqliteDialect } from '../../../server/store/db/dialect.ts';
import { postgresDialect } from '../../../server/store/db/postgres-connection.ts';
import type { Tables } from '../../../server/store/schema/tables.ts';
import type { Database } from './database.ts';

/** Opens the database without the store, whatever the level of its schema. The caller closes it. */
export function rawDatabase(
  { databaseUrl, dataDir }: Pick<Database, 'databaseUrl' | 'dataDir'>,
  dialect?: Dialect,
): Kysely<Tables> {
  // Ignores errors of the connection, because a test may end before its connection does.
  const usual = (): Dialect =>
    databaseUrl === null ? sqliteDialect(dataDir) : postgresDialect(databaseUrl, () => undefined);
  return new Kysely({ dialect: dialect ?? usual() });
}

/** Returns the state of each mail. A server may be using the database at the same time. */
export async function mailStates(database: Database): Promise<string[]> {
  const db = rawDatabase(database);
  const mails = await db.selectFrom('mails').select('state').execute();
  await db.destroy();
  return mails.map(({ state }) => state);
}
