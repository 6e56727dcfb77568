import { type Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  databaseLevel,
  isUpToDate,
  migrate,
  type MigrateOptions,
} from '../../server/store/schema/migrate.ts';
import { MIGRATIONS, PROGRAM_LEVEL, type SchemaChange } from '../../server/store/schema/migrations/index.ts';
import { postgresDialect, refuseNewer } from '../../server/store/db/postgres-connection.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import {
  type Database,
  type DatabaseName,
  DATABASES,
  freshDatabase,
  hasDatabase,
  untilDisconnected,
} from '../kit/databases/database.ts';
import { rawDatabase } from '../kit/databases/raw-database.ts';
import { person } from './samples.ts';

const additive: SchemaChange = {
  up: async (db) => db.schema.createTable('novelties').addColumn('id', 'text').execute(),
  breaking: false,
};
const breaking: SchemaChange = {
  up: async (db) => db.schema.alterTable('feedback').renameTo('letters').execute(),
  breaking: true,
};

/** Migrates the database as a later version of the program with these additional changes does. */
async function updateWith(
  database: Database,
  more: Record<string, SchemaChange>,
  options: Partial<MigrateOptions> = {},
): Promise<void> {
  const db = rawDatabase(database);
  const changes = { ...MIGRATIONS, ...more };
  try {
    await migrate(db, { dialect: database.name, name: 'The database', upTo: 9999, changes, ...options });
  } finally {
    await db.destroy();
  }
}

describe.each(DATABASES.filter(hasDatabase))('migrations after the initial schema (%s)', (name) => {
  it('run in order and raise the schema level; a breaking one also raises the oldest version that may connect', async () => {
    const database = await fresh(name, { migrated: false });
    const db = rawDatabase(database);
    onTestFinished(() => db.destroy());
    const ran: string[] = [];
    const logged = (change: SchemaChange, label: string): SchemaChange => ({
      ...change,
      up: (trx, dialect) => {
        ran.push(label);
        return change.up(trx, dialect);
      },
    });
    const initial = MIGRATIONS['0021-initial-schema'] ?? expect.fail();
    const changes = {
      '0021-initial-schema': logged(initial, 'initial'),
      '0022-letters': logged(breaking, 'letters'),
      '0023-novelties': logged(additive, 'novelties'),
    };
    const options = { dialect: name, name: 'The database', changes };
    for (const [upTo, level, oldest] of [
      [21, 21, 0],
      [22, 22, 22],
      [23, 23, 22],
    ] as const) {
      expect(await isUpToDate(db, { ...options, upTo })).toBe(false);
      await migrate(db, { ...options, upTo });
      expect(await isUpToDate(db, { ...options, upTo })).toBe(true);
      expect(await databaseLevel(db, options)).toBe(level);
      const { rows } = await sql<{ level: number }>`select level from oldest_program`.execute(db);
      expect(rows).toEqual([{ level: oldest }]);
    }
    expect(ran).toEqual(['initial', 'letters', 'novelties']);
    const { rows } = await sql`select name from kysely_migration order by timestamp`.execute(db);
    expect(rows).toEqual(Object.keys(changes).map((change) => ({ name: change })));
  });
});

describe.each(DATABASES.filter(hasDatabase))(
  'a program whose version differs from the database (%s)',
  (name) => {
    it('runs if all changes that it does not know are additive', async () => {
      const database = await fresh(name);
      await updateWith(database, { '9001-novelties': additive });
      const store = await database.open();
      await person(store, 'alice');
      expect(await names(store, 'accounts')).toEqual([{ id: expect.any(String) as string }]);
    });

    it.each([
      ['9001-letters', { '9001-letters': breaking }],
      ['9002-letters', { '9001-novelties': additive, '9002-letters': breaking }],
      ['9002-novelties', { '9001-letters': breaking, '9002-novelties': additive }],
    ])(
      'fails to start with a one-line error if an unknown change is breaking (%s)',
      async (newest, changes) => {
        const database = await fresh(name);
        await updateWith(database, changes);
        await expect(database.open()).rejects.toMatchObject({
          code: 'newer_database',
          message: expect.stringMatching(new RegExp(`^[^\\n]*newer version[^\\n]*${newest}`)) as string,
        });
      },
    );

    it('refuses an unmigrated database if it may not migrate', async () => {
      const database = await fresh(name, { migrated: false });
      await expect(database.open({ mayMigrate: false })).rejects.toMatchObject({
        code: 'older_database',
        message: expect.stringContaining('Start the server of this version once') as string,
      });
      await (await database.open()).close();
      await database.open({ mayMigrate: false });
    });
  },
);

describe.skipIf(!hasDatabase('postgres'))('a migration while older processes run', () => {
  it.each(['certlantern', `certlantern/${PROGRAM_LEVEL}`])(
    'is refused if it would break them; the error gives their number and address (%s)',
    async (applicationName) => {
      const database = await fresh('postgres');
      const old = await process(database, applicationName);
      await expect(updateWith(database, { '9001-letters': breaking })).rejects.toMatchObject({
        code: 'old_processes',
        message: expect.stringMatching(
          /^[^\n]*\(9001-letters\)[^\n]* 1 connection of such a process is open \(from 127\.0\.0\.1\)\. Stop all of them/,
        ) as string,
      });
      await old.end();
      await untilDisconnected(database);
      await updateWith(database, { '9001-letters': breaking });
    },
  );

  it('runs if it breaks none of them', async () => {
    const database = await fresh('postgres');
    await process(database, 'certlantern/9001');
    await process(database, 'psql');
    await updateWith(database, { '9001-letters': breaking });
    const other = await fresh('postgres');
    const old = await other.open();
    await updateWith(other, { '9001-novelties': additive });
    await person(old, 'alice');
  });

  it('waits until the older processes have ended', async () => {
    const database = await fresh('postgres');
    const old = await process(database, 'certlantern');
    const updating = updateWith(database, { '9001-letters': breaking }, { attempts: 1_000 });
    await expect.poll(() => isProcessWaiting(database)).toBe(true);
    await old.end();
    await updating;
  });

  it('makes a process that starts meanwhile wait, and then refuses it', async () => {
    const database = await fresh('postgres');
    let starting: Promise<unknown> = Promise.resolve();
    await updateWith(database, {
      '9001-letters': {
        breaking: true,
        async up(db) {
          starting = database.open().catch((error: unknown) => error);
          await expect.poll(() => isWaiting(db)).toBe(true);
          await breaking.up(db, 'postgres');
        },
      },
    });
    expect(await starting).toMatchObject({ code: 'newer_database' });
  });

  it('refuses the next connection of an older process that was disconnected meanwhile', async () => {
    const database = await fresh('postgres');
    const lost: Error[] = [];
    const dialect = postgresDialect(database.databaseUrl ?? '', (error) => lost.push(error), {
      check: refuseNewer,
    });
    const cutOff = rawDatabase(database, dialect);
    onTestFinished(() => cutOff.destroy());
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(cutOff);
    const operator = await process(database, 'psql');
    await operator.query('select pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
    await expect.poll(() => lost.length).toBe(1);
    await updateWith(database, { '9001-letters': breaking });
    await expect(sql`select 1`.execute(cutOff)).rejects.toMatchObject({ code: 'newer_database' });
  });

  it('can read the level of each process from the application_name of its connections', async () => {
    const database = await fresh('postgres');
    const store = await database.open();
    const { rows } = await sql<{ name: string; count: number }>`
      select application_name as name, count(*) as count from pg_stat_activity
      where datname = current_database() group by 1`.execute(store.db);
    expect(rows).toEqual([{ name: `certlantern/${PROGRAM_LEVEL}`, count: 2 }]);
  });
});

async function fresh(name: DatabaseName, options: { migrated?: boolean } = {}): Promise<Database> {
  const database = await freshDatabase(name, options);
  onTestFinished(() => database.remove());
  return database;
}

/** Connects to the database with an application name, as a process of the product does. */
async function process({ databaseUrl }: Database, applicationName: string): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl ?? '', application_name: applicationName });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Returns whether a starting process has found older processes and waits. */
async function isProcessWaiting(database: Database): Promise<boolean> {
  const client = await process(database, 'psql');
  const { rows } = await client.query(
    `select 1 from pg_stat_activity where datname = current_database()
      and application_name = $1 and state = 'idle' and query ilike 'rollback%'`,
    [`certlantern/${PROGRAM_LEVEL}`],
  );
  await client.end();
  return rows.length > 0;
}

/** Returns whether any connection waits for a lock. */
async function isWaiting(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_locks where not granted
    and database = (select oid from pg_database where datname = current_database())`.execute(db);
  return rows.length > 0;
}

const names = (store: Store, table: 'accounts') => store.db.selectFrom(table).select('id').execute();
