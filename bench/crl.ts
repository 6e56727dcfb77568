import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mintAuthority } from '../tests/kit/certificates/mint.ts';
import { mintCrl } from '../tests/kit/certificates/mint-crl.ts';
import type { CrlFiles, CrlReading } from './crl/protocol.ts';

// Measures the CPU time and memory to parse, verify and search a large CRL, compared to `openssl crl` on the same file.

const ROUNDS = 7;
const ENTRIES = 100_000;
const MAX_MS = 50;
const MAX_MEGABYTES = 30;
const MEGABYTE = 1024 * 1024;
const ADDRESS = 'http://crl.example/1.crl';

const root = mintAuthority({ key: 'RSA-2048' });
const leaf = root.issue({ crlUrls: [ADDRESS] });
const list = mintCrl(root, { fillers: ENTRIES - 1, revoked: [{ ...leaf, reason: 1 }], url: ADDRESS });

const folder = await mkdtemp(join(tmpdir(), 'bench-crl-'));
const files: CrlFiles = {
  list: await file('list.der', list),
  issuer: await file('root.der', root.der),
  certificate: await file('leaf.der', leaf.der),
  url: ADDRESS,
};
const rootPem = await file('root.pem', root.certificatePem);
try {
  const ours: CrlReading[] = [];
  const theirs: number[] = [];
  // Rounds are interleaved, so that other load on the machine affects both programs alike.
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await measureOpenssl());
    ours.push(await measureOurs());
  }
  report(ours, theirs);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function file(name: string, bytes: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

/**
 * Measures one parse, verification and lookup in a new process, so that no cache is warm and the process uses memory
 * for nothing else. Throws if the process ends without an answer.
 */
async function measureOurs(): Promise<CrlReading> {
  const child = fork(new URL('./crl/child.ts', import.meta.url));
  const ended = once(child, 'exit');
  child.send(files);
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as unknown[];
  await ended;
  if (typeof answer !== 'object' || answer === null) throw new Error('the child ended without an answer');
  return answer as CrlReading;
}

/**
 * Returns the CPU time of `openssl crl` in ms, from the second line that the shell's `times` prints. Includes the start of
 * the process. Throws if openssl does not verify the CRL.
 */
async function measureOpenssl(): Promise<number> {
  const script = 'openssl crl -inform DER -in "$1" -CAfile "$2" -noout 2>&1; times';
  const { stdout } = await promisify(execFile)('sh', ['-c', script, 'sh', files.list, rootPem]);
  if (!stdout.startsWith('verify OK')) throw new Error(`openssl crl said: ${stdout.slice(0, 200)}`);
  const children = stdout.trimEnd().split('\n').at(-1) ?? '';
  const parts = Array.from(
    children.matchAll(/(\d+)m([\d.]+)s/g),
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  return parts.reduce((sum, part) => sum + part, 0) * 1000;
}

function report(ours: readonly CrlReading[], theirs: readonly number[]): void {
  const of = (part: (one: CrlReading) => number): number => median(ours.map(part));
  const total = of((one) => one.parse + one.verify + one.lookUp);
  const memory = of((one) => one.memory) / MEGABYTE;
  const tool = median(theirs);
  const line = (label: string, value: number, unit: string, limit: string): string =>
    `${label.padEnd(44)} ${value.toFixed(1).padStart(7)} ${unit.padEnd(3)} ${limit}\n`;
  const share = (value: number, max: number): string => `${(value / max).toFixed(2)} of the ${max} allowed`;
  process.stdout.write(
    [
      `CPU (user + system), ${ENTRIES} entries, ${(list.length / MEGABYTE).toFixed(1)} MB, RSA 2048, medians of ${ROUNDS} interleaved rounds, `,
      `Node ${process.versions.node},\neach in a fresh process\n\n`,
      line('openssl crl -CAfile', tool, 'ms', ''),
      line('parsed, verified and looked up', total, 'ms', share(total, MAX_MS)),
      line(
        '  parsed',
        of((one) => one.parse),
        'ms',
        '',
      ),
      line(
        '  verified',
        of((one) => one.verify),
        'ms',
        '',
      ),
      line(
        '  looked up',
        of((one) => one.lookUp),
        'ms',
        '',
      ),
      line('memory over the size of the file', memory, 'MB', share(memory, MAX_MEGABYTES)),
      `\nratio ${(total / tool).toFixed(2)}\n`,
    ].join(''),
  );
  if (total > MAX_MS || memory > MAX_MEGABYTES) process.exitCode = 1;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
