import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  byName,
  type CopiedRow,
  type CopiedValue,
  isMigrationTable,
  sortByReferences,
  type TableColumn,
  type TableShape,
} from './copy-tables.ts';

const BATCH_SIZE = 500;

/** Returns all tables in the schema of an SQLite file, except those of migrations and backup metadata. */
export function sqliteTables(db: DatabaseSync): TableShape[] {
  const names = db
    .prepare(`select name from pragma_table_list where schema = 'main' and type = 'table'`)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith('sqlite_') && !isMigrationTable(name) && !isBackupTable(name));
  return sortByReferences(
    names.map((name) => ({
      name,
      columns: db
        .prepare('select name, type from pragma_table_xinfo(?) where hidden = 0')
        .all(name)
        .map((column) => toColumn(String(column['name']), String(column['type'])))
        .toSorted(byName),
      refersTo: db
        .prepare('select distinct "table" as name from pragma_foreign_key_list(?)')
        .all(name)
        .map((other) => String(other['name'])),
    })),
  );
}

/** Names of the metadata tables of a backup. */
export const BACKUP_TABLES = ['backup', 'backup_tables'];
const isBackupTable = (name: string): boolean => BACKUP_TABLES.includes(name);

function toColumn(name: string, type: string): TableColumn {
  return { name, type, kind: type.toLowerCase() === 'date' ? 'instant' : 'plain' };
}

/** Yields the rows of a table in batches. */
export function* sqliteRows(db: DatabaseSync, { name, columns }: TableShape): Generator<CopiedRow[]> {
  const statement = db.prepare(`select ${list(columns)} from ${quoted(name)}`);
  statement.setReturnArrays(true);
  let rows: CopiedRow[] = [];
  for (const raw of statement.iterate() as Iterable<unknown>) {
    rows.push((raw as CopiedValue[]).map((value, index) => toValue(value, columns[index])));
    if (rows.length === BATCH_SIZE) {
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
}

/** Inserts rows whose values are in the order of the table's columns. */
export function insertIntoSqlite(
  db: DatabaseSync,
  { name, columns }: TableShape,
  rows: readonly CopiedRow[],
): void {
  const placeholders = columns.map(() => '?').join(', ');
  const statement = db.prepare(`insert into ${quoted(name)} (${list(columns)}) values (${placeholders})`);
  for (const row of rows) statement.run(...(row as SQLInputValue[]));
}

/** Drops all triggers, runs `work` and recreates them: the copied tables already include the rows that triggers derive. */
export async function withoutSqliteTriggers<T>(db: DatabaseSync, work: () => T | Promise<T>): Promise<T> {
  const triggers = db.prepare(`select name, sql from sqlite_schema where type = 'trigger'`).all();
  for (const { name } of triggers) db.exec(`drop trigger ${quoted(String(name))}`);
  const result = await work();
  for (const { sql } of triggers) db.exec(String(sql));
  return result;
}

function toValue(value: CopiedValue, column: TableColumn | undefined): CopiedValue {
  return column?.kind === 'instant' && value !== null ? isoInstant(String(value)) : value;
}

/** Converts a timestamp to ISO text in UTC with milliseconds. Returns unparsable text unchanged. */
export function isoInstant(value: string | Date): string {
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? String(value) : at.toISOString();
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const list = (columns: readonly TableColumn[]): string => columns.map(({ name }) => quoted(name)).join(', ');
