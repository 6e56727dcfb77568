import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exportAccountData, exportProfile } from '../../server/store/accounts/export.ts';
import { uptimeHistory } from '../../server/store/checks/uptime.ts';
import { acceptsOldLinks } from '../../server/store/mail/unsubscriptions.ts';
import { listMonitors } from '../../server/store/monitors/monitor-list.ts';
import { dashboardSummary } from '../../server/store/monitors/monitor-summary.ts';
import { findMonitor } from '../../server/store/monitors/monitors.ts';
import { findStatusPage } from '../../server/store/publishing/status-pages.ts';
import { migrate } from '../../server/store/schema/migrate.ts';
import { MIGRATIONS, type SchemaChange } from '../../server/store/schema/migrations/index.ts';
import { type Database, DATABASES, hasDatabase } from '../kit/databases/database.ts';
import { everyRow } from '../kit/databases/every-row.ts';
import { execute, formerDatabase } from '../kit/databases/former-database.ts';
import { rawDatabase } from '../kit/databases/raw-database.ts';
import { checkOf, claimOne, DAY, endingSoon, NOW, recordCheck, watch } from './samples.ts';

describe.each(DATABASES.filter(hasDatabase))('a database of schema level 20 (%s)', (name) => {
  it('keeps every row of every table when it is migrated to level 21', async () => {
    const database = await formerDatabase(name);
    const before = await rowsIn(database);
    expect(before['kysely_migration']).toHaveLength(17);
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);

    await migrateWith(database, {});
    const { kysely_migration: migrations, ...after } = await rowsIn(database);
    expect(migrations).toEqual([expect.stringContaining('0021-initial-schema')]);
    expect({ ...after, kysely_migration: before['kysely_migration'] }).toEqual(before);

    // A second start finds nothing to migrate.
    await migrateWith(database, {});
    expect((await rowsIn(database))['kysely_migration']).toEqual(migrations);
  });

  it('can be read, searched, checked and exported after its migration to level 21', async () => {
    const store = await (await formerDatabase(name)).open();
    const { id: alice } = await store.db
      .selectFrom('accounts')
      .select('id')
      .where('email', '=', 'alice@example.com')
      .executeTakeFirstOrThrow();
    const found = async (q: string) => {
      const query = { accountId: alice, q, page: 1, pageSize: 50, sort: 'name' as const, now: NOW };
      return (await listMonitors(store, query)).monitors.map(({ host }) => host);
    };
    const hosts = ['alice.example', 'xn--bcher-kva.example', 'pending.example'];
    expect(await found('')).toEqual(hosts);
    expect(await found('büro')).toEqual(['xn--bcher-kva.example']);
    const { counts, onSchedule } = await dashboardSummary(store, { accountId: alice, now: NOW + DAY });
    expect({ counts, onSchedule }).toMatchObject({ counts: { pending: 1 }, onSchedule: { critical: 1 } });
    expect(await findStatusPage(store, alice)).toMatchObject({ slug: 'status-of-alice' });
    expect(await acceptsOldLinks(store, alice, NOW + 89 * DAY)).toBe(true);
    expect(await acceptsOldLinks(store, alice, NOW + 91 * DAY)).toBe(false);

    const watched = store.db.selectFrom('monitors').select('id').where('host', '=', 'alice.example');
    const { id: monitorId } = await watched.executeTakeFirstOrThrow();
    const key = { accountId: alice, monitorId };
    expect(await findMonitor(store, key)).toMatchObject({ uptime: 'down', verdict: { reached: false } });
    expect((await uptimeHistory(store, { ...key, now: NOW + 2 * DAY }))?.checks).toHaveLength(3);

    const pending = await claimOne(store, NOW);
    expect(pending).toMatchObject({ host: 'pending.example' });
    await recordCheck(store, checkOf(pending, NOW, [endingSoon()]));
    const incidents = store.db
      .selectFrom('incident_members')
      .select('problem')
      .where('monitor_id', '=', pending.id);
    expect(await incidents.execute()).toEqual([{ problem: 'expiry' }]);
    await watch(store, alice, 'new.example');
    expect(await found('')).toEqual([...hosts.slice(0, 2), 'new.example', ...hosts.slice(2)]);

    expect(await exportProfile(store, alice)).toMatchObject({ email: 'alice@example.com', had_trial: true });
    const account = { id: alice, email: 'alice@example.com' };
    const parts = exportAccountData(store, account, { now: NOW, targetOf: () => '' });
    for (const [part, rows] of Object.entries(parts))
      // A database of that level has no renewals.
      if (part !== 'renewals') expect((await Array.fromAsync(rows)).length, part).toBeGreaterThan(0);
  });

  it.each([
    ['alter table feedback drop column premium', 'feedback.premium is missing'],
    ['alter table feedback add column mood text', 'feedback.mood is unknown'],
    ['drop table alarms', 'the table alarms is missing'],
    [
      'alter table alarms drop column told_at; alter table alarms add column told_at text',
      /alarms\.told_at is text instead of (?:bigint|int8);?/,
    ],
    [
      "alter table alarms drop column detail; alter table alarms add column detail varchar(9) default ''",
      /alarms\.detail is varchar\S* instead of text not null/,
    ],
    [
      'drop table alarms; drop table glances; drop table jwks; drop table rate_limits; drop table verification',
      /missing; [^;]* missing; [^;]* missing \(and 2 more\)\. Undo these changes/,
    ],
  ])('is refused and left unchanged if somebody edited its schema: %s', async (change, line) => {
    const database = await formerDatabase(name);
    await execute(database, change);
    const before = await rowsIn(database);
    await expect(database.open()).rejects.toMatchObject({
      code: 'unexpected_schema',
      message: expect.stringMatching(line) as string,
    });
    expect(await rowsIn(database)).toEqual(before);
  });

  it('is migrated even if it also has tables of another program', async () => {
    const database = await formerDatabase(name);
    await execute(database, 'create table others (id integer)');
    await database.open();
    expect((await rowsIn(database))['others']).toEqual([]);
  });

  it('is refused with older_database by a program that may not migrate it', async () => {
    const database = await formerDatabase(name);
    await expect(database.open({ mayMigrate: false })).rejects.toMatchObject({ code: 'older_database' });
    expect((await rowsIn(database))['kysely_migration']).toHaveLength(17);
  });

  it('is migrated to level 21 and further in one transaction, which rolls back if a migration fails', async () => {
    const database = await formerDatabase(name);
    const failing: SchemaChange = { up: () => Promise.reject(new Error('No.')), breaking: false };
    await expect(migrateWith(database, { '0023-failing': failing })).rejects.toThrow('No.');
    expect((await rowsIn(database))['kysely_migration']).toHaveLength(17);

    const up: SchemaChange['up'] = async (db) =>
      db.schema.alterTable('feedback').addColumn('mood', 'text').execute();
    await migrateWith(database, { '0023-moods': { up, breaking: true } });
    const after = await rowsIn(database);
    expect(after['kysely_migration']?.map((row) => row.slice(0, 20))).toEqual([
      '{"name":"0021-initia',
      '{"name":"0023-moods"',
    ]);
    expect(after['feedback']?.[0]).toContain('"mood":null');
    expect(after['oldest_program']).toEqual(['{"level":23}']);
  });

  it('is refused as newer_database if it has an unknown migration', async () => {
    const database = await formerDatabase(name);
    await execute(database, `insert into kysely_migration (name, timestamp) values ('0021-other', '')`);
    await expect(database.open()).rejects.toMatchObject({
      code: 'newer_database',
      message: expect.stringContaining('newer version of this program (0021-other)') as string,
    });
  });
});

describe.each(DATABASES.filter(hasDatabase))('a database below schema level 20 (%s)', (name) => {
  it.each([
    [19, '0020'],
    [16, '0019'],
    [1, '0002'],
  ])('is refused with instructions for reaching level 20 (level %i)', async (level, from) => {
    const database = await formerDatabase(name);
    await execute(database, `delete from kysely_migration where name >= '${from}'`);
    const before = await rowsIn(database);
    for (const mayMigrate of [true, false])
      await expect(database.open({ mayMigrate })).rejects.toMatchObject({
        code: 'too_old_database',
        message: expect.stringMatching(
          new RegExp(
            `^The database [^\\n]* is at level ${level}, but [^\\n]* Start commit [0-9a-f]{40} [^\\n]*Then start this version again\\.$`,
          ),
        ) as string,
      });
    expect(await rowsIn(database)).toEqual(before);
  });
});

describe.skipIf(!hasDatabase('postgres'))('a database of schema level 20 on a PostgreSQL server', () => {
  it('is migrated once when five stores are opened at the same time', async () => {
    const database = await formerDatabase('postgres');
    const stores = await Promise.all(Array.from({ length: 5 }, () => database.open()));
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(
      stores[0]?.db ?? expect.fail(),
    );
    expect(rows.filter((row) => row.name.startsWith('0021-'))).toHaveLength(1);
    expect(rows.filter((row) => row.name < '0021')).toEqual([]);
  });

  it('is migrated in the schema that search_path names, and no temporary schema is left behind', async () => {
    const database = await formerDatabase('postgres');
    await execute(database, 'alter schema public rename to ours; create schema public');
    const url = `${database.databaseUrl}?options=-c%20search_path%3Dours`;
    const db = rawDatabase({ ...database, databaseUrl: url });
    onTestFinished(() => db.destroy());
    await migrate(db, { dialect: 'postgres', name: 'The database' });
    const { rows } = await sql<{ name: string }>`select nspname as name from pg_namespace
      where nspname !~ '^pg_' and nspname <> 'information_schema' order by 1`.execute(db);
    expect(rows.map((row) => row.name)).toEqual(['ours', 'public']);
    const path = await sql<{ search_path: string }>`show search_path`.execute(db);
    expect(path.rows).toEqual([{ search_path: 'ours' }]);
    expect(await db.selectFrom('accounts').select('id').execute()).toHaveLength(2);
  });

  it('is refused if its user may not create a schema; the error names the missing right', async () => {
    const database = await formerDatabase('postgres');
    const role = `certlantern_test_${randomBytes(8).toString('hex')}`;
    await execute(
      database,
      `create role ${role} login password '${role}'; grant all on schema public to ${role};
       grant all on all tables in schema public to ${role}`,
    );
    onTestFinished(() => execute(database, `drop owned by ${role}; drop role ${role}`));
    const limited = new URL(database.databaseUrl ?? '');
    limited.username = role;
    limited.password = role;
    const db = rawDatabase({ ...database, databaseUrl: limited.href });
    const refusal = migrate(db, { dialect: 'postgres', name: 'The database' });
    await expect(refusal).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('run "grant create on database … to …", then start again') as string,
    });
    await db.destroy();
    expect((await rowsIn(database))['kysely_migration']).toHaveLength(17);
  });
});

/** Migrates as a program does that knows only the initial schema and these changes. */
async function migrateWith(database: Database, more: Record<string, SchemaChange>): Promise<void> {
  const db = rawDatabase(database);
  const initial = { '0021-initial-schema': MIGRATIONS['0021-initial-schema'] ?? expect.fail() };
  const changes = { ...initial, ...more };
  try {
    await migrate(db, { dialect: database.name, name: 'The database', upTo: 9999, changes });
  } finally {
    await db.destroy();
  }
}

async function rowsIn(database: Database): Promise<Record<string, string[]>> {
  const db = rawDatabase(database);
  try {
    return await everyRow(db);
  } finally {
    await db.destroy();
  }
}
