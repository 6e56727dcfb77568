import { describe, expect, it, type TestContext, vi } from 'vitest';
import { killAtRandomMoments, killsOutcome } from '../faults/kills.ts';
import { createWorld } from '../faults/world.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { DATABASES, type Database, type DatabaseName, freshDatabase, hasDatabase } from '../kit/database.ts';
import { silent, startRawPeer } from '../kit/raw-peers.ts';

const KILLS = 10;
/** What a killed process had claimed is free again when its lease ends, after 45 s at most. */
const PATIENCE_MS = 200_000;
/** Beside much else the kills alone may take minutes. */
const TIMEOUT_MS = 420_000;

for (const name of DATABASES)
  // Side by side: most of the time passes until the leases of the killed are over.
  describe.concurrent(`a killed process (${name})`, { skip: !hasDatabase(name) }, () => {
    it(
      `loses no acknowledged write and no alert in ${KILLS} kills at random moments`,
      async (context) => {
        const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);
        context.onTestFailed(
          () => void process.stderr.write(`To repeat these moments: CRASH_SEED=${seed}\n`),
        );
        const result = await killAtRandomMoments({
          database: await freshOne(name, context),
          kills: KILLS,
          domains: 2 * KILLS,
          seed,
          ending: 0.3,
          endsInMs: 65_000,
          longestLifeMs: 1_200,
          patienceMs: PATIENCE_MS,
          progress: () => undefined,
        });
        // So few messages make no share: each kill may repeat what was under way, by mail and by webhook.
        expect(killsOutcome(result, { mostDuplicates: 1 }).broken).toEqual([]);
        expect(result.acknowledged).toBeGreaterThan(KILLS);
        expect(result.notifications).toBeGreaterThan(2 * KILLS);
      },
      TIMEOUT_MS,
    );

    it('waits for no check in flight when it is told to end, and gives it back', async (context) => {
      const world = await createWorld(await freshOne(name, context));
      const mute = await startRawPeer(silent);
      context.onTestFinished(async () => {
        await world.end();
        await mute.stop();
      });
      world.dns.entries.set('mute.crash.example', { addresses: ['127.0.0.1'] });
      const app = await world.start();
      const person = await world.arrive();
      // Answered only after the first check, which hangs: the answer never comes.
      const answer = person
        .ask(CALLS.addDomain, { body: { host: `mute.crash.example:${mute.port}` } })
        .catch(() => null);
      await mute.connected;
      const before = performance.now();
      expect(await app.stop()).toBe(0);
      // The answer to the call would be waited for for five seconds, the check would go on for longer.
      expect(performance.now() - before).toBeLessThan(4_000);
      await answer;

      // Given back at the end, it is taken up at once by the next process.
      const connections = mute.accepted();
      const next = await world.start();
      await vi.waitUntil(() => mute.accepted() > connections, { timeout: 10_000 });
      expect(await next.stop()).toBe(0);
    });
  });

describe.concurrent('the embedded database', () => {
  it('has sent again at once, under the same id, what a killed process was sending', async (context) => {
    const world = await createWorld(await freshOne('sqlite', context));
    context.onTestFinished(() => world.end());
    const app = await world.start();
    const person = await world.arrive({ localPart: 'slow', path: null });
    const host = world.hosts.add('ends in days');
    void (await person.ask(CALLS.addDomain, { body: { host } })).ok;
    const name = host.replace(/:\d+$/, '');
    const arrived = () => world.mails.read().filter(({ text }) => text.startsWith(name));
    await vi.waitUntil(() => arrived().length === 1, { timeout: 30_000 });
    await app.kill();
    await world.mails.order({ kind: 'release' });
    await world.start();
    // Sooner than the lease of 45 s ends: this database has one process, so a new one takes over what the old one held.
    await vi.waitUntil(() => arrived().length === 2, { timeout: 30_000 });
    const [first, again] = arrived();
    expect(again?.id).toBe(first?.id);
  });
});

async function freshOne(
  name: DatabaseName,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
): Promise<Database> {
  const database = await freshDatabase(name);
  onTestFinished(() => database.remove());
  return database;
}
