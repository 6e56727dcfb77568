import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { CALLS } from '../../contract/calls.ts';
import type { DomainWire } from '../../contract/domain.ts';
import { DATABASES, hasDatabase } from '../kit/database.ts';
import type { Person } from '../kit/people.ts';
import { createLedger } from './ledger.ts';
import { createWorld } from './world.ts';

const KILLS = 10;
/** On a busy machine lives may be too short to write much: then there are more of them. */
const MOST_KILLS = 4 * KILLS;
const WRITERS = 4;
const LONGEST_LIFE_MS = 1_200;
/** What a killed process had claimed is free again after 90 s at most. */
const MAIL_TIMEOUT_MS = 120_000;

for (const name of DATABASES)
  // Side by side: most of the time passes until the leases of the killed are over.
  describe.concurrent(`a killed process (${name})`, { skip: !hasDatabase(name) }, () => {
    it(`loses no acknowledged write and no alert in ${KILLS} kills at random moments`, async ({
      onTestFailed,
      onTestFinished,
    }) => {
      const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);
      onTestFailed(() => void process.stderr.write(`To repeat these moments: CRASH_SEED=${seed}\n`));
      const random = seededRandom(seed);
      const world = await createWorld(name);
      onTestFinished(() => world.end());
      const ledger = createLedger();

      let app = await world.start();
      const person = await world.arrive();
      const enough = (kills: number): boolean => kills >= KILLS && ledger.entries.length > KILLS;
      for (let kill = 0; !enough(kill) && kill < MOST_KILLS; kill++) {
        const write = async (): Promise<void> => {
          while (await ledger.write(person, random, () => world.newHost()));
        };
        const writers = Array.from({ length: WRITERS }, write);
        await delay(random() * LONGEST_LIFE_MS);
        await app.kill();
        await Promise.all(writers);
        app = await world.start();
      }
      const domains = await everyDomain(person);
      expect(ledger.compare(domains)).toEqual([]);
      expect(ledger.entries.length).toBeGreaterThan(KILLS);

      const mailsAbout = (host: string) =>
        world.sink.ledger.filter(({ parsed }) => parsed.subject?.startsWith(`${host}:`));
      for (const { hostname } of domains)
        await world.sink.waitFor(() => mailsAbout(hostname).length > 0, MAIL_TIMEOUT_MS);
      const twice = domains.filter(
        ({ hostname }) => new Set(mailsAbout(hostname).map(({ messageId }) => messageId)).size !== 1,
      );
      expect(twice.map(({ hostname }) => hostname)).toEqual([]);
      expect(await app.stop()).toBe(0);
    });

    it('ends within two seconds of a SIGTERM, with checks in flight', async ({ onTestFinished }) => {
      const world = await createWorld(name);
      onTestFinished(() => world.end());
      const app = await world.start();
      const person = await world.arrive();
      // Answered only after the first check, which hangs: the answer never comes.
      const answer = person
        .ask(CALLS.addDomain, { body: { host: `mute.crash.example:${world.mute.port}` } })
        .catch(() => null);
      await world.mute.connected;
      const before = performance.now();
      expect(await app.stop()).toBe(0);
      expect(performance.now() - before).toBeLessThan(2_000);
      await answer;

      // Given back at the end, it is taken up at once by the next process.
      const connections = world.mute.accepted();
      const next = await world.start();
      await vi.waitUntil(() => world.mute.accepted() > connections, { timeout: 10_000 });
      expect(await next.stop()).toBe(0);
    });
  });

async function everyDomain(person: Person): Promise<DomainWire[]> {
  const domains: DomainWire[] = [];
  for (let page = 1; ; page++) {
    const { ok } = await person.ask(CALLS.listDomains, { query: { page: String(page) } });
    domains.push(...ok.data);
    if (domains.length >= ok.total) return domains;
  }
}

/** mulberry32: small, and the same on every machine. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
