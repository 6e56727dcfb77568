import { describe, expect, it, type TestContext, vi } from 'vitest';
import { killAtRandomMoments, killsOutcome } from '../faults/kills.ts';
import { createWorld } from '../faults/world.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import {
  type Database,
  type DatabaseName,
  DATABASES,
  freshDatabase,
  hasDatabase,
} from '../kit/databases/database.ts';
import { silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import { promise } from '../security/promise.ts';

const KILLS = 3;
/** In seconds. It is short, because other processes wait until the leases of a killed process expire. */
const LEASE_SECONDS = '8';
/** Maximum wait for the last messages after the kills. */
const SETTLE_TIMEOUT_MS = 120_000;

for (const name of DATABASES)
  // Concurrent, because most of the time is spent waiting for leases of killed processes to expire.
  describe.concurrent(`A process that is killed or stopped (${name})`, { skip: !hasDatabase(name) }, () => {
    it(`loses no acknowledged write and no alert in ${KILLS} kills at random moments`, async (context) => {
      const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);
      context.onTestFailed(
        () => void process.stderr.write(`To repeat these random moments: CRASH_SEED=${seed}\n`),
      );
      const result = await killAtRandomMoments({
        database: await freshOne(name, context),
        environment: { LEASE_SECONDS },
        kills: KILLS,
        domains: 4 * KILLS,
        seed,
        ending: 0.3,
        down: 0.3,
        endsInMs: 31_000,
        longestLifeMs: 1_200,
        settleTimeoutMs: SETTLE_TIMEOUT_MS,
        progress: () => undefined,
      });
      // There are too few messages to limit duplicates by a percentage: each kill may repeat the messages being sent, by mail
      // and by webhook.
      expect(killsOutcome(result, { mostDuplicates: 1 }).broken).toEqual([]);
      expect(result.acknowledged).toBeGreaterThan(KILLS);
      expect(result.notifications).toBeGreaterThan(2 * KILLS);
      promise('lost-alerts');
    });

    it('releases a running check at shutdown without waiting for it', async (context) => {
      const world = await createWorld(await freshOne(name, context));
      const mute = await startRawPeer(silent);
      context.onTestFinished(async () => {
        await world.end();
        await mute.stop();
      });
      world.dns.entries.set('mute.crash.example', { addresses: ['127.0.0.1'] });
      const app = await world.start({ LEASE_SECONDS: '3600' });
      const person = await world.addPerson();
      // The answer comes only after the first check, and that hangs.
      const answer = person
        .ask(CALLS.addDomain, { body: { host: `mute.crash.example:${mute.port}` } })
        .catch(() => null);
      await mute.connected;
      expect(await app.stop()).toBe(0);
      await answer;

      // The check was released at shutdown, so the next process claims it at once.
      const connections = mute.accepted();
      const next = await world.start();
      await vi.waitUntil(() => mute.accepted() > connections, { timeout: 120_000 });
      expect(await next.stop()).toBe(0);
    });
  });

describe.concurrent('The embedded database', () => {
  it('lets a new process resend at once, with the same id, the message that a killed process was sending', async (context) => {
    const world = await createWorld(await freshOne('sqlite', context));
    context.onTestFinished(() => world.end());
    const app = await world.start({ LEASE_SECONDS: '3600' });
    const person = await world.addPerson({ localPart: 'slow', path: null });
    const host = world.hosts.add('ends in days');
    void (await person.ask(CALLS.addDomain, { body: { host } })).ok;
    const name = host.replace(/:\d+$/, '');
    const arrived = () => world.mails.read().filter(({ text }) => text.startsWith(name));
    await vi.waitUntil(() => arrived().length === 1, { timeout: 120_000 });
    await app.kill();
    await world.mails.order({ kind: 'release' });
    await world.start({ LEASE_SECONDS: '3600' });
    // Long before the lease expires: this database is used by one process, so a new one takes over what the old one held.
    await vi.waitUntil(() => arrived().length === 2, { timeout: 120_000 });
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
