import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEAD_NAMES, type DnsRound, LIVING_NAMES } from './dns/protocol.ts';

// Measures how long our resolver, our reader of DNS and dns.lookup take to resolve names while queries for a few other names get no answer.

const folder = mkdtempSync(join(tmpdir(), 'bench-dns-'));
const resolvConf = join(folder, 'resolv.conf');
writeFileSync(resolvConf, 'nameserver 127.0.0.1\n');
// dns.lookup finds the bench's name server only through /etc/resolv.conf and port 53. So the client runs in network and mount
// namespaces of its own.
const INSIDE = 'ip link set lo up && mount --bind "$1" /etc/resolv.conf && shift && exec "$@"';
const unshare = ['-rnm', 'sh', '-c', INSIDE, 'sh', resolvConf];

try {
  if (spawnSync('unshare', [...unshare, 'true']).status !== 0)
    throw new Error('This bench needs Linux with unshare(1), ip(8) and permission to create namespaces.');
  const rounds: DnsRound[] = [];
  const client = fork(new URL('./dns/client.ts', import.meta.url), {
    execPath: 'unshare',
    execArgv: [...unshare, process.execPath],
  });
  client.on('message', (round) => void rounds.push(round as DnsRound));
  const [code] = (await once(client, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the client ended with ${code}`);
  report(rounds);
} finally {
  rmSync(folder, { recursive: true });
}

function report(rounds: readonly DnsRound[]): void {
  const figure = (way: DnsRound['way'], withDead: boolean, read: (round: DnsRound) => number): number =>
    median(rounds.filter((one) => one.way === way && one.withDead === withDead).map(read));
  const line = (way: DnsRound['way'], withDead: boolean): string => {
    const [p50, p99, longest] = (['p50', 'p99', 'longest'] as const).map((key) =>
      figure(way, withDead, (round) => round[key])
        .toFixed(1)
        .padStart(9),
    );
    const lost = figure(way, withDead, ({ failed }) => failed);
    const label = `${way}${withDead ? `, ${DEAD_NAMES} dead names among them` : ''}`;
    return `${label.padEnd(44)}${p50}${p99}${longest}${String(lost).padStart(9)}\n`;
  };
  const p99Shift = (way: DnsRound['way']): string =>
    (figure(way, true, ({ p99 }) => p99) - figure(way, false, ({ p99 }) => p99)).toFixed(1);
  process.stdout.write(
    [
      `${LIVING_NAMES} names with an answer, 100 a second; milliseconds from when a name was due, Node ${process.versions.node}\n\n`,
      `${''.padEnd(44)}${['p50', 'p99', 'longest', 'failed'].map((head) => head.padStart(9)).join('')}\n`,
      line('resolver', false),
      line('resolver', true),
      line('reader', false),
      line('reader', true),
      line('dns.lookup', false),
      line('dns.lookup', true),
      `\nthe dead names add ${p99Shift('resolver')} ms to the p99 of the others, at most 50; with dns.lookup ${p99Shift('dns.lookup')} ms\n`,
    ].join(''),
  );
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
