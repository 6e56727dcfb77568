import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { SQLITE_FILE } from '../../../server/store/db/dialect.ts';
import {
  insertIntoSqlite,
  sqliteRows,
  sqliteTables,
  withoutSqliteTriggers,
} from '../../../server/store/operations/copy/sqlite-tables.ts';
import type {
  CopiedRow,
  CopiedValue,
  TableColumn,
  TableShape,
} from '../../../server/store/operations/copy/copy-tables.ts';

const HARD_TEXTS = ['', `it's "quoted" \\ {a,b} NULL`, 'Bücher 🏮 ایران\n\tnext', '{}', 'x'.repeat(90)];

/** Inserts rows into every table of the schema: `monitors` rows where they belong to a monitor, fewer elsewhere. */
export async function fillEveryTable(dataDir: string, monitors: number): Promise<Map<string, number>> {
  const db = new DatabaseSync(join(dataDir, SQLITE_FILE));
  const made = new Map<string, CopiedRow[]>();
  db.exec('PRAGMA synchronous = OFF; begin');
  await withoutSqliteTriggers(db, () => fill(db, monitors, made));
  db.exec('commit');
  db.close();
  return new Map([...made].map(([name, rows]) => [name, rows.length]));
}

function fill(db: DatabaseSync, monitors: number, made: Map<string, CopiedRow[]>): void {
  const tables = sqliteTables(db);
  for (const table of tables) {
    if (table.name === 'database_id') {
      // The first start has already written the only row of this table.
      made.set(table.name, [...sqliteRows(db, table)].flat());
      continue;
    }
    const references = referencesOf(db, table.name);
    const isMany = table.name === 'monitors' || references.some(({ table: other }) => other === 'monitors');
    const rows: CopiedRow[] = [];
    for (let index = 0; index < (isMany ? monitors : Math.min(monitors, 200)); index++) {
      const given = new Map<string, CopiedValue>();
      for (const { table: other, columns } of references) {
        const parents = made.get(other) ?? [];
        const shape = tables.find(({ name }) => name === other);
        for (const [from, to] of columns)
          given.set(from, parents[index % parents.length]?.[indexOf(shape, to)] ?? null);
      }
      rows.push(table.columns.map((column) => given.get(column.name) ?? valueOf(table.name, column, index)));
    }
    insertIntoSqlite(db, table, rows);
    made.set(table.name, rows);
  }
}

const indexOf = (table: TableShape | undefined, column: string): number =>
  table?.columns.findIndex(({ name }) => name === column) ?? -1;

interface Reference {
  table: string;
  /** Pairs of column and referenced column. */
  columns: [string, string][];
}

function referencesOf(db: DatabaseSync, table: string): Reference[] {
  const references = new Map<unknown, Reference>();
  for (const row of db.prepare('select * from pragma_foreign_key_list(?)').all(table)) {
    const reference = references.get(row['id']) ?? { table: String(row['table']), columns: [] };
    reference.columns.push([String(row['from']), String(row['to'] ?? row['from'])]);
    references.set(row['id'], reference);
  }
  return [...references.values()];
}

function valueOf(table: string, { name, type }: TableColumn, index: number): CopiedValue {
  const kind = type.toLowerCase();
  if (kind === 'blob') return new TextEncoder().encode(`\0${table}${index}\u00ff`);
  if (kind === 'date') return new Date(1_790_000_000_000 + index).toISOString();
  if (kind === 'bigint') return 1_790_000_000_000 + index;
  if (kind === 'integer') return index % 2;
  return `${table}.${name} ${index} ${HARD_TEXTS[index % HARD_TEXTS.length]}`;
}
