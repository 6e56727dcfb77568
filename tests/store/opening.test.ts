import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SQLITE_FILE } from '../../server/store/db/dialect.ts';
import { openStore } from '../../server/store/db/open-store.ts';
import { StoreError } from '../../server/store/db/store-error.ts';
import { freePort } from '../kit/product/app.ts';
import {
  type Database,
  type DatabaseName,
  DATABASES,
  freshDatabase,
  hasDatabase,
} from '../kit/databases/database.ts';
import { formerDatabase } from '../kit/databases/former-database.ts';
import { rawDatabase } from '../kit/databases/raw-database.ts';
import { person } from './samples.ts';

describe.each(DATABASES.filter(hasDatabase))('opening the store (%s)', (name) => {
  it('creates the tables once and keeps existing data', async () => {
    const database = await fresh(name, false);
    const first = await database.open();
    await person(first, 'alice');
    await first.close();
    const second = await database.open();
    expect(await second.db.selectFrom('accounts').select('email').execute()).toEqual([
      { email: 'alice@example.com' },
    ]);
  });

  it('rolls back a migration that fails', async () => {
    const database = await fresh(name, false);
    const inTheWay = rawDatabase(database);
    await inTheWay.schema.createTable('verification').addColumn('id', 'text').execute();
    await expect(database.open()).rejects.toThrow(/verification/);
    expect((await inTheWay.introspection.getTables()).map((table) => table.name)).toEqual(['verification']);
    await inTheWay.schema.dropTable('verification').execute();
    await inTheWay.destroy();
    await database.open();
  });
});

describe.each(DATABASES.filter(hasDatabase))('the id of the database (%s)', (name) => {
  it('is the same for all processes that open a new database at once, and after a restart', async () => {
    const database = await fresh(name, false);
    // Only one process at a time can open an embedded database.
    const count = name === 'sqlite' ? 1 : 5;
    const stores = await Promise.all(Array.from({ length: count }, () => database.open()));
    const [id] = stores.map((store) => store.id);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(stores.map((store) => store.id)).size).toBe(1);
    await Promise.all(stores.map((store) => store.close()));
    expect((await database.open({ expectedId: id ?? '' })).id).toBe(id);
  });

  it('makes the server refuse an empty database where there was one with data, and leave it unchanged', async () => {
    const database = await fresh(name, false);
    await expect(database.open({ expectedId: 'a' })).rejects.toMatchObject({
      code: 'lost_database',
      message: expect.stringMatching(/ is empty, but DATA_DIR \S+ .*restore a backup .*delete database-id/),
    });
    expect(existsSync(join(database.dataDir, SQLITE_FILE))).toBe(false);
    if (name === 'sqlite') {
      writeFileSync(join(database.dataDir, SQLITE_FILE), '');
      await expect(database.open({ expectedId: 'a' })).rejects.toMatchObject({ code: 'lost_database' });
      expect(statSync(join(database.dataDir, SQLITE_FILE)).size).toBe(0);
    }
    // An SQLite file may have no tables either.
    const raw = rawDatabase(database);
    onTestFinished(() => raw.destroy());
    await sql`create table of_another_program (id integer)`.execute(raw);
    await expect(database.open({ expectedId: 'a' })).rejects.toMatchObject({ code: 'lost_database' });
    expect((await raw.introspection.getTables()).map((table) => table.name)).toEqual(['of_another_program']);
  });

  it('makes the server and the tools refuse a database with another id', async () => {
    const database = await fresh(name, false);
    const store = await database.open();
    await store.close();
    for (const mayMigrate of [true, false])
      await expect(database.open({ expectedId: 'a', mayMigrate })).rejects.toMatchObject({
        code: 'other_database',
        message: expect.stringContaining(
          `its id is ${store.id}, but DATA_DIR ${database.dataDir} belongs to a `,
        ),
      });
  });

  it('is set, not refused, in a database that was created before databases had ids', async () => {
    const database = await formerDatabase(name);
    expect((await database.open({ expectedId: 'a' })).id).toBe('a');
  });
});

describe('opening SQLite', () => {
  it.skipIf(process.platform === 'win32')(
    'creates files that only their owner can read, even in a folder that everybody can read',
    async () => {
      const database = await fresh('sqlite', false);
      chmodSync(database.dataDir, 0o755);
      const store = await database.open();
      await person(store, 'alice');
      const files = readdirSync(database.dataDir).filter((file) => file.startsWith(SQLITE_FILE));
      expect(files.toSorted()).toEqual(['', '-shm', '-wal'].map((end) => SQLITE_FILE + end));
      for (const file of files) expect(statSync(join(database.dataDir, file)).mode & 0o777, file).toBe(0o600);
    },
  );

  it('refuses a file that is not a database', async () => {
    const database = await fresh('sqlite', false);
    writeFileSync(
      join(database.dataDir, SQLITE_FILE),
      'not a database, but long enough to look at'.repeat(99),
    );
    await expect(database.open()).rejects.toMatchObject({
      code: 'unusable_file',
      message: expect.stringContaining(`DATA_DIR ${database.dataDir}`),
    });
  });
});

describe.skipIf(!hasDatabase('postgres'))('opening PostgreSQL', () => {
  it('succeeds for five stores that are opened at the same time', async () => {
    const database = await fresh('postgres', false);
    const stores = await Promise.all(Array.from({ length: 5 }, () => database.open()));
    expect(await stores[0]?.db.selectFrom('accounts').selectAll().execute()).toEqual([]);
  });

  it('reports DATABASE_URL and the reason, never the password', async () => {
    const { databaseUrl } = await fresh('postgres', false);
    const wrongPassword = new URL(databaseUrl ?? '');
    wrongPassword.password = 's3cret';
    await expectRefusal(wrongPassword, 'refused', /DATABASE_URL: 127\.0\.0\.1:\d+\/.*password/);
    const noSuchDatabase = new URL(databaseUrl ?? '');
    noSuchDatabase.pathname = '/nowhere';
    await expectRefusal(noSuchDatabase, 'refused', /"nowhere" does not exist/);
  });
});

describe('an unusable PostgreSQL server', () => {
  it('is reported as unreachable after the last connection attempt', async () => {
    const url = new URL(`postgres://alice:s3cret@127.0.0.1:${await freePort()}/certs`);
    await expectRefusal(
      url,
      'unreachable',
      /DATABASE_URL: no PostgreSQL answers at 127.0.0.1:\d+\/certs .*ECONNREFUSED/,
    );
  });

  it('is retried while it starts up, then refused if its version is below 15', async () => {
    const server = await oldServer();
    const url = new URL(`postgres://alice:s3cret@127.0.0.1:${server.port}/certs`);
    await expectRefusal(url, 'server_too_old', /PostgreSQL 14; version 15 or newer/, 3);
    expect(server.connections()).toBe(2);
  });
});

async function fresh(name: DatabaseName, migrated: boolean): Promise<Database> {
  const database = await freshDatabase(name, { migrated });
  onTestFinished(() => database.remove());
  return database;
}

async function expectRefusal(url: URL, code: string, message: RegExp, connectAttempts = 1): Promise<void> {
  const said: unknown[] = [];
  const log = { warn: (...line: unknown[]) => said.push(line) };
  const error = await openStore({
    databaseUrl: url.href,
    dataDir: '/',
    connectAttempts,
    log,
    onWaiting: (place) => said.push(place),
  }).catch((refusal: unknown) => refusal);
  expect(error).toBeInstanceOf(StoreError);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  expect(String(error)).not.toMatch(/\n/);
  expect(JSON.stringify([said, String(error)])).not.toContain(url.password);
}

/**
 * Starts a server that speaks just enough of the protocol: it tells the first connection that it is starting up, and later
 * ones that it is version 14.
 */
async function oldServer(): Promise<{ port: number; connections(): number }> {
  let connections = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('error', () => undefined));
    connections += 1;
    if (connections === 1) {
      socket.end(message('E', fields({ S: 'FATAL', C: '57P03', M: 'the database system is starting up' })));
      return;
    }
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), READY]));
      socket.on('data', () => socket.write(Buffer.concat([ROW_DESCRIPTION, DATA_ROW, COMPLETE, READY])));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, connections: () => connections };
}

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
function fields(values: Record<string, string>): Buffer {
  return Buffer.from(
    `${Object.entries(values)
      .map(([key, value]) => `${key}${value}\0`)
      .join('')}\0`,
  );
}
const READY = message('Z', Buffer.from('I'));
const COMPLETE = message('C', Buffer.from('SHOW\0'));
const ROW_DESCRIPTION = message(
  'T',
  Buffer.concat([
    Buffer.from([0, 1]),
    Buffer.from('server_version_num\0'),
    // Table, column, type (25 is text), its length, its modifier, text format.
    Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]),
  ]),
);
const DATA_ROW = message('D', Buffer.concat([Buffer.from([0, 1, 0, 0, 0, 6]), Buffer.from('140012')]));
