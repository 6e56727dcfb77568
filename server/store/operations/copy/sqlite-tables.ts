import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  byName,
  type Column,
  inOrder,
  isBookkeeping,
  type Row,
  type TableShape,
  type Value,
} from './rows.ts';

const ROWS_AT_ONCE = 500;

/** Every table of the product, as the database itself lists them. */
export function sqliteTables(db: DatabaseSync): TableShape[] {
  const names = db
    .prepare(`select name from pragma_table_list where schema = 'main' and type = 'table'`)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith('sqlite_') && !isBookkeeping(name) && !isOfBackup(name));
  return inOrder(
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

/** What a backup says of itself stands beside the tables. */
export const BACKUP_TABLES = ['backup', 'backup_tables'];
const isOfBackup = (name: string): boolean => BACKUP_TABLES.includes(name);

function toColumn(name: string, type: string): Column {
  return { name, type, kind: type.toLowerCase() === 'date' ? 'instant' : 'plain' };
}

/** The rows of a table, some hundred at a time. */
export function* sqliteRows(db: DatabaseSync, { name, columns }: TableShape): Generator<Row[]> {
  const statement = db.prepare(`select ${list(columns)} from ${quoted(name)}`);
  statement.setReturnArrays(true);
  let rows: Row[] = [];
  for (const raw of statement.iterate() as Iterable<unknown>) {
    rows.push((raw as Value[]).map((value, index) => toValue(value, columns[index])));
    if (rows.length === ROWS_AT_ONCE) {
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
}

/** Rows of the table's columns, in their order. */
export function insertIntoSqlite(
  db: DatabaseSync,
  { name, columns }: TableShape,
  rows: readonly Row[],
): void {
  const places = columns.map(() => '?').join(', ');
  const statement = db.prepare(`insert into ${quoted(name)} (${list(columns)}) values (${places})`);
  for (const row of rows) statement.run(...(row as SQLInputValue[]));
}

/** Rows are copied as they are: what triggers would make of them is among the rows of other tables. */
export async function withoutSqliteTriggers<T>(db: DatabaseSync, work: () => T | Promise<T>): Promise<T> {
  const triggers = db.prepare(`select name, sql from sqlite_schema where type = 'trigger'`).all();
  for (const { name } of triggers) db.exec(`drop trigger ${quoted(String(name))}`);
  const result = await work();
  for (const { sql } of triggers) db.exec(String(sql));
  return result;
}

function toValue(value: Value, column: Column | undefined): Value {
  return column?.kind === 'instant' && value !== null ? isoInstant(String(value)) : value;
}

/** Milliseconds and UTC, however it was written. */
export function isoInstant(value: string | Date): string {
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? String(value) : at.toISOString();
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const list = (columns: readonly Column[]): string => columns.map(({ name }) => quoted(name)).join(', ');
