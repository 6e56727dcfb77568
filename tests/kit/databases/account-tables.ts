import { sql } from 'kysely';
import type { Store } from '../../../server/store/db/open-store.ts';

export type Row = Record<string, unknown>;

/** Returns every table whose rows belong to an account by foreign keys, with its columns, from the database's catalogue. */
export async function accountTables(store: Store): Promise<Map<string, string[]>> {
  const columns = await columnsByTable(store);
  const references = await foreignKeys(store);
  const found = new Set(['accounts']);
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const { child, parent } of references) if (found.has(parent)) found.add(child);
  }
  for (const [table, names] of columns) if (names.includes('account_id')) found.add(table);
  return new Map([...found].map((table) => [table, columns.get(table) ?? []]));
}

/** Returns the account's rows of a table in a fixed order. */
export async function rowsOf({ db }: Store, table: string, accountId: string): Promise<Row[]> {
  const owner = table === 'accounts' ? 'id' : 'account_id';
  const { rows } = await sql<Row>`select * from ${sql.table(table)}
    where ${sql.ref(owner)} = ${accountId} order by ${sql.raw(table === 'accounts' ? 'id' : '1, 2')}`.execute(
    db,
  );
  return rows;
}

async function columnsByTable({ db, dialect }: Store): Promise<Map<string, string[]>> {
  const { rows } = await (
    dialect === 'postgres'
      ? sql<{ table: string; name: string }>`select table_name as "table", column_name as name
          from information_schema.columns where table_schema = current_schema() order by ordinal_position`
      : sql<{ table: string; name: string }>`select tables.name as "table", info.name
          from sqlite_master as tables join pragma_table_info(tables.name) as info where tables.type = 'table'`
  ).execute(db);
  const byTable = Map.groupBy(rows, ({ table }) => table);
  return new Map([...byTable].map(([table, of]) => [table, of.map(({ name }) => name)]));
}

async function foreignKeys({ db, dialect }: Store): Promise<{ child: string; parent: string }[]> {
  const { rows } = await (
    dialect === 'postgres'
      ? sql<{ child: string; parent: string }>`select child.relname as child, parent.relname as parent
          from pg_constraint join pg_class child on child.oid = conrelid join pg_class parent on parent.oid = confrelid
          where contype = 'f' and child.relnamespace = current_schema()::regnamespace`
      : sql<{ child: string; parent: string }>`select tables.name as child, keys."table" as parent
          from sqlite_master as tables join pragma_foreign_key_list(tables.name) as keys where tables.type = 'table'`
  ).execute(db);
  return rows;
}
