import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../server/config-error.ts';
import type { Config } from '../../server/config.ts';
import { SQLITE_FILE } from '../../server/store/db/dialect.ts';

/**
 * Refuses to continue without DATABASE_URL if DATA_DIR has no embedded database or an empty file: opening it would create an empty one.
 * @throws ConfigError
 */
export function refuseMissingDatabase({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): void {
  const path = join(dataDir, SQLITE_FILE);
  if (databaseUrl === null && !(existsSync(path) && statSync(path).size > 0))
    throw new ConfigError(
      `There is no database in DATA_DIR ${dataDir}. Start the server once, or set the DATA_DIR or DATABASE_URL that it uses.`,
    );
}
