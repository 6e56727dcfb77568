import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { addKumaMonitor, createKumaDatabase } from '../kit/product/kuma-database.ts';
import { startApp } from '../kit/product/app.ts';
import { markVerifiedInDataDir, sendTo, signUp } from '../kit/product/people.ts';
import { type RunningScript, startCommand, startScript } from '../kit/product/run-script.ts';

let folder: string;
/** The database of an Uptime Kuma that keeps running during the import. */
let kuma: DatabaseSync;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'certlantern-import-test-'));
  mkdirSync(join(folder, 'live'));
  kuma = createKumaDatabase(join(folder, 'live', 'kuma.db'));
  const group = addKumaMonitor(kuma, { name: 'Former', type: 'group', active: 0 });
  const tags = { env: 'prod', web: '' };
  addKumaMonitor(
    kuma,
    { name: 'Shop', type: 'http', url: 'https://127.0.0.1:1/', description: 'Ours' },
    tags,
  );
  addKumaMonitor(kuma, {
    name: 'Blog',
    type: 'keyword',
    url: 'https://ann:secret@127.0.0.2:1/?key=secret',
    parent: group,
  });
  addKumaMonitor(kuma, { name: 'Time', type: 'ntp', hostname: 'time.example', port: 123 });
  addKumaMonitor(kuma, { name: 'Phone', type: 'sip-options', hostname: 'sip.example', port: 5060 });
  addKumaMonitor(kuma, {
    name: 'Mail',
    type: 'port',
    hostname: '127.0.0.3',
    port: 587,
    smtp_security: 'starttls',
  });
  addKumaMonitor(kuma, { name: 'Rpc', type: 'grpc-keyword', grpc_url: '127.0.0.4:8443', grpc_enable_tls: 1 });
  addKumaMonitor(kuma, { name: 'Queue', type: 'rabbitmq', rabbitmq_nodes: '["https://127.0.0.5:15671"]' });
});
afterAll(() => {
  kuma.close();
  rmSync(folder, { recursive: true });
});

/** Runs the command directly, as scripts/certlantern.mjs would for a caller in `folder`. One test starts that script itself. */
const importFile = (words: readonly string[], env: Record<string, string> = {}) =>
  answerOf(startScript('scripts/import.ts', { INIT_CWD: folder, ...env }, words));

async function answerOf({ process: child, ended }: RunningScript) {
  onTestFinished(() => void child.kill('SIGKILL'));
  const { code, stdout: out, stderr: errors } = await ended;
  return { code, out, errors };
}

/** The content of every file in a folder, except the locks of SQLite. */
const contents = (name: string) =>
  readdirSync(join(folder, name))
    .filter((file) => !file.endsWith('-shm'))
    .map((file) => [file, readFileSync(join(folder, name, file), 'base64')]);

const PREVIEW = [
  /^Uptime Kuma: 5 hosts, 3 monitors that cannot be imported\. Check intervals and notifications are not carried over\.$/m,
  /^ +1 {2}Former +Skipped\. Cannot be carried over\. A group, not a host$/m,
  /^ +2 {2}127\.0\.0\.1:1 \(status 200-399\) +Will be added$/m,
  /^ +3 {2}https:\/\/127\.0\.0\.2:1\/ +Will be added\. The keyword is not looked for here\. Paused in Uptime Kuma, but checked here$/m,
  /^ +4 {2}Time +Skipped\. Cannot be carried over\. NTP uses no certificate$/m,
  /^ +5 {2}Phone +Skipped\. Cannot be carried over\. We cannot check certificates of SIP$/m,
  /^ +6 {2}smtp:\/\/127\.0\.0\.3:587 +Will be added$/m,
  /^ +7 {2}tls:\/\/127\.0\.0\.4:8443 +Will be added\. Only TLS is checked here, without a gRPC call$/m,
  /^ +8 {2}https:\/\/127\.0\.0\.5:15671 +Will be added$/m,
];

describe('certlantern import', () => {
  it('shows what the monitors of Uptime Kuma become, from its database or a copy, and changes no file', async () => {
    mkdirSync(join(folder, 'with-log'));
    for (const file of ['kuma.db', 'kuma.db-wal'])
      copyFileSync(join(folder, 'live', file), join(folder, 'with-log', file));
    mkdirSync(join(folder, 'alone'));
    kuma.exec(`VACUUM INTO '${join(folder, 'alone', 'kuma.db')}'`);
    for (const name of ['live', 'with-log', 'alone']) {
      const before = contents(name);
      const { code, out, errors } = await importFile([join(name, 'kuma.db')]);
      expect([code, errors]).toEqual([0, '']);
      for (const line of PREVIEW) expect(out).toMatch(line);
      expect(out).toMatch(
        /^5 domains can be added\. Set CERTLANTERN_URL and CERTLANTERN_TOKEN to add them\.$/m,
      );
      expect(out).not.toContain('secret');
      expect(contents(name)).toEqual(before);
    }
  });

  it('adds the hosts to an account after a preview, with --yes, and adds none twice', async () => {
    const DATA_DIR = join(folder, 'data');
    const app = await startApp({ DATA_DIR, BILLING: 'none', EGRESS_ALLOW_CIDRS: '127.0.0.0/8' });
    onTestFinished(() => app.kill());
    const person = await signUp(sendTo(app.url), { name: 'Bob' });
    await markVerifiedInDataDir(DATA_DIR, person.id);
    const makeToken = async (...scopes: ('read' | 'write')[]) => {
      const body = { name: 'import', scopes, expires_in_days: 1 };
      return (await person.ask(CALLS.makeToken, { body })).ok.data.secret;
    };
    const env = { CERTLANTERN_URL: app.url, CERTLANTERN_TOKEN: await makeToken('read', 'write') };
    const listed = async () => (await person.ask(CALLS.listDomains, { query: { sort: 'name' } })).ok.data;

    const preview = await importFile(['live/kuma.db'], env);
    expect(preview).toMatchObject({ code: 0, errors: '' });
    for (const line of PREVIEW) expect(preview.out).toMatch(line);
    expect(preview.out).toMatch(/Add --yes to add them without a question\. Nothing was added\.\n$/);
    expect(await listed()).toEqual([]);

    const added = await importFile(['live/kuma.db', '--yes'], env);
    expect(added).toMatchObject({ code: 0, errors: '' });
    expect(added.out).toMatch(/^5 of 5 domains added\.$/m);
    const domains = await listed();
    expect(domains.map(({ protocol, hostname, port }) => `${protocol} ${hostname}:${port}`)).toEqual([
      'https 127.0.0.1:1',
      'https 127.0.0.2:1',
      'smtp 127.0.0.3:587',
      'tls 127.0.0.4:8443',
      'https 127.0.0.5:15671',
    ]);
    expect(domains[0]).toMatchObject({ tags: ['env: prod', 'web'], notes: 'Shop\nOurs' });

    const again = await importFile(['live/kuma.db', '--yes'], env);
    expect(again).toMatchObject({ code: 0 });
    expect(again.out).toContain('Already tracked');
    expect(again.out).toMatch(/There is nothing to add\.\n$/);

    const reader = await importFile(['live/kuma.db'], {
      ...env,
      CERTLANTERN_TOKEN: await makeToken('write'),
    });
    expect(reader).toMatchObject({ code: 1, errors: expect.stringContaining('status 403') });
  });

  it('also reads the tables of older versions, and lists of hosts', async () => {
    const old = createKumaDatabase(join(folder, 'old.db'));
    for (const column of ['smtp_security', 'ip_family', 'rabbitmq_nodes', 'expected_tls_alert'])
      old.exec(`ALTER TABLE monitor DROP COLUMN ${column}`);
    old.exec('DROP TABLE monitor_tag');
    addKumaMonitor(old, { name: 'IMAP', type: 'port', hostname: 'mail.example', port: 993 });
    old.close();
    const { out } = await answerOf(startCommand(folder, 'import', 'old.db'));
    expect(out).toMatch(/^ +1 {2}mail\.example:993 +Will be added$/m);
    writeFileSync(join(folder, 'hosts.csv'), 'sep=;\nhost;port\na.example;8443\n');
    expect((await importFile(['hosts.csv'])).out).toMatch(
      /^CSV: 1 host\.\n\n +3 {2}a\.example:8443 +Will be added$/m,
    );
  });

  it('carries over accepted statuses, unless the request of the monitor has headers or a password', async () => {
    const own = createKumaDatabase(join(folder, 'own.db'));
    const web = { name: 'Web', type: 'http', url: 'https://a.example' };
    addKumaMonitor(own, web);
    addKumaMonitor(own, { ...web, headers: '{"Authorization":"secret"}' });
    addKumaMonitor(own, { ...web, auth_method: 'basic' });
    own.close();
    const { out } = await importFile(['own.db']);
    expect(out).toMatch(/^ +1 {2}a\.example \(status 200-399\) +Will be added$/m);
    expect(out).toMatch(
      /^ +2 {2}https:\/\/a\.example +Will be added\. Its accepted statuses are not carried over/m,
    );
    expect(out).toMatch(/^ +3 {2}https:\/\/a\.example +Duplicate of line 2$/m);
    expect(out).not.toContain('secret');
  });

  it('tells two servers of one host apart without asking the product', async () => {
    writeFileSync(
      join(folder, 'targets.csv'),
      'host,connect_to\na.example,10.0.0.7\na.example,\na.example,a b\n',
    );
    const { out } = await importFile(['targets.csv']);
    expect(out).toMatch(/^ +2 {2}a\.example via 10\.0\.0\.7 +Will be added$/m);
    expect(out).toMatch(/^ +3 {2}a\.example +Will be added$/m);
    expect(out).toMatch(/^ +4 {2}a\.example +Not a valid host\. Connect to: /m);
  });

  it('reads no views, which could run without end', async () => {
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';
    const hostile = createKumaDatabase(join(folder, 'view.db'));
    hostile.exec(`DROP TABLE monitor;
      CREATE VIEW monitor AS ${endless} SELECT i AS id, 'http' AS type, 'https://a.example' AS url FROM n`);
    hostile.close();
    const { code, errors } = await importFile(['view.db']);
    expect([code, errors]).toEqual([64, expect.stringContaining('it has no table of monitors')]);
    const tagged = createKumaDatabase(join(folder, 'view-tag.db'));
    addKumaMonitor(tagged, { name: 'Web', type: 'http', url: 'https://a.example' });
    tagged.exec(`DROP TABLE monitor_tag;
      CREATE VIEW monitor_tag AS ${endless} SELECT 1 AS monitor_id, i AS tag_id, '' AS value FROM n`);
    tagged.close();
    expect((await importFile(['view-tag.db'])).out).toContain('1 domain can be added');
  });

  it('reads monitors whose numbers are larger than JavaScript can hold', async () => {
    const large = createKumaDatabase(join(folder, 'large.db'));
    large.exec(`INSERT INTO monitor (id, name, type, active) VALUES (9007199254740993, 'Group', 'group', 0)`);
    large.exec(`INSERT INTO monitor (id, name, type, url, parent, interval)
      VALUES (9007199254740995, 'Web', 'http', 'https://a.example', 9007199254740993, 1)`);
    large.exec(`INSERT INTO tag (id, name, color) VALUES (9007199254740997, 'web', '#4B5563')`);
    large.exec('INSERT INTO monitor_tag (monitor_id, tag_id) VALUES (9007199254740995, 9007199254740997)');
    large.close();
    const { code, out } = await importFile(['large.db']);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^ +2 {2}a\.example \(status 200-399\) +Will be added\. Paused in Uptime Kuma, but checked here$/m,
    );
  });

  it('refuses other files and an invalid command line with the reason', async () => {
    const empty = createKumaDatabase(join(folder, 'other.db'));
    empty.exec('DROP TABLE monitor');
    empty.close();
    writeFileSync(join(folder, 'damaged.db'), `SQLite format 3\0${'x'.repeat(4_000)}`);
    writeFileSync(join(folder, 'image'), Buffer.from('89504e470d0a1a0a0000', 'hex'));
    for (const [words, message] of [
      [['other.db'], 'it has no table of monitors'],
      [['damaged.db'], 'damaged.db cannot be read'],
      [['image'], 'is neither a database of Uptime Kuma nor text'],
      [['missing.db'], 'missing.db cannot be read (ENOENT)'],
      [['live'], 'live cannot be read (EISDIR)'],
      [['old.db', '--yes'], 'Set CERTLANTERN_URL and CERTLANTERN_TOKEN'],
      [['old.db', '--nope'], 'nope'],
      [[], 'Name one file'],
    ] as const) {
      const { code, out, errors } = await importFile(words);
      expect([code, out, errors]).toEqual([64, '', expect.stringContaining(message)]);
    }
  });
});
