import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createDnsReader } from '../../server/egress/dns/dns-reader.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { pemCertificates } from '../../server/pki/certificate-bundle.ts';
import { type Examiner, loadTrustStore } from '../../server/probe/examiner.ts';
import { createExaminer } from '../../tests/kit/product/stand-ins.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { createSources } from '../../server/probe/sources/create-sources.ts';
import { mintAuthority } from '../../tests/kit/certificates/mint.ts';
import type { HostileReady } from './chain-process.ts';
import type { Figure } from '../scale/figures.ts';
import { OPEN, startExaminer } from './product.ts';

const MAX_MS_PER_CHECK = 200;
const MAX_DELAY_MS = 250;
const ALL = 'twenty addresses with different chains';
const CHECKS_OF_OTHERS = 400;
/** Number of attackers. Each checks one hostile host after another, always a new one. */
const ATTACKERS = 1;
const never = new AbortController().signal;

/**
 * Measures the CPU time of checking the worst certificate chains, and how long they delay the checks of other accounts.
 */
export async function measureChains(): Promise<Figure[]> {
  const farm = fork(new URL('./chain-process.ts', import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), 'bench-hostile-'));
  try {
    const [ready] = (await once(farm, 'message')) as [HostileReady];
    const kinds = [
      ...ready.names.map((name, index) => ({ name, zone: `c${index}` })),
      { name: ALL, zone: 'all' },
    ];
    return [...(await measureEachKind(ready, kinds)), ...(await measureDelays(ready, kinds, folder))];
  } finally {
    farm.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Kind {
  name: string;
  zone: string;
}

let checksDone = 0;

/**
 * Checks a host once, for an account with a private CA of its own. Hostile hosts need a new name for each check, so that
 * nothing is cached.
 */
async function checkHost(examiner: Examiner, { port, rootPem }: HostileReady, host: string): Promise<void> {
  const authorities = [mintAuthority().der, ...pemCertificates(rootPem)];
  const endpoint = { host, port, protocol: 'tls' as const };
  await examiner.examine(endpoint, { signal: never, authorities, withPosture: false, previous: [null] });
}

const newHost = ({ zone }: Kind): string => `n${checksDone++}.${zone}.hostile.test`;

/** Measures three checks of each kind of chain. Returns this thread's CPU time of the check that took longest, in ms. */
async function measureEachKind(ready: HostileReady, kinds: readonly Kind[]): Promise<Figure[]> {
  const policy = createAddressPolicy(OPEN);
  const resolver = createResolver({ servers: [ready.dns], policy });
  const reader = createDnsReader({ servers: [ready.dns], now: Date.now });
  const sources = createSources({ resolver, reader, policy, cacheFolder: null });
  const probe = createProbe({ resolver, policy, now: () => Date.now(), sources });
  const examiner = createExaminer({ probe, trustStore: loadTrustStore(null), now: Date.now });
  await checkHost(examiner, ready, 'good.test');
  const figures: Figure[] = [];
  for (const kind of kinds) {
    let longest = 0;
    for (let round = 0; round < 3; round++) {
      const before = process.threadCpuUsage();
      await checkHost(examiner, ready, newHost(kind));
      const { user, system } = process.threadCpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
    }
    figures.push({
      what: `one check: ${kind.name}`,
      value: longest,
      unit: 'ms CPU',
      max: MAX_MS_PER_CHECK,
    });
  }
  sources.close();
  return figures;
}

/** Measures how many ms longer another account's checks take in a worker that also checks an attacker's hostile hosts. */
async function measureDelays(ready: HostileReady, kinds: readonly Kind[], folder: string): Promise<Figure[]> {
  const errors: Error[] = [];
  const examiner = startExaminer(ready.dns, folder, (error) => errors.push(error));
  try {
    await checkHost(examiner, ready, 'good.test');
    const alone = await checksOfOthers(examiner, ready);
    const stop = new AbortController();
    let hostile = 0;
    const attackers = Array.from({ length: ATTACKERS }, async (_, first) => {
      for (let index = first; !stop.signal.aborted; index++) {
        const kind = kinds[index % kinds.length];
        if (kind !== undefined) await checkHost(examiner, ready, newHost(kind));
        hostile += 1;
      }
    });
    const together = await checksOfOthers(examiner, ready);
    stop.abort();
    await Promise.all(attackers);
    if (errors.length > 0) throw errors[0];
    const usual = quantile(alone, 0.5);
    const delay = { unit: 'ms', max: MAX_DELAY_MS };
    return [
      {
        what: 'check of another account without attackers, median',
        value: usual,
        unit: 'ms',
      },
      { what: 'the same, p99', value: quantile(alone, 0.99), unit: 'ms' },
      { what: `hostile checks, ${ATTACKERS} at a time`, value: hostile, unit: '' },
      {
        what: 'delay of the other account’s checks, p99',
        value: quantile(together, 0.99) - usual,
        ...delay,
      },
      {
        what: 'delay of the other account’s checks, the longest',
        value: Math.max(...together) - usual,
        ...delay,
      },
    ];
  } finally {
    await examiner.close();
  }
}

async function checksOfOthers(examiner: Examiner, { port, rootPem }: HostileReady): Promise<number[]> {
  const authorities = pemCertificates(rootPem);
  const times: number[] = [];
  for (let check = 0; check < CHECKS_OF_OTHERS; check++) {
    const startedAt = performance.now();
    const endpoint = { host: 'good.test', port, protocol: 'tls' as const };
    await examiner.examine(endpoint, { signal: never, authorities, withPosture: false, previous: [null] });
    times.push(performance.now() - startedAt);
  }
  return times;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
