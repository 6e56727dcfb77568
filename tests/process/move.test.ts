import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { SQLITE_FILE } from '../../server/store/db/dialect.ts';
import { PROGRAM_LEVEL } from '../../server/store/schema/migrations/index.ts';
import type { Tables } from '../../server/store/schema/tables.ts';
import { startApp } from '../kit/product/app.ts';
import {
  type Database,
  type DatabaseName,
  freshDatabase,
  hasDatabase,
  untilDisconnected,
} from '../kit/databases/database.ts';
import { fillEveryTable } from '../kit/databases/every-table.ts';
import { execute, formerDatabase } from '../kit/databases/former-database.ts';
import { sendTo, signIn, signUp } from '../kit/product/people.ts';
import { rawDatabase } from '../kit/databases/raw-database.ts';
import { runScript, type ScriptResult, startScript } from '../kit/product/run-script.ts';

/** Rows per table. The program copies 500 at a time. */
const SEVERAL_BATCHES = 1_200;

describe.skipIf(!hasDatabase('postgres'))('npm run move', () => {
  it('copies every table, prints counts and checksums, and keeps the source', async () => {
    const { from, to, move } = await stage();
    const counts = await fillEveryTable(from.dataDir, SEVERAL_BATCHES);
    expect(counts.get('monitors')).toBe(SEVERAL_BATCHES);
    const { code, stdout, stderr } = await move();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const [table, rows] of counts)
      expect(stdout).toMatch(new RegExp(`^${table} +${rows.toLocaleString('en')}  [0-9a-f]{32}$`, 'm'));
    expect(stdout).toContain(`Moved ${counts.size} tables with `);

    const target = open(to);
    for (const [table, rows] of counts) expect([table, await count(target, table)]).toEqual([table, rows]);
    const { rows } = await sql<{ orphans: number }>`select count(*) as orphans from monitors
      where not exists (select 1 from accounts where accounts.id = monitors.account_id)`.execute(target);
    expect(rows).toEqual([{ orphans: 0 }]);
    const [source] = counted(from, 'monitors');
    expect(source).toBe(SEVERAL_BATCHES);

    const again = await move();
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already contains data') });
  });

  it('keeps sign-ins and domains, and refuses to run beside the server', async () => {
    const { from, to, move } = await stage();
    const env = { DATA_DIR: from.dataDir };
    const first = await startApp(env);
    onTestFinished(() => first.kill());
    const alice = await signUp(sendTo(first.url), { name: 'Alice' });
    expect((await alice.ask(CALLS.addDomain, { body: { host: 'shop.example' } })).status).toBe(200);
    expect(await move()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another process is using DATA_DIR') as string,
    });
    await first.stop();
    expect((await move()).code).toBe(0);

    const second = await startApp({ ...env, DATABASE_URL: to.databaseUrl ?? '' });
    onTestFinished(() => second.kill());
    const again = await signIn(sendTo(second.url), alice);
    const { data } = (await again.ask(CALLS.listDomains)).ok;
    expect(data.map(({ hostname }) => hostname)).toEqual(['shop.example']);
  });

  it('detects a copy that differs from its source, and removes it', async () => {
    const { from, to, move } = await stage();
    await fillEveryTable(from.dataDir, 50);
    const target = open(to);
    await onFeedback(
      target,
      `if new.id like '%feedback.id 7 %' then new.message = new.message || '.'; end if;`,
    );
    expectRefusal(await move(), /^The copy of the table feedback differs from the original \(50 rows, /);
    expect(await tables(target)).toEqual([]);
    await sql`drop event trigger on_feedback`.execute(target);
    expect((await move()).code).toBe(0);
  });

  it('leaves no tables when it is killed, and succeeds when it is run again', async () => {
    const { from, to, move, start } = await stage();
    const counts = await fillEveryTable(from.dataDir, SEVERAL_BATCHES);
    const target = open(to);
    await onFeedback(target, 'perform pg_advisory_xact_lock(1);');
    await target.connection().execute(async (holder) => {
      await sql`select pg_advisory_lock(1)`.execute(holder);
      const running = start();
      await expect.poll(() => states(target)).toEqual(['waits for the lock']);
      running.process.kill('SIGKILL');
      expect((await running.ended).code).toBe(null);
      await sql`select pg_advisory_unlock(1)`.execute(holder);
    });
    await expect.poll(() => states(target)).toEqual([]);
    expect(await tables(target)).toEqual([]);
    await sql`drop event trigger on_feedback`.execute(target);
    expect(counted(from, 'monitors')).toEqual([SEVERAL_BATCHES]);
    expect((await move()).code).toBe(0);
    expect(await count(target, 'monitors')).toBe(counts.get('monitors'));
  });

  it('keeps the id of the database, so that the server accepts PostgreSQL in its place', async () => {
    const { from, to, move } = await stage();
    const store = await from.open();
    await store.close();
    expect((await move()).code).toBe(0);
    expect((await to.open({ expectedId: store.id })).id).toBe(store.id);
  });

  it('moves a database of schema level 20 to level 21', async () => {
    const from = await formerDatabase('sqlite');
    const { to, move } = await stage({ from });
    const { code, stderr } = await move();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { rows } = await sql<{ level: string }>`select max(name) as level from kysely_migration`.execute(
      open(to),
    );
    expect(rows[0]?.level).toMatch(/^0021-/);
    const store = await to.open();
    expect(await store.db.selectFrom('accounts').select('email').orderBy('email').execute()).toEqual([
      { email: 'alice@example.com' },
      { email: 'bob@example.com' },
    ]);
  });

  it('refuses a source or a target below schema level 20', async () => {
    const makeOlder = `delete from kysely_migration where name > '0008'`;
    const line = /^\S.* is at level 7, but .* Start commit [0-9a-f]{40} of the program once/;
    const from = await formerDatabase('sqlite');
    await execute(from, makeOlder);
    const source = await stage({ from });
    expectRefusal(await source.move(), line);
    expect(await tables(open(source.to))).toEqual([]);

    const to = await formerDatabase('postgres');
    await execute(to, makeOlder);
    expectRefusal(await (await stage({ to })).move(), line);
  });

  it('refuses a database that is newer than the program', async () => {
    const { from, to, move } = await stage();
    const db = rawDatabase(from);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(db);
    await db.destroy();
    expectRefusal(await move(), /made by a newer version of this program \(9999-later\)/);
    expect(await tables(open(to))).toEqual([]);
  });

  it('refuses a target that is in use, has data or has tables of another program', async () => {
    const used = await stage({ targetMigrated: true });
    const store = await used.to.open();
    expectRefusal(await used.move(), /^Processes of this program are connected to the database of --to/);
    await sql`insert into suppressions (address, reason, detail, since) values ('a', 'b', 'c', 1)`.execute(
      store.db,
    );
    await store.close();
    await untilDisconnected(used.to);
    expectRefusal(await used.move(), /already contains data \(suppressions\)\. Use an empty one\.$/);

    const foreign = await stage();
    await sql`create table "user" (id integer)`.execute(open(foreign.to));
    expectRefusal(await foreign.move(), /tables of another program with the same names as ours \(user\)/);
  });

  it('accepts a target with empty tables', async () => {
    const { move, from, to } = await stage({ targetMigrated: true });
    await fillEveryTable(from.dataDir, 3);
    expect((await move()).code).toBe(0);
    expect(await count(open(to), 'monitors')).toBe(3);
  });

  it('names the table with text that PostgreSQL cannot store, and prints no password', async () => {
    const { from, to, move } = await stage();
    await fillEveryTable(from.dataDir, 3);
    const file = new DatabaseSync(join(from.dataDir, SQLITE_FILE));
    file.prepare('update feedback set message = ? where rowid = 2').run('a\0b');
    file.close();
    expectRefusal(await move(), /^The table feedback cannot be copied \(invalid byte sequence/);
    const wrong = new URL(to.databaseUrl ?? '');
    wrong.password = 's3cret';
    const answer = await move(wrong.href);
    expectRefusal(
      answer,
      /^--to: 127\.0\.0\.1:\d+\/\S+ refused the connection \(password authentication failed/,
    );
    expect(answer.stderr).not.toContain('s3cret');
  });

  it.each([[[]], [['--to']], [['--to', 'sqlite:x']], [['--to', 'postgres://a/b', 'c']], [['--from', 'x']]])(
    'prints its usage for %j',
    async (words) => {
      const { from } = await stage();
      const { code, stderr } = await runScript('scripts/move.ts', { DATA_DIR: from.dataDir }, ...words);
      expect(code).toBe(2);
      expect(stderr).toMatch(/Usage: npm run move -- --to postgres:\/\/\S+\n$/);
      expect(stderr.trimEnd()).not.toContain('\n');
    },
  );
});

/** Returns the databases of a move: by default an empty store and a database without tables. */
async function stage(given: { from?: Database; to?: Database; targetMigrated?: boolean } = {}) {
  const from = given.from ?? (await fresh('sqlite', true));
  const to = given.to ?? (await fresh('postgres', given.targetMigrated ?? false));
  if (given.from === undefined) await (await from.open()).close();
  const env = { DATA_DIR: from.dataDir };
  const words = (address: string) => ['--to', address];
  return {
    from,
    to,
    move: (address = to.databaseUrl ?? '') => runScript('scripts/move.ts', env, ...words(address)),
    start: () => startScript('scripts/move.ts', env, words(to.databaseUrl ?? '')),
  };
}

async function fresh(name: DatabaseName, migrated: boolean): Promise<Database> {
  const database = await freshDatabase(name, { migrated });
  onTestFinished(() => database.remove());
  return database;
}

function open(database: Database): Kysely<Tables> {
  // Uses another application name: with the product's, the connection would count as a process of the product.
  const db = rawDatabase({ ...database, databaseUrl: `${database.databaseUrl}?application_name=psql` });
  onTestFinished(() => db.destroy());
  return db;
}

function expectRefusal({ code, stderr }: ScriptResult, line: RegExp): void {
  expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, lines: 1 });
  expect(stderr.trimEnd()).toMatch(line);
}

async function count(db: Kysely<Tables>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

function counted({ dataDir }: Database, table: string): unknown[] {
  const db = new DatabaseSync(join(dataDir, SQLITE_FILE));
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  const row = db.prepare(`select count(*) as count from ${table}`).get();
  db.close();
  return Object.values(row ?? {});
}

async function tables(db: Kysely<Tables>): Promise<string[]> {
  return (await db.introspection.getTables({ withInternalKyselyTables: true })).map(({ name }) => name);
}

/** Returns for each connection of the move whether it waits for the advisory lock of the test. */
async function states(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ state: string }>`
    select case wait_event when 'advisory' then 'waits for the lock' else 'runs' end as state from pg_stat_activity
    where datname = current_database() and application_name = ${`certlantern/${PROGRAM_LEVEL}`}`.execute(db);
  return rows.map(({ state }) => state);
}

/** Runs these PL/pgSQL statements for each row that the move is about to insert into the table `feedback`. */
async function onFeedback(target: Kysely<Tables>, statements: string): Promise<void> {
  const row = sql.lit(`begin ${statements} return new; end`);
  // A trigger on the table would be dropped when the move recreates the tables, and would be disabled while it inserts.
  await sql`create function on_feedback() returns event_trigger language plpgsql as $$ begin
    if to_regclass('feedback') is null then return; end if;
    if not exists (select 1 from pg_trigger where tgname = 'on_feedback') then
      create function on_feedback_row() returns trigger language plpgsql as ${row};
      create trigger on_feedback before insert on feedback for each row execute function on_feedback_row();
    elsif exists (select 1 from pg_trigger where tgname = 'on_feedback' and tgenabled = 'D') then
      alter table feedback enable trigger on_feedback;
    end if; end $$`.execute(target);
  await sql`create event trigger on_feedback on ddl_command_end when tag in ('CREATE TABLE', 'ALTER TABLE')
    execute function on_feedback()`.execute(target);
}
