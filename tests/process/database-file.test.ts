import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { readDatabaseId, writeDatabaseId } from '../../server/data-directory.ts';
import { SQLITE_FILE } from '../../server/store/db/dialect.ts';
import { openStore } from '../../server/store/db/open-store.ts';
import { damageTable } from '../kit/databases/damage.ts';
import { fillEveryTable } from '../kit/databases/every-table.ts';
import { runServer, startApp, temporaryFolder } from '../kit/product/app.ts';
import { runScript } from '../kit/product/run-script.ts';
import { promise } from '../security/promise.ts';

const PATIENCE = { timeout: 240_000 };
let dataDir: string;
let database: string;

/** Each test gets the data folder of a stopped server, with rows in every table. */
beforeEach(async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  dataDir = folder.path;
  database = join(dataDir, SQLITE_FILE);
  const store = await openStore({ databaseUrl: null, dataDir });
  await store.close();
  writeDatabaseId(dataDir, store.id ?? expect.fail());
  await fillEveryTable(dataDir, 300);
});

function expectRefusal({ code, stderr }: { code: number | null; stderr: string }, line: RegExp): void {
  expect(stderr.trimEnd()).toMatch(line);
  expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, lines: 1 });
}

it(
  'A server that starts with a damaged database runs, and says so in /api/health and the log',
  PATIENCE,
  async () => {
    damageTable(dataDir, 'payment_events');
    const app = await startApp({ DATA_DIR: dataDir });
    onTestFinished(() => app.kill());
    const health = async () => (await fetch(`${app.url}/api/health`)).json();
    await expect
      .poll(health, PATIENCE)
      .toMatchObject({ code: 'unavailable', detail: expect.stringMatching(/^The database is damaged/) });
    expect((await fetch(`${app.url}/api/health/live`)).status).toBe(200);
    await expect
      .poll(() => app.output(), PATIENCE)
      .toMatch(/"alarm":"database_damaged","detail":"Damaged: payment_events/);
    promise('databases');
  },
);

it(
  'A start with an emptied or another database is refused in one line that says how to go on',
  PATIENCE,
  async () => {
    const start = () => runServer({ DATA_DIR: dataDir, ROLE: 'migrate' });
    const id = readDatabaseId(dataDir);
    const kept = readFileSync(database);
    writeFileSync(database, '');
    expectRefusal(await start(), / is empty, but DATA_DIR .*npm run restore .* delete database-id/);
    writeFileSync(database, kept);
    writeDatabaseId(dataDir, 'another');
    expectRefusal(await start(), /its id is \S+, but DATA_DIR \S+ belongs to another .* delete database-id/);
    rmSync(join(dataDir, 'database-id'));
    expect((await start()).code).toBe(0);
    expect(readDatabaseId(dataDir)).toBe(id);
    promise('databases');
  },
);

it('A start is refused in one line if the id of the database cannot be read', PATIENCE, async () => {
  rmSync(join(dataDir, 'database-id'));
  mkdirSync(join(dataDir, 'database-id'));
  const ended = await runServer({ DATA_DIR: dataDir, ROLE: 'migrate' });
  expectRefusal(ended, /database-id cannot be read \(.*\)\. Make it readable for this user, or delete it/);
});

it('A start is refused in one line if the file with the id of the database is empty', PATIENCE, async () => {
  const file = join(dataDir, 'database-id');
  writeFileSync(file, '\n');
  const start = () => runServer({ DATA_DIR: dataDir, ROLE: 'migrate' });
  expectRefusal(await start(), /database-id is empty\. Restore it from a backup, or delete it to accept any/);
  writeDatabaseId(dataDir, 'another');
  expect(readDatabaseId(dataDir)).toBe('another');
});

it.each([
  ['with a damaged page', () => damageTable(dataDir, 'monitors'), /cannot be read|is damaged/],
  [
    'that another program overwrote',
    () => writeFileSync(database, 'no database '.repeat(1_000)),
    /^The database in DATA_DIR \(\S+\) cannot be read \(file is not a database\)\.$/,
  ],
  ['that was emptied', () => writeFileSync(database, ''), /^There is no database in DATA_DIR /],
])('No backup is made of a database %s, and one line says so', PATIENCE, async (_what, spoil, line) => {
  spoil();
  const before = readdirSync(dataDir);
  const file = join(dataDir, 'x.backup');
  expectRefusal(await runScript('scripts/backup.ts', { DATA_DIR: dataDir }, file), line);
  expect(readdirSync(dataDir)).toEqual(before);
});

it(
  'A restore makes DATA_DIR belong to the restored database, whichever database it belonged to before',
  PATIENCE,
  async () => {
    const id = readDatabaseId(dataDir) ?? '';
    const file = join(dataDir, 'x.backup');
    expect((await runScript('scripts/backup.ts', { DATA_DIR: dataDir }, file)).stderr).toBe('');
    const target = temporaryFolder();
    onTestFinished(() => target.remove());
    writeDatabaseId(target.path, 'another');
    expect((await runScript('scripts/restore.ts', { DATA_DIR: target.path }, file)).stderr).toBe('');
    expect(readDatabaseId(target.path)).toBe(id);
    const restored = new DatabaseSync(join(target.path, SQLITE_FILE));
    onTestFinished(() => restored.close());
    expect(restored.prepare('select id from database_id').all()).toMatchObject([{ id }]);
  },
);
