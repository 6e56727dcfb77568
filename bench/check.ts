import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mintAuthority } from '../tests/kit/certificates/mint.ts';
import { startOpensslServer } from '../tests/kit/peers/tls-server.ts';
import { startBlackbox } from './check/blackbox.ts';
import {
  type ClientRound,
  type ClientStart,
  HOST,
  UNSEEN_PER_ROUND,
  type WebPorts,
} from './check/protocol.ts';

// Measures the client's CPU time of one full check, compared to OpenSSL's client and Prometheus' blackbox_exporter.
// All three connect to the same server.

const ROUNDS = 5;
const S_TIME_SECONDS = 2;

interface OpensslRound {
  connections: number;
  microseconds: number;
}

const root = mintAuthority();
const intermediate = root.intermediate();
const leaf = intermediate.issue({ dnsNames: [HOST] });
const unseen = Array.from({ length: UNSEEN_PER_ROUND * ROUNDS }, () =>
  intermediate.issue({ dnsNames: [HOST] }),
);

const folder = await mkdtemp(join(tmpdir(), 'bench-check-'));
const rootFile = join(folder, 'root.pem');
await writeFile(rootFile, root.certificatePem);
const server = await startOpensslServer(leaf);
const client = fork(new URL('./check/client.ts', import.meta.url));
const websites = fork(new URL('./check/web-servers.ts', import.meta.url));
const blackbox = await startBlackbox(folder, rootFile, server.port);
try {
  const { certificatePem, chainPem, keyPem } = leaf;
  websites.send({ certificatePem, chainPem, keyPem });
  const [web] = (await once(websites, 'message')) as [WebPorts];
  const start: ClientStart = {
    web,
    port: server.port,
    rootPem: root.certificatePem,
    unseen: unseen.map(({ der }) => der.toString('base64')),
    intermediate: intermediate.der.toString('base64'),
  };
  await answerTo(start);
  const ours: ClientRound[] = [];
  const theirs: OpensslRound[] = [];
  const exporters: number[] = [];
  // Rounds are interleaved, so that other load on the machine affects all three clients alike.
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await opensslRound(server.port));
    ours.push((await answerTo('round')) as ClientRound);
    if (blackbox !== null) exporters.push(await blackbox.round());
  }
  report(ours, theirs, exporters);
} finally {
  client.kill();
  websites.kill();
  await blackbox?.stop();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function answerTo(message: ClientStart | 'round'): Promise<unknown> {
  const ended = new AbortController();
  const exited = once(client, 'exit', { signal: ended.signal }).then(
    () => Promise.reject(new Error('the client ended early')),
    () => undefined,
  );
  const answered = once(client, 'message');
  client.send(message);
  const [answer] = (await Promise.race([answered, exited])) as unknown[];
  ended.abort();
  return answer;
}

/**
 * Measures `openssl s_time` and returns its CPU time per connection in µs. s_time itself prints only user time, so user and
 * system time come from the second line that the shell's `times` prints. Throws if s_time made no connection.
 */
async function opensslRound(port: number): Promise<OpensslRound> {
  const script = 'openssl s_time -connect "127.0.0.1:$1" -new -time "$2" -CAfile "$3" -verify 5 2>&1; times';
  const values = [String(port), String(S_TIME_SECONDS), rootFile];
  const { stdout } = await promisify(execFile)('sh', ['-c', script, 'sh', ...values], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const connections = Number(/^(\d+) connections in \d+ real seconds/m.exec(stdout)?.[1] ?? 0);
  const children = stdout.trimEnd().split('\n').at(-1) ?? '';
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  if (connections === 0 || seconds.length !== 2)
    throw new Error(`openssl s_time said: ${stdout.slice(-500)}`);
  const microseconds = ((seconds[0] ?? 0) + (seconds[1] ?? 0)) * 1_000_000;
  return { connections, microseconds: microseconds / connections };
}

function report(
  ours: readonly ClientRound[],
  theirs: readonly OpensslRound[],
  exporters: readonly number[],
): void {
  const check = median(ours.map((round) => round.checkMicroseconds));
  const byOpenssl = median(ours.map((round) => round.opensslMicroseconds));
  const judgeKnown = median(ours.map((round) => round.judgeKnownMicroseconds));
  const firstSight = median(
    ours.map((round) => round.judgeUnseenMicroseconds - round.judgeKnownMicroseconds),
  );
  const web = (kind: keyof WebPorts): number => median(ours.map((round) => round.webMicroseconds[kind]));
  const share = (kind: keyof WebPorts): string =>
    median(ours.map(({ webMicroseconds }) => webMicroseconds[kind] / webMicroseconds.none)).toFixed(2);
  const openssl = median(theirs.map((round) => round.microseconds));
  const exporter = median(exporters);
  const line = (label: string, microseconds: number): string => {
    const ratio = (microseconds / openssl).toFixed(2);
    return `${label.padEnd(58)} ${microseconds.toFixed(0).padStart(6)} µs   ${ratio} ×\n`;
  };
  const count = ours.reduce((sum, round) => sum + round.checks, 0);
  process.stdout.write(
    [
      `Client CPU (user + system), medians of ${ROUNDS} interleaved rounds, ${count} checks, Node ${process.versions.node},\n`,
      `P-256 leaf and intermediate, one local openssl s_server\n\n`,
      line('openssl s_time -new -verify 5', openssl),
      exporters.length === 0 ? '' : line('blackbox_exporter, tcp probe with TLS', exporter),
      line('full check that confirms a fine one', check),
      line('full check with OpenSSL, certificate seen before', byOpenssl),
      line('full check with OpenSSL, seen for the first time', byOpenssl + firstSight),
      line('  of it: judging a known chain', judgeKnown),
      line('website without ALPN, with its HTTP request', web('none')),
      line('website that agrees on http/1.1', web('http1')),
      line('website that agrees on h2', web('http2')),
      `\nto openssl s_time      ${(check / openssl).toFixed(2)}   at most 1.25\n`,
      exporters.length === 0
        ? 'blackbox_exporter is not installed (Debian: prometheus-blackbox-exporter)\n'
        : `to blackbox_exporter   ${(check / exporter).toFixed(2)}   at most 1.15\n`,
      `\nhttp/1.1 to no ALPN    ${share('http1')}   at most 1.02\n`,
      `h2 to no ALPN          ${share('http2')}   at most 1.10\n`,
    ].join(''),
  );
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
