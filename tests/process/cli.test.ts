import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mintAuthority } from '../../scripts/local-peers/mint.ts';
import { silent, startRawPeer } from '../kit/raw-peers.ts';
import { startTlsServer, type Peer } from '../../scripts/local-peers/tls-server.ts';

const root = resolve(import.meta.dirname, '..', '..');
/** Each command starts a process. */
const PATIENCE = { timeout: 60_000 };

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

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'certlantern-cli-'));
  writeFileSync(join(folder, 'root.pem'), authority.certificatePem);
  const site = async (certificate: typeof leaf): Promise<string> => {
    const peer = await startTlsServer(
      { '*': certificate },
      { serve: (_request, response) => response.end() },
    );
    running.push(peer);
    return `https://127.0.0.1:${peer.port}`;
  };
  good = await site(leaf);
  cut = await site({ ...leaf, chainPem: '' });
  expired = await site(outdated);
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

/** Starts it as `npx . check` does, in a folder that is not the project's. */
function start(...words: string[]): ChildProcess {
  const child = spawn(process.execPath, [join(root, 'scripts/certlantern.mjs'), 'check', ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
async function check(...words: string[]): Promise<Answer> {
  const child = start(...words);
  const [out, progress]: [string[], string[]] = [[], []];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => progress.push(chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out: out.join(''), progress: progress.join('') };
}

describe('certlantern check', PATIENCE, () => {
  it('reports a valid certificate of a CA in the caller’s folder, and exits with 0', async () => {
    const { code, out, progress } = await check(good, '--ca', 'root.pem');
    expect(code).toBe(0);
    expect(out).toMatch(/^127\.0\.0\.1:\d+ {2}fine, 8\d days left\n/);
    expect(out).toContain('localhost → Fjord CA 1 → Fjord Root');
    expect(out).toMatch(/Answer +200 to HEAD \//);
    expect(out).toMatch(/offers TLSv1\.2, TLSv1\.3/);
    expect(progress).toMatch(/^1 of 1 checked: 127\.0\.0\.1:\d+\n$/);
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
    // Text of others cannot control the terminal.
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
    const { code, out } = await check('--help');
    expect(code).toBe(0);
    expect(out).toContain('--ca FILE');
    expect(out).toMatch(/ 64 {3}the command line/);
  });

  it('ends at once on SIGINT, with exit code 130', async () => {
    const peer = await startRawPeer(silent);
    running.push(peer);
    const child = start(`https://127.0.0.1:${peer.port}`);
    const ended = once(child, 'exit');
    await peer.connected;
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  });
});
