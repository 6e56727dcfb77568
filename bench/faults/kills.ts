import { setTimeout as delay } from 'node:timers/promises';
import { CALLS } from '../../contract/calls/calls.ts';
import type { App, WorkerApp } from '../../tests/kit/app.ts';
import type { Database } from '../../tests/kit/database.ts';
import type { Person } from '../../tests/kit/people.ts';
import type { Host } from './hosts.ts';
import { createLimits, type Outcome } from './outcome.ts';
import { type Random, seededRandom } from './random.ts';
import { reckon, type Reckoning } from './reckoning.ts';
import { createWorld, type World } from './world.ts';
import { createWrites, everyDomain, type Writes } from './writes.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

export interface KillsOptions {
  database: Database;
  kills: number;
  /** How many domains are watched at least; more kills follow until it is so many. */
  domains: number;
  /** Of hosts, how many get a certificate that ends while this runs, in [0, 1]. */
  ending: number;
  /** After what time it ends. */
  endsInMs: number;
  longestLifeMs: number;
  seed: number;
  /** How long the last messages may take to arrive. */
  patienceMs: number;
  progress: (line: string) => void;
}

export interface KillsResult extends Reckoning {
  kills: number;
  acknowledged: number;
  domains: number;
  /** What was acknowledged and is not so, in words. */
  broken: string[];
}

const PEOPLE = 4;
const WRITERS_EACH = 2;
/** On a busy machine lives may be too short to write much: then there are more of them. */
const MOST_KILLS_TIMES = 4;
const SETTLE_POLL_MS = 500;
/** People who write as fast as they are answered would be a load test of a machine that does much else. */
const LONGEST_PAUSE_MS = 400;

/**
 * Kills the processes of the product at random moments while people write and certificates end, and holds what arrived against
 * what must have.
 */
export async function killAtRandomMoments(options: KillsOptions): Promise<KillsResult> {
  const { database, seed, progress } = options;
  const random = seededRandom(seed);
  const world = await createWorld(database, { endsInMs: options.endsInMs });
  try {
    const processes = await startProcesses(world);
    const people: { person: Person; writes: Writes; seenAt: number }[] = [];
    for (let index = 0; index < PEOPLE; index++) {
      const person = await world.arrive();
      people.push({ person, writes: createWrites(person), seenAt: Date.now() });
    }
    let kills = 0;
    const watched = () => people.reduce((sum, { writes }) => sum + writes.entries.length, 0);
    const isEnough = () => kills >= options.kills && watched() >= options.domains;
    for (; !isEnough() && kills < MOST_KILLS_TIMES * options.kills; kills++) {
      // Certificates that end need minutes until all of it is told: they come in the first half.
      const isFirstHalf = kills < options.kills / 2;
      const newHost =
        watched() < options.domains
          ? () => world.hosts.add(isFirstHalf && random() < options.ending ? 'ended' : 'ends in days')
          : null;
      const ending = new AbortController();
      const busy = people.flatMap(({ writes }) => keepWriting(writes, { world, random, newHost, ending }));
      await delay(random() * options.longestLifeMs);
      await processes.kill(random);
      ending.abort();
      await Promise.all(busy);
      await processes.start();
      await stayIn(people);
      if ((kills + 1) % 10 === 0) progress(`${kills + 1} kills, ${watched()} domains`);
    }
    progress(`waiting for what is still on its way`);
    for (const { writes } of people) await writes.insistOnRenewals();
    const { domains, hosts } = await listed(world, people);
    const result = await settled(world, hosts, options.patienceMs);
    const broken = people.flatMap(({ person, writes }) => writes.compare(domains.get(person) ?? []));
    const acknowledged = people.reduce((sum, { writes }) => sum + writes.acknowledged(), 0);
    return { ...result, kills, acknowledged, domains: hosts.length, broken };
  } finally {
    await world.end();
  }
}

/** Well before a session's access ends. */
const REFRESH_AFTER_MS = 8 * MINUTE_MS;

async function stayIn(people: { person: Person; seenAt: number }[]): Promise<void> {
  for (const one of people) {
    if (Date.now() - one.seenAt < REFRESH_AFTER_MS) continue;
    void (await one.person.ask(CALLS.refreshSession)).ok;
    one.seenAt = Date.now();
  }
}

/** What runs of the product: one process on SQLite, on PostgreSQL one more that only works. */
async function startProcesses(world: World) {
  let app: App | null = await world.start();
  let worker: WorkerApp | null = null;
  const isShared = world.database.databaseUrl !== null;
  if (isShared) worker = world.startWorker();
  return {
    async kill(random: Random): Promise<void> {
      const isWorker = isShared && random() < 0.4;
      if (isWorker) {
        await worker?.kill();
        worker = null;
      } else {
        await app?.kill();
        app = null;
      }
    },
    async start(): Promise<void> {
      app ??= await world.start();
      if (isShared) worker ??= world.startWorker();
    },
  };
}

export function keepWriting(
  writes: Writes,
  life: { world: World; random: Random; newHost: (() => string) | null; ending: AbortController },
): Promise<void>[] {
  const { world, random, newHost, ending } = life;
  const { signal } = ending;
  const write = async (host: typeof newHost): Promise<void> => {
    while (!signal.aborted && (await writes.write(random, host)))
      await delay(random() * LONGEST_PAUSE_MS, undefined, { signal }).catch(() => undefined);
  };
  const renew = async (): Promise<void> => {
    if (random() < 0.5) await writes.renewOne(world.hosts);
  };
  return [...Array.from({ length: WRITERS_EACH }, () => write(newHost)), write(null), renew()];
}

export async function listed(world: World, people: readonly { person: Person }[]) {
  const domains = new Map<Person, Awaited<ReturnType<typeof everyDomain>>>();
  for (const { person } of people) domains.set(person, await everyDomain(person));
  const hosts = [...domains.values()]
    .flat()
    .map(({ hostname }) => world.hosts.all.get(hostname))
    .filter((host): host is Host => host !== undefined);
  return { domains, hosts };
}

/** Waits until nothing is missing any more, or for as long as anybody may have to. */
export async function settled(world: World, hosts: readonly Host[], patienceMs: number): Promise<Reckoning> {
  const until = Date.now() + patienceMs;
  const store = await world.store();
  for (;;) {
    const channels = [
      { name: 'mail', entries: world.mails.read() },
      { name: 'webhook', entries: world.webhooks.read() },
    ];
    const result = await reckon({ store, hosts, channels });
    if (result.lost.length === 0 || Date.now() > until) return result;
    await delay(SETTLE_POLL_MS);
  }
}

const LATE_MS = 5 * MINUTE_MS;
const MOST_DUPLICATES = 0.01;

/** How much a run has to be before it shows anything. */
interface Size {
  kills: number;
  notifications: number;
  writes: number;
}
const NOTHING: Size = { kills: 0, notifications: 0, writes: 0 };

/** What a run of kills came to, held to the limits. */
export function killsOutcome(
  result: KillsResult,
  { mostDuplicates = MOST_DUPLICATES, least = NOTHING }: { mostDuplicates?: number; least?: Size } = {},
): Outcome {
  const { kills, acknowledged, domains, notifications, duplicates, waits } = result;
  const limits = createLimits();
  for (const what of [...result.lost, ...result.broken, ...result.strange, ...result.disordered])
    limits.hold(false, what);
  const { writes } = least;
  limits.hold(kills >= least.kills, `${kills} kills are fewer than ${least.kills}`);
  limits.hold(
    notifications >= least.notifications,
    `${notifications} notifications are fewer than ${least.notifications}`,
  );
  limits.hold(acknowledged >= writes, `${acknowledged} acknowledged writes are fewer than ${writes}`);
  const share = duplicates / Math.max(1, notifications);
  limits.hold(share <= mostDuplicates, `${duplicates} of ${notifications} arrived twice`);
  const late = waits.filter((wait) => wait > LATE_MS).length;
  limits.hold(late === 0, `${late} arrived later than ${LATE_MS / MINUTE_MS} minutes after they could`);
  const sorted = waits.toSorted((left, right) => left - right);
  const at = (part: number) => ((sorted[Math.floor((sorted.length - 1) * part)] ?? 0) / 1_000).toFixed(1);
  return {
    line:
      `lost ${result.lost.length} of ${notifications} over ${kills} kills · duplicates ${duplicates} (${(100 * share).toFixed(2)} %), all under one id` +
      ` · late ${late} (median ${at(0.5)} s, p99 ${at(0.99)} s, longest ${at(1)} s) · out of order ${result.disordered.length}` +
      ` · ${acknowledged} acknowledged writes, ${result.broken.length} lost · ${domains} domains`,
    broken: limits.broken,
  };
}
