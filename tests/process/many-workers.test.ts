import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorld, type World } from '../faults/world.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { type App, freePort, type WorkerApp } from '../kit/product/app.ts';
import { checksMade } from '../kit/product/checks-made.ts';
import { freshDatabase, hasDatabase } from '../kit/databases/database.ts';
import { type GatedPeer, startGatedServer } from '../kit/peers/gated-server.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { createClient, type Person, sendTo } from '../kit/product/people.ts';
import { addMonitors } from '../../server/store/monitors/monitor-adding.ts';

/** Processes start slowly on a busy machine, so polls may take long. */
const PATIENCE = { timeout: 150_000, interval: 100 };
const TIMEOUT_MS = 400_000;
const MAX_ADDED = 50;
const PAUSE_MS = 20;
const DOMAIN = 'many.example';
/** Slots of each worker. They are few, so that some checks wait for a slot when a worker is stopped. */
const SLOTS = 10;
/** How many checks of a worker end before it is stopped, and how many at that moment. Its other checks do not end. */
const [ENDED, ENDING] = [3, 4];
const FEW_SLOTS = { CHECK_CONCURRENCY: String(SLOTS) };
/** Number of domains: more than the slots of three workers, which are an old one, its replacement and another one. */
const BATCH = 50;
/** Workers abort handshakes after 10 s. If a batch was held back longer than this, the test repeats it. */
const HELD_AT_MOST_MS = 9_000;
/** Delay between a first check and the next one, which probes the posture. */
const NEXT_PLANNED_MS = 60_000;

describe.skipIf(!hasDatabase('postgres'))('Several processes on one database', () => {
  it(
    'send an event from one process when another adds a domain and a third checks it',
    async () => {
      const world = await freshWorld();
      const [here, there] = await startBoth(world);
      await startWorker(world);
      const alice = await world.addPerson({ path: null });
      const elsewhere = createClient(sendTo(there.url), alice.cookies);
      const events = await listen(alice);
      const host = world.hosts.add('ends in days');
      void (await elsewhere.ask(CALLS.addDomain, { body: { host } })).ok;
      await expect.poll(() => events.text(), PATIENCE).toMatch(/"state":"expiring_soon"|"last_checked_at":"/);
      expect(here.output()).not.toContain('interrupted');
    },
    TIMEOUT_MS,
  );

  it(
    'can be replaced one by one without a failed request or a lost check',
    async () => {
      const world = await freshWorld();
      const peer = await startTrustedPeer(world);
      const [apis, ...workers] = await Promise.all([
        startBoth(world),
        startWorker(world, FEW_SLOTS),
        startWorker(world, FEW_SLOTS),
      ]);
      const alice = await world.addPerson({ path: null });
      const { id: accountId } = alice;
      const store = await world.store();

      const hosts: string[] = [];
      const rolled = roll({ world, store, peer, accountId }, { workers, apis });
      const progress = { isOver: false };
      void rolled.catch(() => null).finally(() => (progress.isOver = true));
      while (!progress.isOver) {
        // First adds as many domains as an account may add in a minute; then only reads.
        const host = hosts.length < MAX_ADDED ? world.hosts.add('ends in days') : null;
        if (host !== null) hosts.push(host.replace(/:.*/, ''));
        await persistently(apis, (url) => {
          const client = createClient(sendTo(url), alice.cookies);
          const headers = { 'Idempotency-Key': `add-${hosts.length}` };
          // One domain is enough, because this request only needs to be answered.
          return host === null
            ? client.ask(CALLS.listDomains, { query: { limit: '1' } })
            : client.ask(CALLS.addDomain, { body: { host }, headers });
        });
        // Without a pause, this loop would take CPU time from the processes that are starting.
        await delay(PAUSE_MS);
      }
      const batches = await rolled;

      const unchecked = store.db.selectFrom('monitors').select('host').where('checked', '=', 0);
      await expect.poll(async () => (await unchecked.execute()).length, PATIENCE).toBe(0);
      const leased = store.db.selectFrom('monitors').select('host').where('lease_token', 'is not', null);
      await expect.poll(async () => (await leased.execute()).length, PATIENCE).toBe(0);

      const checks = await firstChecks(store, accountId);
      const watched = batches.flatMap((batch) => batch.hosts);
      expect([...checks.keys()].toSorted()).toEqual([...hosts, ...watched].toSorted());
      const slow = new Set(batches.filter(({ isSlow }) => isSlow).flatMap((batch) => batch.hosts));
      // A check that was interrupted by a stop says nothing about its host; recorded, it would show the host as down.
      const wrong = [...checks].filter(([host, { states }]) => !slow.has(host) && states.join() !== 'up');
      expect(wrong).toEqual([]);
      const again = batches.flatMap((batch) => {
        if (batch.isSlow) return [];
        const looks = batch.hosts.map((host) => {
          const { endedAt = 0, until = 0 } = checks.get(host) ?? {};
          const seen = peer.hellos.filter(({ serverName, at }) => serverName === host && at < until);
          expect(seen.filter(({ at }) => at > endedAt)).toEqual([]);
          return seen.length;
        });
        return [sum(looks) - batch.hosts.length];
      });
      expect(again.length).toBeGreaterThan(0);
      // Checks without an answer at the stop were repeated. They are no more than those that a stopped worker had running.
      expect(Math.min(...again)).toBeGreaterThanOrEqual(SLOTS - ENDED - ENDING);
      expect(sum(again)).toBeLessThanOrEqual(workers.length * SLOTS);
    },
    TIMEOUT_MS,
  );
});

async function freshWorld(): Promise<World> {
  const database = await freshDatabase('postgres');
  const world = await createWorld(database);
  onTestFinished(async () => {
    await world.end();
    await database.remove();
  });
  return world;
}

/** Starts a worker and resolves once it is ready. */
async function startWorker(world: World, settings: Record<string, string> = {}) {
  const port = await freePort();
  const worker = world.startWorker({ WORKER_PORT: String(port), ...settings });
  await expect.poll(() => isReady(`http://localhost:${port}`), PATIENCE).toBe(true);
  return worker;
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/health/ready`).catch(() => null);
  return answer?.status === 200;
}

async function startBoth(world: World): Promise<[App, App]> {
  const [one, other] = [
    world.start({ ROLE: 'api' }),
    world.start({ ROLE: 'api', PORT: String(await freePort()) }),
  ];
  return [await one, await other];
}

interface Rolling {
  world: World;
  store: Store;
  peer: GatedPeer;
  accountId: string;
}

/** Starts a peer with a trusted certificate: an untrusted one would be checked again within half a minute. */
async function startTrustedPeer(world: World): Promise<GatedPeer> {
  const root = mintAuthority();
  appendFileSync(world.environment['EXTRA_CA_FILE'] ?? '', root.certificatePem);
  const peer = await startGatedServer(root.issue({ dnsNames: [`*.${DOMAIN}`] }));
  onTestFinished(() => peer.stop());
  return peer;
}

/** Adds `count` endpoints of the peer with different names, all due at once; returns their hosts. */
async function watchMore(
  { store, peer, accountId }: Rolling,
  names: { prefix: string; count: number },
): Promise<string[]> {
  const endpoints = Array.from({ length: names.count }, (_, index) => {
    const host = `${names.prefix}-${index}.${DOMAIN}`;
    // Nobody fetches an icon for a domain that connects elsewhere. The ClientHello of such a fetch would count as a check.
    const target = `{"connect_to":"127.0.0.1:${peer.port}"}`;
    return { host, port: peer.port, protocol: 'tls' as const, target };
  });
  const now = Date.now();
  await addMonitors(store, { accountId, checkEveryMinutes: 1440, now, mayAdd: () => true, endpoints });
  return endpoints.map(({ host }) => host);
}

interface FirstCheck {
  endedAt: number;
  /** Earliest time of the next check. */
  until: number;
  /** Results of the first check and of any other one before `until`. */
  states: string[];
}

/** Returns the first checks by host. */
async function firstChecks(store: Store, accountId: string): Promise<Map<string, FirstCheck>> {
  const monitors = await store.db
    .selectFrom('monitors')
    .select(['id', 'host'])
    .where('account_id', '=', accountId)
    .execute();
  const made = Map.groupBy(await checksMade(store), ({ monitorId }) => monitorId);
  return new Map(
    monitors.map(({ id, host }) => {
      const checks = made.get(id) ?? [];
      const endedAt = checks[0]?.at ?? 0;
      const until = endedAt + NEXT_PLANNED_MS;
      return [
        host,
        { endedAt, until, states: checks.filter(({ at }) => at < until).map(({ state }) => state) },
      ];
    }),
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Returns the hosts of the peer that each worker is checking. */
async function underWay({ store, peer, accountId }: Rolling): Promise<Map<string | null, string[]>> {
  const rows = await store.db
    .selectFrom('monitors')
    .select(['host', 'claimed_by'])
    .where('account_id', '=', accountId)
    .where('port', '=', peer.port)
    .where('lease_token', 'is not', null)
    .execute();
  const byWorker = Map.groupBy(rows, (row) => row.claimed_by);
  return new Map([...byWorker].map(([worker, claimed]) => [worker, claimed.map(({ host }) => host)]));
}

/** Opens an event stream; `text` returns what it has sent so far. */
async function listen(person: Person): Promise<{ text(): string }> {
  const response = await person.send('/api/events');
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  void (async () => {
    for (;;) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return;
      text += chunk.value;
    }
  })();
  onTestFinished(() => reader?.cancel());
  return { text: () => text };
}

interface Batch {
  hosts: string[];
  isSlow: boolean;
}

/** Replaces each process: the new one is ready before the old one is stopped. */
async function roll(
  rolling: Rolling,
  { workers, apis }: { workers: Awaited<ReturnType<typeof startWorker>>[]; apis: App[] },
): Promise<Batch[]> {
  const { world } = rolling;
  const batches: Batch[] = [];
  for (const [place, worker] of workers.entries()) {
    let old = worker;
    // If a batch was too slow, its result shows nothing: replace the replacement, with another batch.
    for (let attempt = 0; ; attempt++) {
      const replacement = await startWorker(world, FEW_SLOTS);
      const prefix = `many${place}-${attempt}`;
      const batch = await stopAmidLooks(rolling, { old, running: workers.length + 1, prefix });
      batches.push(batch);
      if (!batch.isSlow) break;
      old = replacement;
    }
  }
  for (const [place, old] of apis.entries()) {
    apis[place] = await world.start({ ROLE: 'api', PORT: String(await freePort()) });
    expect(await old.stop()).toBe(0);
  }
  return batches;
}

/**
 * Adds hosts and stops a worker at a moment when some of its checks have just ended, some are ending and some have no answer
 * yet. Returns the hosts, and whether handshakes may have been given up because the machine was slow.
 */
async function stopAmidLooks(
  rolling: Rolling,
  { old, running, prefix }: { old: WorkerApp; running: number; prefix: string },
): Promise<Batch> {
  const { store, peer, accountId } = rolling;
  peer.shut();
  const shutAt = Date.now();
  const watched = await watchMore(rolling, { prefix, count: BATCH });
  const held = (claimed: string[]): number => claimed.filter((host) => peer.holds(host)).length;
  await expect
    .poll(async () => [...(await underWay(rolling)).values()].map(held), PATIENCE)
    .toEqual(Array.from({ length: running }, () => SLOTS));

  const before = await underWay(rolling);
  const some = (from: number, to: number): string[] =>
    [...before.values()].flatMap((hosts) => hosts.slice(from, to));
  const ended = some(0, ENDED);
  for (const host of ended) peer.letGo(host);
  const checked = store.db
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', accountId)
    .where('host', 'in', ended)
    .where('checked', '=', 1);
  await expect
    .poll(async () => (await checked.execute()).length, { ...PATIENCE, interval: 1 })
    .toBeGreaterThan(0);
  const exited = once(old.process, 'exit');
  for (const host of some(ENDED, ENDED + ENDING)) peer.letGo(host);
  old.process.kill('SIGTERM');
  // Checks that were released had been interrupted. A check that waits for long would end without an answer.
  const unanswered = some(ENDED + ENDING, SLOTS);
  const isGivenBack = async (): Promise<boolean> => {
    const held = await underWay(rolling);
    const still = [...before].flatMap(([worker, hosts]) =>
      hosts.filter((host) => held.get(worker)?.includes(host) === true),
    );
    return unanswered.some((host) => !still.includes(host));
  };
  await expect.poll(isGivenBack, { ...PATIENCE, interval: 20 }).toBe(true);
  peer.open();
  const isSlow = Date.now() - shutAt > HELD_AT_MOST_MS;
  const [code] = (await exited) as [number | null];
  expect(code).toBe(0);
  return { hosts: watched, isSlow };
}

/**
 * Acts as a load balancer with a client that repeats idempotent requests: tries one process after the other until one answers.
 */
async function persistently(
  apis: readonly App[],
  ask: (url: string) => Promise<{ status: number }>,
): Promise<void> {
  const refusals: string[] = [];
  for (let attempt = 0; attempt < 20; attempt++) {
    const url = apis[attempt % apis.length]?.url ?? '';
    try {
      const { status } = await ask(url);
      if (status < 400) return;
      refusals.push(`${url}: ${status}`);
      if (![409, 503].includes(status)) break;
    } catch (error) {
      refusals.push(`${url}: ${String(error)}`);
    }
  }
  throw new Error(`No process answered:\n${refusals.join('\n')}`);
}
