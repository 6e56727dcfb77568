import { type Insertable, sql } from 'kysely';
import type { Store } from '../../../server/store/db/open-store.ts';
import type { Tables } from '../../../server/store/schema/tables.ts';

/**
 * Inserts many rows in one statement. All rows have the columns of the first one. The rows are sent as JSON, because hundreds
 * of thousands of parameters would take longer than the insertion.
 */
export async function insertRows<T extends keyof Tables>(
  { db, dialect }: Store,
  table: T,
  rows: readonly Insertable<Tables[T]>[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const entries = Object.entries<unknown>(first);
  const columns = sql.join(entries.map(([name]) => sql.ref(name)));
  const values = JSON.stringify(
    rows,
    function withBytes(this: Record<string, unknown>, name, value: unknown) {
      const held = this[name];
      return held instanceof Uint8Array ? `\\x${Buffer.from(held).toString('hex')}` : value;
    },
  );
  const chosen =
    dialect === 'postgres'
      ? sql`${columns} from json_populate_recordset(null::${sql.table(table)}, ${values})`
      : sql`${sql.join(entries.map(([name, value]) => sqliteValue(name, value)))} from json_each(${values})`;
  await sql`insert into ${sql.table(table)} (${columns}) select ${chosen}`.execute(db);
}

function sqliteValue(name: string, sample: unknown) {
  const value = sql`value->>${sql.lit(name)}`;
  return sample instanceof Uint8Array ? sql`unhex(substr(${value}, 3))` : value;
}

/**
 * Inserts monitors, and then sets their certificates in an update, as checks do: only updates fire the triggers that list
 * certificates.
 */
export async function insertMonitors(
  store: Store,
  rows: readonly Insertable<Tables['monitors']>[],
): Promise<void> {
  await insertRows(
    store,
    'monitors',
    rows.map((row) => ({ ...row, certificate_fingerprint: null })),
  );
  const served = rows.map(
    ({ id, certificate_fingerprint: fingerprint = null }) => sql`(${id}, ${fingerprint})`,
  );
  await sql`with served (id, fingerprint) as (values ${sql.join(served)})
    update monitors set certificate_fingerprint = served.fingerprint from served where monitors.id = served.id`.execute(
    store.db,
  );
}
