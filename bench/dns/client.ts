import { fork } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createDnsReader } from '../../server/egress/dns/dns-reader.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { DEAD_NAMES, deadName, type DnsRound, LIVING_NAMES, livingName } from './protocol.ts';

// Runs in a namespace where 127.0.0.1:53 is free and /etc/resolv.conf points there.

const ROUNDS = 3;
const NAMES_PER_SECOND = 100;
const { signal } = new AbortController();
const resolver = createResolver({ servers: ['127.0.0.1'], policy: createAddressPolicy([]) });
/** A new one for each round, because it keeps answers. */
let reader = createReader();

const WAYS: Record<DnsRound['way'], (name: string) => Promise<boolean>> = {
  resolver: async (name) => (await resolver.resolve(name, { signal })).ok,
  reader: async (name) => (await reader.query(name, 'A', { signal })).outcome === 'records',
  'dns.lookup': (name) =>
    lookup(name, { all: true }).then(
      () => true,
      () => false,
    ),
};

const server = fork(new URL('./name-server.ts', import.meta.url));
await once(server, 'message');
await round('resolver', false);
for (let index = 0; index < ROUNDS; index++) {
  // Rounds are interleaved, so that other load on the machine affects rounds with and without dead names alike.
  for (const withDead of [false, true]) process.send?.(await round('resolver', withDead));
}
for (const way of ['reader', 'dns.lookup'] as const)
  for (const withDead of [false, true]) process.send?.(await round(way, withDead));
server.disconnect();
process.disconnect?.();

function createReader() {
  return createDnsReader({ servers: ['127.0.0.1'], now: Date.now });
}

/** Resolves names at a fixed rate without waiting for earlier answers. Returns the response times and failures. */
async function round(way: DnsRound['way'], withDead: boolean): Promise<DnsRound> {
  const names = Array.from({ length: LIVING_NAMES }, (_, index) => livingName(index));
  const every = LIVING_NAMES / DEAD_NAMES;
  const due = names.flatMap((name, index) =>
    withDead && index % every === 0 ? [deadName(index / every), name] : [name],
  );
  reader = createReader();
  const waits: number[] = [];
  let failed = 0;
  const startedAt = performance.now();
  const running = due.map(async (name, index) => {
    const dueAt = startedAt + (index * 1_000) / NAMES_PER_SECOND;
    await new Promise((start) => setTimeout(start, Math.max(0, dueAt - performance.now())));
    const answered = await WAYS[way](name);
    if (name.startsWith('dead')) return;
    waits.push(performance.now() - dueAt);
    if (!answered) failed++;
  });
  await Promise.all(running);
  const sorted = waits.toSorted((left, right) => left - right);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { way, withDead, p50: at(0.5), p99: at(0.99), longest: at(1), failed };
}
