import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { SQLITE_FILE } from '../../server/store/db/dialect.ts';
import { restoreBackup } from '../../server/store/operations/copy/restore.ts';
import { startApp, temporaryFolder } from '../kit/product/app.ts';
import {
  ANY_DATABASE,
  type Database,
  type DatabaseName,
  DATABASES,
  freshDatabase,
  hasDatabase,
  untilDisconnected,
} from '../kit/databases/database.ts';
import { fillEveryTable } from '../kit/databases/every-table.ts';
import { execute, formerDatabase } from '../kit/databases/former-database.ts';
import { sendTo, signIn, signUp } from '../kit/product/people.ts';
import { mailStates, rawDatabase } from '../kit/databases/raw-database.ts';
import { type RunningScript, runScript, type ScriptResult, startScript } from '../kit/product/run-script.ts';
import { startSmtpSink } from '../kit/peers/smtp-sink.ts';

const PATIENCE = { timeout: 240_000 };
/** All pairs of databases. Without `--everything`, only pairs of different ones. */
const WAYS = DATABASES.flatMap((from) => DATABASES.map((to) => [from, to] as const))
  .filter((way) => way.every(hasDatabase))
  .filter(([from, to]) => from !== to || ANY_DATABASE.length > 1);

describe.each(WAYS)(
  'A backup of a running server (%s), restored into an empty place (%s)',
  PATIENCE,
  (a, b) => {
    it('has all data: people can sign in, and nothing is sent twice', async () => {
      const sink = await startSmtpSink();
      onTestFinished(() => sink.stop());
      const [from, to] = [await fresh(a), await fresh(b, false)];
      const app = await startApp({ ...settings(from), SMTP_URL: sink.url });
      onTestFinished(() => app.kill());
      const alice = await signUp(sendTo(app.url), { name: 'Alice' });
      expect((await alice.ask(CALLS.addDomain, { body: { host: 'shop.example' } })).status).toBe(200);
      // Wait until the outcomes of the confirmation mail and the welcome email are stored. An earlier copy would contain them as waiting.
      await expect.poll(() => mailStates(from)).toEqual(['delivered', 'delivered']);

      const file = join(from.dataDir, 'one.backup');
      const taken = await runScript('scripts/backup.ts', settings(from), file);
      expect(taken).toMatchObject({ code: 0, stderr: '' });
      expect(taken.stdout).toMatch(
        /^Backed up \d+ tables with [\d,]+ rows \(schema level \d+\) into \S+one\.backup /,
      );
      expect(statSync(file).mode & 0o777).toBe(0o600);
      await app.stop();

      const restored = await runScript('scripts/restore.ts', settings(to), file);
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      expect(restored.stdout).toMatch(/^Restored \d+ tables with [\d,]+ rows as of 20\S+ \S+ UTC/);
      const secrets = ({ dataDir }: Database) => readFileSync(join(dataDir, 'secrets.json'), 'utf8');
      expect(secrets(to)).toBe(secrets(from));
      const again = await startApp({ ...settings(to), SMTP_URL: sink.url });
      onTestFinished(() => again.kill());
      const back = await signIn(sendTo(again.url), alice);
      const { data } = (await back.ask(CALLS.listDomains)).ok;
      expect(data.map(({ hostname }) => hostname)).toEqual(['shop.example']);
      // Mails are sent in order, so an old mail would arrive before this one.
      await back.ask(CALLS.sendVerification);
      await expect.poll(() => mailStates(to)).toEqual(Array.from({ length: 3 }, () => 'delivered'));
      expect(sink.ledger).toHaveLength(3);
    });
  },
);

describe.each(DATABASES.filter(hasDatabase))('A backup (%s)', PATIENCE, (name) => {
  it('contains every table unchanged after a restore and a second backup', async () => {
    const file = await backupOfEveryTable(name);
    const to = await fresh(name, false);
    expect((await runScript('scripts/restore.ts', settings(to), file)).code).toBe(0);
    const second = join(to.dataDir, 'second.backup');
    expect((await runScript('scripts/backup.ts', settings(to), second)).code).toBe(0);
    expect(sums(second)).toEqual(sums(file));
    expect(sums(file).every((table) => Number(table['rows']) > 0)).toBe(true);
  });
});

it.each(WAYS)(
  'A backup of schema level 20 (%s) is migrated by the first start after its restore (%s)',
  async (name, into) => {
    const from = await formerDatabase(name);
    const file = join(from.dataDir, 'old.backup');
    expect(await runScript('scripts/backup.ts', settings(from), file)).toMatchObject({
      code: 0,
      stderr: '',
    });
    const to = await fresh(into, false);
    expect(await runScript('scripts/restore.ts', settings(to), file)).toMatchObject({
      code: 0,
      stderr: '',
    });
    const store = await to.open();
    const emails = store.db.selectFrom('accounts').select('email').orderBy('email');
    expect(await emails.execute()).toEqual([{ email: 'alice@example.com' }, { email: 'bob@example.com' }]);
  },
  PATIENCE.timeout,
);

describe.each(ANY_DATABASE.filter(hasDatabase))('A backup file (%s)', PATIENCE, (name) => {
  it('is named after the time, and never overwrites a file', async () => {
    const from = await fresh(name);
    await (await from.open()).close();
    expect((await runScript('scripts/backup.ts', settings(from), from.dataDir)).code).toBe(0);
    const made = readdirSync(from.dataDir).filter((entry) => entry.endsWith('.backup'));
    expect(made).toEqual([expect.stringMatching(/^certlantern-\d{8}T\d{6}Z\.backup$/)]);
    const again = await runScript('scripts/backup.ts', settings(from), join(from.dataDir, made[0] ?? ''));
    expectRefusal(again, /^The file \S+ already exists\. Choose another name\.$/);
    for (const nowhere of [join('no', 'where'), 'nowhere/'])
      expectRefusal(
        await runScript('scripts/backup.ts', settings(from), `${from.dataDir}/${nowhere}`),
        /^There is no folder /,
      );
  });

  it('is not made of a database below schema level 20', async () => {
    const from = await formerDatabase(name);
    await execute(from, `delete from kysely_migration where name > '0008'`);
    const file = join(from.dataDir, 'old.backup');
    expectRefusal(
      await runScript('scripts/backup.ts', settings(from), file),
      /^The database\b.* is at level 7, but .* Start commit [0-9a-f]{40} of the program once/,
    );
    expect(readdirSync(from.dataDir).filter((entry) => entry.includes('backup'))).toEqual([]);
  });

  it('is restored over existing data only with --force', async () => {
    const file = await backupOfEveryTable(name);
    const to = await fresh(name);
    const store = await to.open();
    await sql`insert into suppressions (address, reason, detail, since) values ('a', 'b', 'c', 1)`.execute(
      store.db,
    );
    await store.close();
    await untilDisconnected(to);
    expectRefusal(await runScript('scripts/restore.ts', settings(to), file), /already/);
    const forced = await runScript('scripts/restore.ts', settings(to), file, '--force');
    expect(forced).toMatchObject({ code: 0, stderr: '' });
    const after = rawDatabase(to);
    onTestFinished(() => after.destroy());
    const rows = await after.selectFrom('suppressions').select('address').execute();
    expect(rows.map(({ address }) => address)).not.toContain('a');
    if (name === 'sqlite') {
      const former = /is now (\S+)\.\n/.exec(forced.stdout)?.[1] ?? '';
      expect(query(former, 'select address from suppressions')).toEqual([{ address: 'a' }]);
    }
  });

  it('is not restored while the server runs', async () => {
    const file = await backupOfEveryTable(name);
    const to = await fresh(name);
    const app = await startApp(settings(to));
    onTestFinished(() => app.kill());
    expectRefusal(
      await runScript('scripts/restore.ts', settings(to), file, '--force'),
      name === 'sqlite' ? /^Another process is using DATA_DIR/ : /^Processes of this program are connected/,
    );
  });
});

const MESSAGE = 'feedback.message 1 ';

describe('npm run backup and npm run restore', PATIENCE, () => {
  const text = (path: string) => writeFileSync(path, 'some text, long enough to be looked at '.repeat(200));
  const edited = (statement: string) => (path: string) => {
    const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    db.exec(statement);
    db.close();
  };
  const cut = (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 70_000));
  const flipped = (path: string) => {
    const bytes = readFileSync(path);
    // Change every copy of the message: the file may also have copies in unused pages.
    for (let at = bytes.indexOf(MESSAGE); at !== -1; at = bytes.indexOf(MESSAGE, at + 1))
      bytes[at + MESSAGE.length - 2] = 50;
    writeFileSync(path, bytes);
  };

  it.each([
    ['a text file', text, /is not a complete backup made by “npm run backup”/],
    ['an empty file', (path: string) => writeFileSync(path, ''), /is not a complete backup/],
    ['another database', edited('drop table backup'), /is not a complete backup/],
    ['a truncated backup', cut, /is not a complete backup|is damaged/],
    ['a backup with a changed byte', flipped, /is damaged\. The copy of the table feedback/],
    ['a backup with a missing row', edited('delete from feedback where rowid = 2'), /damaged.*feedback/],
    ['a backup with a changed row', edited(`update user set name = 'Eve'`), /damaged.*user/],
    [
      'a backup below schema level 20',
      edited(`delete from kysely_migration; insert into kysely_migration values ('0008-account-first', '')`),
      /^The backup \S+ is at level 8, but .* Restore it with commit [0-9a-f]{40} of the program, and start that commit once/,
    ],
    [
      'a backup of a newer version',
      edited(`insert into kysely_migration values ('9999-later', '')`),
      /made by a newer version of this program \(9999-later\)/,
    ],
  ])('refuse to restore %s, without changing anything', async (_what, spoil, line) => {
    const file = await backupOfEveryTable('sqlite');
    spoil(file);
    const to = await fresh('sqlite', false);
    expectRefusal(await runScript('scripts/restore.ts', settings(to), file), line);
    expect(readdirSync(to.dataDir).filter((entry) => entry !== 'process.lock')).toEqual([]);
  });

  it('put the old database back if the keys cannot be restored', async () => {
    const file = await backupOfEveryTable('sqlite');
    const to = await fresh('sqlite');
    const store = await to.open();
    await sql`insert into suppressions (address, reason, detail, since) values ('a', 'b', 'c', 1)`.execute(
      store.db,
    );
    await store.close();
    const { dataDir } = to;
    const before = readdirSync(dataDir);
    const restoring = restoreBackup({
      databaseUrl: null,
      dataDir,
      file,
      replace: true,
      now: Date.now(),
      restoreSecrets() {
        throw new Error('disk failure');
      },
    });
    await expect(restoring).rejects.toThrow('disk failure');
    expect(readdirSync(dataDir)).toEqual(before);
    expect(query(join(dataDir, SQLITE_FILE), 'select address from suppressions')).toEqual([{ address: 'a' }]);
  });

  it('leave no incomplete backup or database when they are killed', async () => {
    const from = await fresh('sqlite');
    await (await from.open()).close();
    await fillEveryTable(from.dataDir, 3_000);
    const [file, draft] = [join(from.dataDir, 'x.backup'), join(from.dataDir, 'x.backup.partial')];
    await killHalfway(() => startScript('scripts/backup.ts', settings(from), [file]), {
      draft,
      result: file,
    });
    expect(existsSync(file)).toBe(false);
    const to = await fresh('sqlite', false);
    if (existsSync(draft))
      expectRefusal(await runScript('scripts/restore.ts', settings(to), draft), /is not a complete backup/);
    expect((await runScript('scripts/backup.ts', settings(from), file)).code).toBe(0);
    expect(existsSync(draft)).toBe(false);

    const database = join(to.dataDir, SQLITE_FILE);
    await killHalfway(() => startScript('scripts/restore.ts', settings(to), [file]), {
      draft: `${database}.restoring`,
      result: database,
    });
    expect(existsSync(database)).toBe(false);
    expect((await runScript('scripts/restore.ts', settings(to), file)).code).toBe(0);
    expect(query(database, 'select count(*) as n from monitors')).toEqual([{ n: 3_000 }]);
  });

  it('copy a consistent state while others write', async () => {
    const from = await fresh('sqlite');
    await (await from.open()).close();
    await fillEveryTable(from.dataDir, 2_000);
    const writer = new DatabaseSync(join(from.dataDir, SQLITE_FILE), { timeout: 10_000 });
    writer.exec(
      'create table kysely_migration_lock (a integer, b integer); insert into kysely_migration_lock values (0, 0)',
    );
    const file = join(from.dataDir, 'x.backup');
    // On a busy machine, the backup may end before this process has written anything, so try again.
    for (let writes = 0; writes <= 3;) {
      rmSync(file, { force: true });
      const running = startScript('scripts/backup.ts', settings(from), [file]);
      for (writes = 0; running.process.exitCode === null; writes++) {
        writer.exec('begin immediate; update kysely_migration_lock set a = a + 1');
        writer.exec(
          'update kysely_migration_lock set b = b + 1; update monitors set notes = notes || 1; commit',
        );
        await new Promise(setImmediate);
      }
      expect((await running.ended).code).toBe(0);
    }
    writer.close();
    const [row] = query(file, 'select a, b from kysely_migration_lock');
    expect(row?.['a']).toBe(row?.['b']);
  });

  it.skipIf(!mayMount())('report a full disk in one line', async () => {
    const from = await fresh('sqlite');
    await (await from.open()).close();
    await fillEveryTable(from.dataDir, 2_000);
    const mount = ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m none "$0/small" && exec "$@"'];
    spawnSync('mkdir', [join(from.dataDir, 'small')]);
    const file = join(from.dataDir, 'small', 'x.backup');
    const answer = await startScript('scripts/backup.ts', settings(from), [file], [...mount, from.dataDir])
      .ended;
    expectRefusal(answer, /^There is no space left for \S+x\.backup\. Free some space, then try again\.$/);
  });
});

it.each([
  ['scripts/backup.ts', [], 'Usage: npm run backup -- FILE|FOLDER'],
  ['scripts/backup.ts', ['a', 'b'], 'Usage: npm run backup'],
  ['scripts/restore.ts', [], 'Usage: npm run restore -- FILE [--force]'],
  ['scripts/restore.ts', ['a', '--hard'], "Unknown option '--hard'"],
])('%s explains the invalid command line %j in one line', PATIENCE, async (script, words, line) => {
  const from = await fresh('sqlite');
  const { code, stderr } = await runScript(script, settings(from), ...words);
  expect(code).toBe(2);
  expect(stderr).toContain(line);
  expect(stderr.trimEnd()).not.toContain('\n');
});

/**
 * Kills a script while its draft exists. On a busy machine the script may end before we see the draft; then its result is
 * removed and it is started again.
 */
async function killHalfway(
  start: () => RunningScript,
  { draft, result }: { draft: string; result: string },
): Promise<void> {
  for (let attempts = 0; attempts < 20; attempts++) {
    rmSync(result, { force: true });
    const { process: script, ended } = start();
    await expect.poll(() => existsSync(draft) || script.exitCode !== null, { interval: 2 }).toBe(true);
    const isHalfway = existsSync(draft);
    script.kill('SIGKILL');
    const { code } = await ended;
    if (isHalfway && code === null && !existsSync(result)) return;
  }
  throw new Error('The script always ended before it was killed');
}

function mayMount(): boolean {
  return spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0;
}

async function fresh(name: DatabaseName, migrated = true): Promise<Database> {
  const database = await freshDatabase(name, { migrated });
  onTestFinished(() => database.remove());
  return database;
}

function settings({ dataDir, databaseUrl }: Database): Record<string, string> & { DATA_DIR: string } {
  return { DATA_DIR: dataDir, ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }) };
}

const backups = new Map<DatabaseName, Promise<Buffer>>();

/** Returns a copy, made for this test, of a backup that has rows in every table. */
async function backupOfEveryTable(name: DatabaseName): Promise<string> {
  const made = backups.get(name) ?? makeBackup(name).then((path) => readFileSync(path));
  backups.set(name, made);
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const file = join(folder.path, 'all.backup');
  writeFileSync(file, await made);
  return file;
}

/** A backup from PostgreSQL contains data that was restored there before. */
async function makeBackup(name: DatabaseName): Promise<string> {
  if (name === 'sqlite') {
    const embedded = await fresh('sqlite');
    await (await embedded.open()).close();
    await fillEveryTable(embedded.dataDir, 30);
    const file = join(embedded.dataDir, 'all.backup');
    expect((await runScript('scripts/backup.ts', settings(embedded), file)).stderr).toBe('');
    return file;
  }
  const file = await backupOfEveryTable('sqlite');
  const there = await fresh('postgres', false);
  expect((await runScript('scripts/restore.ts', settings(there), file)).stderr).toBe('');
  const second = join(there.dataDir, 'all.backup');
  expect((await runScript('scripts/backup.ts', settings(there), second)).stderr).toBe('');
  expect(sums(second)).toEqual(sums(file));
  return second;
}

const sums = (file: string) => query(file, 'select name, rows, checksum from backup_tables order by name');

function query(file: string, statement: string): Record<string, unknown>[] {
  const db = new DatabaseSync(file);
  try {
    return db
      .prepare(statement)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

function expectRefusal({ code, stderr }: ScriptResult, line: RegExp): void {
  expect(stderr.trimEnd()).toMatch(line);
  expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, lines: 1 });
}
