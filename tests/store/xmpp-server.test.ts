import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../server/store/schema/migrate.ts';
import { DATABASES, hasDatabase } from '../kit/databases/database.ts';
import { everyRow } from '../kit/databases/every-row.ts';
import { formerDatabase } from '../kit/databases/former-database.ts';
import { rawDatabase } from '../kit/databases/raw-database.ts';

it.each(DATABASES.filter(hasDatabase))(
  'The migration to xmpp-server changes only the protocol of XMPP at port 5269, in every table (%s)',
  async (name) => {
    const db = rawDatabase(await formerDatabase(name));
    onTestFinished(() => db.destroy());
    await migrate(db, { dialect: name, name: 'The database', upTo: 24 });
    const tables = (await db.introspection.getTables())
      .filter(({ columns }) => columns.some((column) => column.name === 'protocol'))
      .map((table) => table.name);
    for (const table of tables) {
      const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)}`.execute(db);
      expect(rows, table).not.toEqual([]);
      const { id } = rows[0] ?? { id: '' };
      await sql`update ${sql.table(table)} set port = 5269, protocol = 'xmpp' where id = ${id}`.execute(db);
    }
    const [other = { id: '' }] = await db
      .selectFrom('monitors')
      .select('id')
      .where('port', '!=', 5269)
      .execute();
    await db
      .updateTable('monitors')
      .set({ port: 5222, protocol: 'xmpp' })
      .where('id', '=', other.id)
      .execute();
    const before = await everyRow(db);
    await migrate(db, { dialect: name, name: 'The database', upTo: 25 });
    const after = await everyRow(db);
    for (const [table, rows] of Object.entries(before)) {
      if (['kysely_migration', 'oldest_program'].includes(table)) continue;
      const expected = rows.map((row) =>
        row.includes('"port":5269') ? row.replace('"protocol":"xmpp"', '"protocol":"xmpp-server"') : row,
      );
      expect(after[table], table).toEqual(expected.toSorted());
      expect(
        after[table]?.filter((row) => row.includes('"xmpp-server"')),
        table,
      ).toHaveLength(tables.includes(table) ? 1 : 0);
    }
    expect(after['monitors']?.filter((row) => row.includes('"protocol":"xmpp"'))).toHaveLength(1);
  },
);
