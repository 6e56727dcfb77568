import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorld, type World } from '../../bench/faults/world.ts';
import { CALLS } from '../../contract/calls.ts';
import type { Store } from '../../server/store/open-store.ts';
import { addMonitors } from '../../server/store/monitors.ts';
import { type App, freePort } from '../kit/app.ts';
import { freshDatabase, hasDatabase } from '../kit/database.ts';
import { selfSigned } from '../kit/mint.ts';
import { createClient, type Person, sendTo } from '../kit/people.ts';
import { startTlsServer, type TlsPeer } from '../kit/tls-server.ts';

/** Processes start slowly on a machine that does much else. */
const PATIENCE = { timeout: 150_000, interval: 100 };
const TIMEOUT_MS = 400_000;
const MOST_ADDED = 50;

describe.skipIf(!hasDatabase('postgres'))('several processes on one database', () => {
  it(
    'tell at one of them what another recorded for a change made at a third',
    async () => {
      const world = await freshWorld();
      const [here, there] = await startBoth(world);
      await startWorker(world);
      const alice = await world.arrive({ path: null });
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
    'are replaced one by one without a request that fails or a check that is lost',
    async () => {
      const world = await freshWorld();
      const workers = await Promise.all([startWorker(world), startWorker(world)]);
      const apis = await startBoth(world);
      const alice = await world.arrive({ path: null });
      const { id: accountId } = alice;
      const { peer, store } = await withDomains(world, 100, accountId);

      const hosts: string[] = [];
      const rolled = roll(world, { workers, apis });
      const progress = { isOver: false };
      void rolled.finally(() => (progress.isOver = true));
      while (!progress.isOver) {
        // As many as an account may add in a minute; then it reads what it has.
        const host = hosts.length < MOST_ADDED ? world.hosts.add('ends in days') : null;
        if (host !== null) hosts.push(host.replace(/:.*/, ''));
        await persistently(apis, (url) => {
          const client = createClient(sendTo(url), alice.cookies);
          const headers = { 'Idempotency-Key': `add-${hosts.length}` };
          return host === null
            ? client.ask(CALLS.listDomains)
            : client.ask(CALLS.addDomain, { body: { host }, headers });
        });
      }
      await rolled;

      const rows = await store.db
        .selectFrom('monitors')
        .select(['id', 'host'])
        .where('account_id', '=', accountId)
        .execute();
      expect(
        rows
          .map(({ host }) => host)
          .filter((host) => hosts.includes(host))
          .toSorted(),
      ).toEqual(hosts.toSorted());
      await expect
        .poll(async () => {
          const unchecked = store.db.selectFrom('monitors').select('id').where('checked', '=', 0);
          return (await unchecked.execute()).length;
        }, PATIENCE)
        .toBe(0);
      const leased = store.db.selectFrom('monitors').select('id').where('lease_token', 'is not', null);
      await expect.poll(async () => (await leased.execute()).length, PATIENCE).toBe(0);
      const recorded = await recordedChecks(store, accountId, 'many%');
      expect(recorded).toBeLessThanOrEqual(peer.serverNames.length);
      expect(recorded).toBeGreaterThanOrEqual(100);
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

/** Resolves once it says that it is ready. */
async function startWorker(world: World) {
  const port = await freePort();
  const worker = world.startWorker({ WORKER_PORT: String(port) });
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

/** That many endpoints of one server under names of their own, all due at once. */
async function withDomains(
  world: World,
  count: number,
  accountId: string,
): Promise<{ peer: TlsPeer; store: Store }> {
  const peer = await startTlsServer({ '*': selfSigned() });
  onTestFinished(() => peer.stop());
  const store = await world.store();
  const endpoints = Array.from({ length: count }, (_, index) => {
    const host = `many${index}.example`;
    world.dns.entries.set(host, { addresses: ['127.0.0.1'] });
    return { host, port: peer.port, protocol: 'tls' as const };
  });
  const now = Date.now();
  await addMonitors(store, { accountId, checkEveryMinutes: 1440, now, mayAdd: () => true, endpoints });
  return { peer, store };
}

/** Of the account's hosts whose names are like that. */
async function recordedChecks({ db }: Store, accountId: string, like: string): Promise<number> {
  const { rows } = await sql<{ checks: number }>`
    select (select coalesce(sum(checks), 0) from check_runs where account_id = ${accountId} and last_at is not null
          and monitor_id in (select id from monitors where account_id = ${accountId} and host like ${like}))
      + (select coalesce(sum(run_checks), 0) from monitor_states where account_id = ${accountId}
          and monitor_id in (select id from monitors where account_id = ${accountId} and host like ${like})) as checks`.execute(
    db,
  );
  return Number(rows[0]?.checks);
}

/** What a stream of events has said so far. */
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

/** Each process is replaced: the new one is ready before the old one is told to end. */
async function roll(
  world: World,
  { workers, apis }: { workers: Awaited<ReturnType<typeof startWorker>>[]; apis: App[] },
): Promise<void> {
  for (const old of workers) {
    await startWorker(world);
    old.process.kill('SIGTERM');
  }
  for (const [place, old] of [...apis.entries()]) {
    apis[place] = await world.start({ ROLE: 'api', PORT: String(await freePort()) });
    expect(await old.stop()).toBe(0);
  }
}

/** As a load balancer with a client that repeats what it may repeat: from one to the next until one answers. */
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
