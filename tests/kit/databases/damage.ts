import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SQLITE_FILE } from '../../../server/store/db/dialect.ts';

/** Overwrites the last page of a table in the embedded database, as a failing disk does. Nobody may have the database open. */
export function damageTable(dataDir: string, table: string): void {
  const path = join(dataDir, SQLITE_FILE);
  const db = new DatabaseSync(path);
  // After this checkpoint, the file has all pages, and the write-ahead log none.
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const page = db
    .prepare(`select max(pageno) as page from dbstat where name = ? and pagetype = 'leaf'`)
    .get(table);
  const size = Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (Number(page?.['page']) - 1) * size);
  closeSync(file);
}
