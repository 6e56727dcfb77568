import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SQLITE_FILE } from '../../db/dialect.ts';
import { fillPostgres } from './fill-postgres.ts';
import type { TableSum } from './rows.ts';

export interface MoveOrder {
  /** Of the embedded database, which the caller holds for itself. */
  dataDir: string;
  /** An address of PostgreSQL. */
  to: string;
  /** Hears of each table that was copied and read again. */
  onTable: (sum: TableSum) => void;
}

/** Copies the embedded database to an empty one of PostgreSQL, which then is as it was; nothing changes here. @throws CopyError, StoreError */
export async function move({ dataDir, to, onTable }: MoveOrder): Promise<TableSum[]> {
  const source = new DatabaseSync(join(dataDir, SQLITE_FILE), { timeout: 10_000 });
  try {
    source.exec('PRAGMA query_only = true; begin');
    return await fillPostgres({ databaseUrl: to, setting: '--to', source, replace: false, onTable });
  } finally {
    source.close();
  }
}
