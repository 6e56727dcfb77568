import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { startApp } from '../kit/product/app.ts';
import { sendTo, signUp } from '../kit/product/people.ts';
import { type RunningScript, startCommand, startScript } from '../kit/product/run-script.ts';
import { silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import { type Peer, startTlsServer } from '../kit/peers/tls-server.ts';
import { promise } from '../security/promise.ts';

const authority = mintAuthority({ commonName: 'Fjord Root' });
const intermediate = authority.intermediate({ commonName: 'Fjord CA 1' });
const leaf = intermediate.issue({ dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
const evil = authority.intermediate({ commonName: 'evil\u001b[31m\u202e\u009b\r\nBcc: all' });
const outdated = evil.issue({
  ipAddresses: ['127.0.0.1'],
  notBefore: Date.now() - 90 * 86_400_000,
  notAfter: Date.now() - 86_400_000 * 2.5,
});

let folder: string;
let good: string;
let cut: string;
let expired: string;
let closed: string;
const running: Peer[] = [];
/** Server names (SNI) that each site was asked for, by the URL of the site. */
const served = new Map<string, (string | null)[]>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'certlantern-cli-'));
  writeFileSync(join(folder, 'root.pem'), authority.certificatePem);
  const serve = async (certificate: typeof leaf): Promise<string> => {
    const peer = await startTlsServer(
      { '*': certificate },
      { serve: (_request, response) => response.end() },
    );
    running.push(peer);
    served.set(`https://127.0.0.1:${peer.port}`, peer.serverNames);
    return `https://127.0.0.1:${peer.port}`;
  };
  good = await serve(leaf);
  cut = await serve({ ...leaf, chainPem: '' });
  expired = await serve(outdated);
  const gone = await startRawPeer(silent);
  closed = `https://127.0.0.1:${gone.port}`;
  await gone.stop();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all(running.map((peer) => peer.stop()));
});

interface Answer {
  code: number | null;
  out: string;
  progress: string;
}

/** Starts a command directly, as scripts/certlantern.mjs would for a caller in `folder`. `startPackaged` starts that script itself. */
const start = (command: string, words: readonly string[], env: Record<string, string> = {}): RunningScript =>
  killedAtTheEnd(startScript(`scripts/${command}.ts`, { INIT_CWD: folder, ...env }, words));
const startPackaged = (...words: string[]): RunningScript => killedAtTheEnd(startCommand(folder, ...words));
function killedAtTheEnd(started: RunningScript): RunningScript {
  onTestFinished(() => void started.process.kill('SIGKILL'));
  return started;
}

const check = (...words: string[]): Promise<Answer> => answerOf(start('check', words));
async function answerOf({ ended }: RunningScript): Promise<Answer> {
  const { code, stdout, stderr } = await ended;
  return { code, out: stdout, progress: stderr };
}

describe('certlantern check', () => {
  it('reports a valid certificate of a CA file in the caller’s folder, and exits with 0', async () => {
    const { code, out, progress } = await answerOf(startPackaged('check', good, '--ca', 'root.pem'));
    expect(code).toBe(0);
    expect(out).toMatch(/^127\.0\.0\.1:\d+ {2}fine, 8\d days left\n/);
    expect(out).toContain('localhost → Fjord CA 1 → Fjord Root');
    expect(out).toMatch(/Answer +200 to HEAD \//);
    expect(out).toMatch(/offers TLSv1\.2, TLSv1\.3/);
    expect(progress).toMatch(/^1 of 1 checked: 127\.0\.0\.1:\d+\n$/);
  });

  it('connects to another address with another server name, and still verifies the host', async () => {
    const port = Number(new URL(good).port);
    const before = served.get(good)?.length;
    const words = ['--ca', 'root.pem', '--connect-to', `127.0.0.1:${port}`];
    const [fine, wrong, json] = await Promise.all([
      check('https://localhost', ...words),
      check('https://shop.example', ...words, '--server-name', 'other.example'),
      check('https://shop.example', ...words, '--server-name=none', '--verify-name=localhost', '--json'),
    ]);
    expect(fine).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^localhost via 127.* fine/) as string,
    });
    expect(fine.out).toContain(`Target        The check connects to 127.0.0.1:${port}.`);
    expect(wrong).toMatchObject({
      code: 2,
      out: expect.stringContaining('The certificate does not cover shop.example.') as string,
    });
    expect(json.code).toBe(0);
    expect(JSON.parse(json.out)).toMatchObject([
      { trusted: true, target: { server_name: 'none', verify_name: 'localhost', family: null } },
    ]);
    expect(new Set(served.get(good)?.slice(before))).toEqual(new Set(['localhost', 'other.example', null]));
  });

  it('reports hosts in the order given, and exits with the code of the worst', async () => {
    const { code, out, progress } = await check(expired, good, closed, '--ca=root.pem');
    expect(code).toBe(3);
    expect(out.match(/^127.*$/gm)).toEqual([
      expect.stringMatching(/not trusted, expired 2 days ago/),
      expect.stringMatching(/fine/),
      expect.stringMatching(/not reached: .* refused the connection\.$/),
    ]);
    expect(out).toMatch(/✗ critical {2}The certificate expired on/);
    expect(progress.trimEnd().split('\n')).toHaveLength(3);
    // Text from others must not control the terminal.
    expect(out).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  });

  it('reports a fix for an unreachable host as text, Markdown and JSON', async () => {
    const [text, markdown, json] = await Promise.all([
      check(closed),
      check(closed, '--markdown'),
      check(closed, '--json'),
    ]);
    expect(text.code).toBe(3);
    expect(text.out).toMatch(/✗ critical {2}127.* refused the connection/);
    expect(text.out).toMatch(/Fix {2}Start the server.*\n.*See {2}curl -sSI --connect-timeout 10 https/);
    expect(markdown.out).toContain('### Critical: ');
    expect(markdown.out).not.toContain('None.');
    expect(JSON.parse(json.out)).toMatchObject([
      { reached: false, trusted: null, findings: [{ code: 'unreachable', severity: 'critical' }] },
    ]);
  });

  it('checks a host once if it is named twice, and says so', async () => {
    const { code, progress } = await check(good, good.replace('https://', 'HTTPS://'), '--ca=root.pem');
    expect(code).toBe(0);
    expect(progress).toMatch(/^127\.0\.0\.1:\d+ was given more than once, and is checked only once\n1 of 1/);
  });

  it('resolves hosts by the names in HOSTS_FILE', async () => {
    const HOSTS_FILE = join(folder, 'hosts');
    writeFileSync(HOSTS_FILE, '127.0.0.1 shop.internal\nnonsense\n');
    const named = good.replace('127.0.0.1', 'shop.internal');
    const { out, progress } = await answerOf(start('check', [named, '--ca=root.pem'], { HOSTS_FILE }));
    expect(out).toContain('127.0.0.1  TLSv1.3');
    expect(progress).toContain('is used without line 2, which does not begin with an IP address.');
  });

  it('says on stderr that a mail server delays its greeting, and for how long it waits', async () => {
    const mute = await startRawPeer(silent);
    onTestFinished(() => mute.stop());
    const { process: child } = start('check', [`smtp://127.0.0.1:${mute.port}`]);
    child.stderr?.setEncoding('utf8');
    const [line] = (await once(child.stderr as Readable, 'data')) as [string];
    expect(line).toBe(`127.0.0.1:${mute.port} answers slowly: waiting up to 60 seconds for its greeting\n`);
  });

  it('reports an invalid host on stderr and checks the other hosts', async () => {
    const { code, out, progress } = await check('a b', good, '--ca=root.pem');
    expect(code).toBe(3);
    expect(out).toMatch(/^127\.0\.0\.1:\d+ {2}fine/);
    expect(progress).toMatch(/^“a b”: A host name can contain/);
  });

  it('prints JSON with the field names of the API', async () => {
    const { code, out } = await check(expired, cut, '--json', '--ca', 'root.pem');
    expect(code).toBe(2);
    expect(out).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(JSON.parse(out)).toMatchObject([
      {
        hostname: '127.0.0.1',
        protocol: 'https',
        reached: true,
        trusted: false,
        certificate: { fingerprint: outdated.fingerprint, issuer: 'evil\u001b[31m\u202e\u009b\r\nBcc: all' },
        findings: [{ code: 'expired', severity: 'critical' }],
        addresses: [{ address: '127.0.0.1', tls_version: 'TLSv1.3', group: 'X25519', failure: null }],
        http: { outcome: 'answered', method: 'HEAD', status: 200 },
        markdown: expect.stringContaining('## Findings'),
      },
      {
        certificate: { fingerprint: leaf.fingerprint },
        trusted: false,
        posture: { post_quantum: { state: 'negotiated' } },
      },
    ]);
  });

  it('prints Markdown', async () => {
    const { code, out } = await check(good, '--markdown');
    expect(code).toBe(2);
    expect(out).toMatch(/^# .*127.*0.*1/);
    expect(out).toContain('## Findings');
    // The fix says `--ca FILE` instead of the setting of the web app.
    expect(out).toContain('with --ca FILE.');
    expect(out).not.toContain('profile');
  });

  it('refuses an unknown option with exit code 64', async () => {
    const { code, out, progress } = await check('--nonsense');
    expect(code).toBe(64);
    expect(out).toBe('');
    expect(progress).toMatch(/Unknown option '--nonsense'\nSee: certlantern check --help\n$/);
  });

  it('prints its usage', async () => {
    const { code, out } = await answerOf(startPackaged('check', '--help'));
    expect(code).toBe(0);
    expect(out).toContain('--ca FILE');
    expect(out).toMatch(/ 64 {3}the command line/);
  });

  it('ends at once on SIGINT, with exit code 130', async () => {
    const peer = await startRawPeer(silent);
    running.push(peer);
    const { process: child } = startPackaged('check', `https://127.0.0.1:${peer.port}`);
    const ended = once(child, 'exit');
    await peer.connected;
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  });
});

describe('certlantern expect', () => {
  const renewed = intermediate.issue({ ipAddresses: ['127.0.0.1'] });

  it('tells the server which certificate its domains should serve, and lists those that do not serve it yet', async () => {
    writeFileSync(join(folder, 'fullchain.pem'), `${intermediate.certificatePem}${renewed.certificatePem}`);
    const DATA_DIR = join(folder, 'data');
    const app = await startApp({ DATA_DIR, BILLING: 'none', EGRESS_ALLOW_CIDRS: '127.0.0.0/8' });
    onTestFinished(() => app.kill());
    const person = await signUp(sendTo(app.url), { name: 'Bob' });
    void (await person.ask(CALLS.addDomain, { body: { host: good } })).ok;
    const body = { name: 'hook', scopes: ['write' as const], expires_in_days: 1 };
    const { secret } = (await person.ask(CALLS.makeToken, { body })).ok.data;
    const env = { CERTLANTERN_URL: app.url, CERTLANTERN_TOKEN: secret };
    const told = await answerOf(start('expect', ['fullchain.pem', '--within', '2h'], env));
    expect(told).toMatchObject({ code: 0, progress: '' });
    expect(told.out).toMatch(
      /^1 domain should serve 127\.0\.0\.1 by 20.*Z\. Not yet:\n {2}127\.0\.0\.1:\d+\n$/,
    );
    const json = await answerOf(start('expect', ['fullchain.pem', '--json', '--host=127.0.0.1'], env));
    expect(JSON.parse(json.out)).toMatchObject({ domain_count: 1, waiting_count: 1 });
    writeFileSync(join(folder, 'other.der'), intermediate.issue({ dnsNames: ['other.example'] }).der);
    for (const [file, message] of [
      ['other.der', 'You track no domain'],
      ['root.pem', 'only certificate authorities'],
    ] as const) {
      const refused = await answerOf(start('expect', [file], env));
      expect([refused.code, refused.progress]).toEqual([1, expect.stringContaining(message)]);
    }
    const stranger = await answerOf(
      start('expect', ['fullchain.pem'], { ...env, CERTLANTERN_TOKEN: 'wrong' }),
    );
    expect(stranger).toMatchObject({ code: 1, out: '' });
    expect(stranger.progress).toContain('status 401');
  });

  it('refuses a private key without sending it, and explains an invalid command line', async () => {
    writeFileSync(join(folder, 'both.pem'), `${renewed.certificatePem}${renewed.keyPem}`);
    const env = { CERTLANTERN_URL: closed, CERTLANTERN_TOKEN: 'any' };
    for (const [words, message] of [
      [['both.pem'], 'both.pem: This contains a private key. Nothing was sent'],
      [['missing.pem'], 'missing.pem cannot be read.'],
      [['root.pem', '--within', '90'], '--within takes'],
      [['root.pem', '--within', '31d'], 'at most 30d'],
      [['root.pem', '--nope'], 'nope'],
      [[], 'Name one file'],
    ] as const) {
      const { code, progress } = await answerOf(start('expect', words, env));
      expect([code, progress]).toEqual([64, expect.stringContaining(message)]);
    }
    expect(await answerOf(startPackaged('expect', 'root.pem'))).toMatchObject({
      code: 64,
      progress: 'Set CERTLANTERN_URL and CERTLANTERN_TOKEN.\n',
    });
    expect((await answerOf(start('expect', ['root.pem'], env))).code).toBe(3);
    promise('private-keys');
  });
});
