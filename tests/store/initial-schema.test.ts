import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { importsOf, ROOT } from '../../scripts/house/imports.ts';
import { migrate } from '../../server/store/schema/migrate.ts';
import {
  type Database,
  type DatabaseName,
  DATABASES,
  freshDatabase,
  hasDatabase,
} from '../kit/databases/database.ts';
import { formerDatabase } from '../kit/databases/former-database.ts';
import { rawDatabase } from '../kit/databases/raw-database.ts';

/** Databases of level 20 keep their schema when they are adopted, so later migrations rely on both schemas being the same. */
describe.each(DATABASES.filter(hasDatabase))('the schema of 0021-initial-schema (%s)', (name) => {
  it('has the same columns, keys, indexes and triggers as schema level 20', async () => {
    const database = await freshDatabase(name, { migrated: false });
    onTestFinished(() => database.remove());
    const db = rawDatabase(database);
    await migrate(db, { dialect: name, name: 'The database', upTo: 21 });
    await db.destroy();
    const created = await schemaOf(database);
    expect(created.length).toBeGreaterThan(500);
    expect(created).toEqual(await schemaOf(await formerDatabase(name)));
  });
});

it('migrations import only Kysely, node:crypto, node:url and other migrations', () => {
  const folder = 'server/store/schema/migrations/';
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  const imports = files.filter((file) => file.endsWith('.ts')).flatMap((file) => importsOf(folder + file));
  expect(imports.length).toBeGreaterThan(20);
  expect(
    imports.filter(
      ({ to, typeOnly }) =>
        !typeOnly && !['kysely', 'node:crypto', 'node:url'].includes(to) && !to.startsWith(folder),
    ),
  ).toEqual([]);
});

/** Describes every object of a schema in one line. Leaves out the positions of columns, which may differ. */
const DESCRIPTIONS: Record<DatabaseName, RawBuilder<{ line: string }>[]> = {
  sqlite: [
    sql`select concat_ws(' ', 'column', t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, t.wr) as line
      from pragma_table_list t join pragma_table_xinfo(t.name) c where t.schema = 'main'`,
    sql`select concat_ws(' ', 'reference', t.name, f."from", f."table", f."to", f.on_update, f.on_delete) as line
      from pragma_table_list t join pragma_foreign_key_list(t.name) f where t.schema = 'main'`,
    sql`select concat_ws(' ', 'index', t.name, i."unique", i.origin, iif(i.origin = 'c', i.name, ''),
        (select group_concat(concat_ws(' ', x.name, x."desc", x.coll), ', ')
          from pragma_index_xinfo(i.name) x where x.key = 1),
        (select substr(s.sql, instr(s.sql, ' where ')) from sqlite_schema s where s.name = i.name and i.partial)) as line
      from pragma_table_list t join pragma_index_list(t.name) i where t.schema = 'main'`,
    sql`select sql as line from sqlite_schema where type in ('trigger', 'view')`,
  ],
  postgres: [
    sql`select concat_ws(' ', 'column', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod),
        a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attcollation::regcollation, c.reloptions) as line
      from pg_class c join pg_attribute a on a.attrelid = c.oid
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
    // In level 20, some foreign keys have other names, because their tables were renamed.
    sql`select concat_ws(' ', 'constraint', conrelid::regclass, case when contype <> 'f' then conname end,
        pg_get_constraintdef(oid)) as line
      from pg_constraint where connamespace = 'public'::regnamespace`,
    sql`select indexdef as line from pg_indexes where schemaname = 'public'`,
    sql`select pg_get_triggerdef(oid) as line from pg_trigger where not tgisinternal`,
    sql`select pg_get_functiondef(oid) as line from pg_proc where pronamespace = 'public'::regnamespace`,
  ],
};

async function schemaOf(database: Database): Promise<string[]> {
  const db = rawDatabase(database);
  const lines: string[] = [];
  for (const description of DESCRIPTIONS[database.name]) {
    const { rows } = await description.execute(db);
    lines.push(...rows.map(({ line }) => line.replaceAll(/\s+/g, ' ').replaceAll(/ ?([();]) ?/g, '$1')));
  }
  await db.destroy();
  return lines.toSorted();
}
