import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SQLITE_FILE } from '../../db/dialect.ts';
import { fillPostgres } from './fill-postgres.ts';
import type { TableSum } from './rows.ts';

export interface MoveOrder {
  /** Folder of the embedded database. The caller must hold its lock. */
  dataDir: string;
  /** URL of the PostgreSQL database. */
  to: string;
  /** Called for each table that was copied and verified. */
  onTable: (sum: TableSum) => void;
}

/** Copies the embedded database, which stays unchanged, to an empty one on PostgreSQL. @throws CopyError, StoreError */
export async function move({ dataDir, to, onTable }: MoveOrder): Promise<TableSum[]> {
  const source = new DatabaseSync(join(dataDir, SQLITE_FILE), { timeout: 10_000 });
  try {
    source.exec('PRAGMA query_only = true; begin');
    return await fillPostgres({ databaseUrl: to, setting: '--to', source, replace: false, onTable });
  } finally {
    source.close();
  }
}
