import { type Dialect, Kysely } from 'kysely';
import { sqliteDialect } from '../../server/store/db/dialect.ts';
import { postgresDialect } from '../../server/store/db/postgres-connection.ts';
import type { Tables } from '../../server/store/schema/tables.ts';
import type { Database } from './database.ts';

/** The database without the store around it, at whatever level it is. The caller ends it. */
export function rawDatabase(
  { databaseUrl, dataDir }: Pick<Database, 'databaseUrl' | 'dataDir'>,
  dialect?: Dialect,
): Kysely<Tables> {
  // The end of a test may be quicker than the end of a connection.
  const usual = (): Dialect =>
    databaseUrl === null ? sqliteDialect(dataDir) : postgresDialect(databaseUrl, () => undefined);
  return new Kysely({ dialect: dialect ?? usual() });
}
