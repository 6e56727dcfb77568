import { type Kysely, type RawBuilder, sql } from 'kysely';
import { plainBytes } from '../../db/dialect.ts';
import type { Tables } from '../../schema/tables.ts';
import { CopyError } from './copy-error.ts';
import {
  byName,
  type CopiedRow,
  type CopiedValue,
  isMigrationTable,
  sortByReferences,
  type TableColumn,
  type TableShape,
} from './copy-tables.ts';
import { isoInstant, quoted } from './sqlite-tables.ts';

const BATCH_SIZE = 500;

/** Returns all tables of the current schema, including those of other programs, but not those of migrations. */
export async function postgresTables(db: Kysely<Tables>): Promise<TableShape[]> {
  const columns = await sql<{ table: string; column: string; type: string }>`
    select c.relname as "table", a.attname as "column", format_type(a.atttypid, a.atttypmod) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`.execute(db);
  const references = await sql<{ table: string; other: string }>`
    select t.relname as "table", o.relname as other
    from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_class o on o.oid = k.confrelid
    where k.contype = 'f' and t.relnamespace = current_schema()::regnamespace`.execute(db);
  const tables = new Map<string, TableShape>();
  for (const { table, column, type } of columns.rows) {
    if (isMigrationTable(table)) continue;
    const shape = tables.get(table) ?? { name: table, columns: [], refersTo: [] };
    shape.columns.push({ name: column, type, kind: kindOf(type) });
    tables.set(table, shape);
  }
  for (const { table, other } of references.rows) tables.get(table)?.refersTo.push(other);
  for (const shape of tables.values()) shape.columns.sort(byName);
  return sortByReferences([...tables.values()]);
}

function kindOf(type: string): TableColumn['kind'] {
  if (type === 'boolean') return 'flag';
  return type.startsWith('timestamp') ? 'instant' : 'plain';
}

/** Yields the rows of a table in batches. Uses a cursor, so it needs a transaction. */
export async function* postgresRows(
  trx: Kysely<Tables>,
  { name, columns }: TableShape,
): AsyncGenerator<CopiedRow[]> {
  await sql`declare copied no scroll cursor for select ${list(columns)} from ${sql.table(name)}`.execute(trx);
  for (;;) {
    const { rows } = await sql<Record<string, unknown>>`
      fetch forward ${sql.lit(BATCH_SIZE)} from copied`.execute(trx);
    if (rows.length > 0) yield rows.map((row) => columns.map((column) => toValue(row[column.name])));
    if (rows.length < BATCH_SIZE) break;
  }
  await sql`close copied`.execute(trx);
}

/** Inserts rows whose values are in the order of the table's columns. @throws CopyError `unfit` */
export async function insertIntoPostgres(
  trx: Kysely<Tables>,
  { name, columns }: TableShape,
  rows: readonly CopiedRow[],
): Promise<void> {
  const arrays = columns.map(
    ({ type, kind }, index) =>
      sql`${rows.map((row) => toParameter(row[index] ?? null, kind))}::${sql.raw(type)}[]`,
  );
  try {
    await sql`insert into ${sql.table(name)} (${list(columns)}) select * from unnest(${sql.join(arrays)})`.execute(
      trx,
    );
  } catch (error) {
    if (!isDataError(error)) throw error;
    throw new CopyError('unfit', `The table ${name} cannot be copied (${error.message}).`, error);
  }
}

/** Returns whether an error is a data exception or a constraint violation (SQLSTATE classes 22 and 23). */
function isDataError(error: unknown): error is Error {
  return error instanceof Error && /^2[23]/.test(String(Reflect.get(error, 'code') ?? ''));
}

/** Runs `work` with triggers disabled: the copied tables already include the rows that triggers derive. */
export async function withoutPostgresTriggers<T>(
  trx: Kysely<Tables>,
  tables: readonly TableShape[],
  work: () => Promise<T>,
): Promise<T> {
  const switchTriggers = async (state: 'disable' | 'enable') => {
    for (const { name } of tables)
      await sql`alter table ${sql.table(name)} ${sql.raw(state)} trigger user`.execute(trx);
  };
  await switchTriggers('disable');
  const result = await work();
  await switchTriggers('enable');
  return result;
}

/** Drops tables and the functions of their triggers. */
export async function dropPostgresTables(trx: Kysely<Tables>, names: readonly string[]): Promise<void> {
  const { rows: functions } = await sql<{ signature: string }>`
    select distinct p.oid::regprocedure::text as signature
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace
      and p.pronamespace = c.relnamespace and c.relname = any (${names})`.execute(trx);
  await sql`drop table if exists ${sql.join(names.map((name) => sql.table(name)))}`.execute(trx);
  for (const { signature } of functions) await sql`drop function ${sql.raw(signature)}`.execute(trx);
}

function toValue(value: unknown): CopiedValue {
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Uint8Array) return plainBytes(value);
  return value instanceof Date ? isoInstant(value) : (value as CopiedValue);
}

function toParameter(value: CopiedValue, kind: TableColumn['kind']): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return kind === 'flag' && value !== null ? value !== 0 : value;
}

const list = (columns: readonly TableColumn[]): RawBuilder<unknown> =>
  sql.raw(columns.map(({ name }) => quoted(name)).join(', '));
