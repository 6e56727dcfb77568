import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { enqueueMail, type NewMail } from '../../server/store/mail/mails.ts';
import { type App, startApp, temporaryFolder } from '../kit/product/app.ts';
import {
  ANY_DATABASE,
  type Database,
  DATABASES,
  freshDatabase,
  hasDatabase,
} from '../kit/databases/database.ts';
import { type Person, sendTo, signIn, signUp } from '../kit/product/people.ts';
import { runScript } from '../kit/product/run-script.ts';
import { type SmtpSink, startSmtpSink } from '../kit/peers/smtp-sink.ts';
import { promise } from '../security/promise.ts';

/** Runs the program as `npm run admin` does, with exactly these variables. */
const admin = (env: Record<string, string>, ...words: string[]) =>
  runScript('scripts/admin.ts', env, ...words);

interface Stage {
  database: Database;
  app: App;
  /** Runs the command. @throws if it fails. */
  run: (...words: string[]) => Promise<string>;
  /** Returns the single line with which a command is refused. */
  refusal: (...words: string[]) => Promise<string>;
  person: (name: string) => Promise<Person>;
  end: () => Promise<void>;
}

/** Starts a server, and returns functions that run admin commands on its database. */
async function stage(name: Database['name'], more: Record<string, string> = {}): Promise<Stage> {
  const database = await freshDatabase(name);
  const env = {
    DATA_DIR: database.dataDir,
    ...(database.databaseUrl !== null && { DATABASE_URL: database.databaseUrl }),
    ...more,
  };
  const app = await startApp(env);
  return {
    database,
    app,
    async run(...words) {
      const { code, stdout, stderr } = await admin(env, ...words);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    },
    async refusal(...words) {
      const { code, stdout, stderr } = await admin(env, ...words);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      return stderr;
    },
    person: (who) => signUp(sendTo(app.url), { name: who }),
    async end() {
      await app.kill();
      await database.remove();
    },
  };
}

describe.each(DATABASES.filter(hasDatabase))('npm run admin beside a server (%s)', (name) => {
  it('lists accounts, grants Premium and revokes it', async () => {
    const { run, person, end } = await stage(name);
    onTestFinished(end);
    expect(await run('accounts')).toBe('There are no accounts yet.\n');
    const alice = await person('Alice');
    await person('Bob');
    expect((await run('accounts')).split('\n').map((line) => line.split(/[- ]/)[0])).toEqual([
      'ADDRESS',
      'bob',
      'alice',
      '',
    ]);
    expect(await run('accounts', 'ALICE')).toMatch(
      /^ADDRESS.*\n\S+ +Free +0 +\d{4}-\d\d-\d\d +not confirmed\n$/,
    );
    expect(await run('accounts', 'nobody')).toBe('No address contains nobody.\n');

    const isPremium = async () => (await alice.ask(CALLS.premium)).ok.data;
    expect(await run('grant', alice.email.toUpperCase(), '--days', '30')).toContain('has Premium until 20');
    expect(await isPremium()).toBe(true);
    expect(await run('accounts', 'alice')).toContain('Premium (granted, until 20');
    expect(await run('grant', alice.email)).toContain('has Premium until it is revoked.');
    expect(await run('revoke', alice.email)).toContain('Its plan is now: Free.');
    expect(await isPremium()).toBe(false);
  });
});

describe.each(ANY_DATABASE.filter(hasDatabase))('npm run admin beside a server (%s)', (name) => {
  let server: Stage;
  let sink: SmtpSink;
  beforeAll(async () => {
    sink = await startSmtpSink();
    server = await stage(name, { SMTP_URL: sink.url });
  });
  afterAll(async () => {
    await server.end();
    await sink.stop();
  });

  it('disables, enables and signs out an account', async () => {
    const { run, person, app } = server;
    const alice = await person('Alice');
    const status = async (who: Person) => (await who.ask(CALLS.currentUser)).status;
    await run('disable', alice.email);
    expect(await status(alice)).toBe(401);
    expect((await alice.ask(CALLS.refreshSession)).status).toBe(401);
    expect(await run('accounts')).toContain('disabled');
    await expect(signIn(sendTo(app.url), alice)).rejects.toThrow('account_disabled');

    await run('enable', alice.email);
    const again = await signIn(sendTo(app.url), alice);
    expect(await status(again)).toBe(200);
    await run('sign-out', alice.email);
    expect(await status(again)).toBe(401);
    promise('7.4.5');
  });

  it('lists mails with their state and resends failed ones, without showing their content', async () => {
    const { run, refusal, person, database } = server;
    sink.behave('refuse_recipient');
    onTestFinished(() => sink.behave('accept'));
    const alice = await person('Alice');
    const store = await database.open();
    const enqueue = (content: NewMail['content']) =>
      store.db
        .transaction()
        .execute((trx) =>
          enqueueMail(trx, { accountId: alice.id, recipient: alice.email, content, now: Date.now() }),
        );
    await enqueue({ kind: 'premium_ended', paused: [], source: 'grant' });
    await enqueue({ kind: 'reset_password', url: 'https://x.example/#secret', expiresAt: Date.now() + 1e6 });
    const sent = store.db.selectFrom('mails').select('state').where('recipient', '=', alice.email);
    const states = async () => (await sent.execute()).map(({ state }) => state);
    await expect.poll(states).toEqual(['failed', 'failed', 'failed']);

    const listed = await run('mail', alice.email);
    expect(listed.match(/ failed /g)).toHaveLength(3);
    expect(listed).toMatch(/^ID +WHEN \(UTC\) +WHAT +STATE +TRIES +DETAIL\n/);
    expect(listed).toContain('Premium has ended');
    expect(listed).toContain('550 5.1.1 No such user here');
    expect(listed).not.toContain('secret');
    const idOf = (what: string) =>
      listed
        .split('\n')
        .find((line) => line.includes(what))
        ?.slice(0, 8) ?? '';

    sink.behave('accept');
    expect(await refusal('resend-mail', alice.email, idOf('Reset your'))).toContain('can request a new one');
    expect(await run('resend-mail', alice.email, idOf('Premium has'))).toContain('Resending');
    await sink.waitFor(({ subject }) => subject === 'Your Premium plan has ended');
    expect(await run('resend-mail', alice.email)).toBe(
      `Sending a new verification link to ${alice.email}.\n`,
    );
    const verify = await sink.waitFor(
      ({ subject, to }) => subject === 'Confirm your address' && to.includes(alice.email),
    );
    const token = /verify#(\S+)/.exec(verify.text)?.[1] ?? '';
    expect((await alice.ask(CALLS.verifyEmail, { body: { token } })).status).toBe(200);
    await expect
      .poll(() => run('resend-mail', alice.email))
      .toContain('There are no waiting or failed mails for');
    expect(await refusal('resend-mail', alice.email, idOf('Premium has'))).toContain('is delivered');
    expect(await refusal('resend-mail', alice.email, 'ffffffff')).toContain('has no mail ffffffff');
  });

  it('shows feedback, of Premium accounts first, without control characters', async () => {
    const { run, person } = server;
    expect(await run('feedback')).toBe('There is no feedback yet.\n');
    const [alice, bob] = [await person('Alice'), await person('Bob')];
    await run('grant', bob.email);
    const write = (who: Person, message: string) =>
      who.ask(CALLS.sendFeedback, { body: { title: 'feedback', message } });
    await write(bob, 'First\n\u001b[31mred\u001b[0m \u202eevil\nlast');
    await write(alice, 'Newer, and later in the list');
    const shown = await run('feedback');
    expect(shown).toMatch(/^\[Premium\] \d{4}-\d\d-\d\d \d\d:\d\d UTC {2}Bob <bob-\S+>\n {2}First\n/);
    expect(shown).toContain('\n  last\n\n20');
    expect(shown.endsWith('\n  Newer, and later in the list\n')).toBe(true);
    expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('marks an address as verified', async () => {
    const { run, person } = server;
    const alice = await person('Alice');
    expect(await run('verify', alice.email)).toContain('is verified');
    expect((await alice.ask(CALLS.standing)).ok.data.email_verified).toBe(true);
  });

  it('refuses an unknown address in one line', async () => {
    const { refusal } = server;
    for (const command of ['grant', 'disable', 'mail'])
      expect(await refusal(command, 'nobody@example.com')).toContain(
        'There is no account with the address nobody@example.com.',
      );
  });
});

describe('npm run admin', () => {
  const nowhere = () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    return { DATA_DIR: folder.path };
  };

  it('prints its usage', async () => {
    const { code, stdout } = await admin(nowhere(), '--help');
    expect(code).toBe(0);
    for (const command of [
      'accounts [TEXT]',
      'grant ADDRESS [--days N]',
      'resend-mail ADDRESS [ID]',
      'feedback',
    ])
      expect(stdout).toContain(command);
    expect((await admin(nowhere())).code).toBe(2);
  });

  it.each([
    [['fly'], 'There is no command fly.'],
    [['__proto__'], 'There is no command __proto__.'],
    [['grant'], 'Usage: npm run admin -- grant ADDRESS [--days N]'],
    [['grant', 'a@b.example', 'c@d.example'], 'Usage: npm run admin -- grant'],
    [['grant', 'a@b.example', '--days', 'ten'], '--days must be a whole number'],
    [['grant', 'a@b.example', '--days', '0'], '--days must be a whole number'],
    [['revoke', 'a@b.example', '--days', '3'], 'Usage: npm run admin -- revoke ADDRESS'],
    [['accounts', '--verbose'], "Unknown option '--verbose'"],
  ])('explains the invalid command line %j in one line', async (words, line) => {
    const { code, stdout, stderr } = await admin(nowhere(), ...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(line);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('creates no database if there is none', async () => {
    const env = nowhere();
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await admin(env, 'accounts')).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`There is no database in DATA_DIR ${env.DATA_DIR}.`) as string,
      });
  });
});
