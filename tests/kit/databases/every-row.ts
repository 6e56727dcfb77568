import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../../server/store/schema/tables.ts';

/** Returns the rows of every table as sorted JSON, by the table's name. */
export async function everyRow(db: Kysely<Tables>): Promise<Record<string, string[]>> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const rows = tables.map(async ({ name }) => {
    const { rows: found } = await sql`select * from ${sql.table(name)}`.execute(db);
    return [name, found.map((row) => JSON.stringify(row)).toSorted()] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}
