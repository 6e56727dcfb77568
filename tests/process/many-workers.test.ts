import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorld, type World } from '../../bench/faults/world.ts';
import { CALLS } from '../../contract/calls.ts';
import { type App, freePort } from '../kit/app.ts';
import { freshDatabase, hasDatabase } from '../kit/database.ts';
import { createClient, type Person, sendTo } from '../kit/people.ts';

/** Processes start slowly on a machine that does much else. */
const PATIENCE = { timeout: 150_000, interval: 100 };
const TIMEOUT_MS = 400_000;

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
  world.startWorker({ WORKER_PORT: String(port) });
  await expect.poll(() => isReady(`http://localhost:${port}`), PATIENCE).toBe(true);
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
