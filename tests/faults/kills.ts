import { setTimeout as delay } from 'node:timers/promises';
import { CALLS } from '../../contract/calls/calls.ts';
import type { App, WorkerApp } from '../kit/product/app.ts';
import type { Database } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import type { Host } from './hosts.ts';
import { createLimits, type Outcome } from './outcome.ts';
import { type Random, seededRandom } from './random.ts';
import { reconcile, type Reconciliation } from './reconciliation.ts';
import { createWorld, type World } from './world.ts';
import { createWrites, everyDomain, type Writes } from './writes.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

export interface KillsOptions {
  database: Database;
  /** Additional environment variables for the product's processes. */
  environment?: Record<string, string>;
  kills: number;
  /** Minimum number of monitored domains. Kills continue until it is reached, up to `MAX_KILLS_FACTOR` times `kills`. */
  domains: number;
  /** Share of the hosts added in the first half whose certificate expires during the run, 0 to 1. */
  ending: number;
  /** Share of the other hosts added in the first half that are down, 0 to 1. */
  down: number;
  /** Remaining lifetime of an expiring certificate when its host is added, ms. */
  endsInMs: number;
  longestLifeMs: number;
  seed: number;
  /** Maximum wait for the last messages after the kills, ms. */
  settleTimeoutMs: number;
  progress: (line: string) => void;
}

export interface KillsResult extends Reconciliation {
  kills: number;
  acknowledged: number;
  domains: number;
  /** Descriptions of the acknowledged writes that are not in effect. */
  broken: string[];
}

const PEOPLE = 4;
/** Share of the hosts that share their certificate with others of their owner. */
const SHARED = 0.4;
const WRITERS_EACH = 2;
/** Maximum number of kills as a multiple of `kills`. A busy machine needs more, because it writes little between kills. */
const MAX_KILLS_FACTOR = 4;
/**
 * Number of acknowledged writes that a kill waits for, unless every writer has stopped. Without new writes, a kill on a busy
 * machine would have nothing to lose.
 */
const MIN_WRITES_BETWEEN_KILLS = 2;
const WRITES_POLL_MS = 20;
const SETTLE_POLL_MS = 500;
/** Maximum pause between two writes of a writer, ms. Writers pause because this is not a load test. */
const MAX_PAUSE_MS = 400;

/**
 * Kills the product's processes at random moments while people write and certificates expire. Then compares the
 * messages that arrived with the messages that were due.
 */
export async function killAtRandomMoments(options: KillsOptions): Promise<KillsResult> {
  const { database, seed, progress } = options;
  const random = seededRandom(seed);
  const world = await createWorld(database, options);
  try {
    const processes = await startProcesses(world);
    const people: { person: Person; writes: Writes; seenAt: number }[] = [];
    for (let index = 0; index < PEOPLE; index++) {
      const person = await world.addPerson();
      people.push({ person, writes: createWrites(person, world.hosts), seenAt: Date.now() });
    }
    let kills = 0;
    const watched = () => people.reduce((sum, { writes }) => sum + writes.entries.length, 0);
    const acknowledged = () => people.reduce((sum, { writes }) => sum + writes.acknowledged(), 0);
    const isDone = () => kills >= options.kills && watched() >= options.domains;
    for (; !isDone() && kills < MAX_KILLS_FACTOR * options.kills; kills++) {
      // Expiring certificates cause alerts for minutes, so add them in the first half only.
      const isFirstHalf = kills < options.kills / 2;
      const newHost = (owner: string) => {
        if (isFirstHalf && random() < options.ending)
          return world.hosts.add('ended', random() < SHARED ? owner : undefined);
        if (isFirstHalf && random() < options.down) return world.hosts.add('down');
        return world.hosts.add('ends in days', random() < SHARED ? owner : undefined);
      };
      const mayAdd = watched() < options.domains;
      const ending = new AbortController();
      const busy = people.flatMap(({ person, writes }) =>
        keepWriting(writes, { random, newHost: mayAdd ? () => newHost(person.id) : null, ending }),
      );
      const stopped = new AbortController();
      void Promise.allSettled(busy).then(() => stopped.abort());
      const enough = acknowledged() + MIN_WRITES_BETWEEN_KILLS;
      await delay(random() * options.longestLifeMs);
      // A refused call stops its writer. If the rate limit has stopped all writers, no more writes follow.
      while (!stopped.signal.aborted && acknowledged() < enough) await delay(WRITES_POLL_MS);
      await processes.kill(random);
      ending.abort();
      await Promise.all(busy);
      await processes.start();
      await refreshSessions(people);
      if ((kills + 1) % 10 === 0) progress(`${kills + 1} kills, ${watched()} domains`);
    }
    progress('waiting for the last messages');
    for (const { writes } of people) await writes.requestMissingChecks();
    const { domains, hosts } = await listDomains(world, people);
    const result = await waitForMessages(world, hosts, options.settleTimeoutMs);
    const broken = people.flatMap(({ person, writes }) => writes.compare(domains.get(person) ?? []));
    return { ...result, kills, acknowledged: acknowledged(), domains: hosts.length, broken };
  } finally {
    await world.end();
  }
}

/** Time between two refreshes of a session, ms; well below the lifetime of the access cookie. */
const REFRESH_AFTER_MS = 8 * MINUTE_MS;

async function refreshSessions(people: { person: Person; seenAt: number }[]): Promise<void> {
  for (const one of people) {
    if (Date.now() - one.seenAt < REFRESH_AFTER_MS) continue;
    void (await one.person.ask(CALLS.refreshSession)).ok;
    one.seenAt = Date.now();
  }
}

/** Starts the product: the server process and, with PostgreSQL, a worker process. Each kill ends one of them. */
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

/** Starts concurrent writers that run until `ending` aborts. If `newHost` is null, they only change existing domains. */
export function keepWriting(
  writes: Writes,
  life: { random: Random; newHost: (() => string) | null; ending: AbortController },
): Promise<void>[] {
  const { random, newHost, ending } = life;
  const { signal } = ending;
  const write = async (host: typeof newHost): Promise<void> => {
    while (!signal.aborted && (await writes.write(random, host)))
      await delay(random() * MAX_PAUSE_MS, undefined, { signal }).catch(() => undefined);
  };
  const renew = async (): Promise<void> => {
    if (random() < 0.5) await writes.renewOne();
  };
  return [...Array.from({ length: WRITERS_EACH }, () => write(newHost)), write(null), renew()];
}

export async function listDomains(world: World, people: readonly { person: Person }[]) {
  const domains = new Map<Person, Awaited<ReturnType<typeof everyDomain>>>();
  for (const { person } of people) domains.set(person, await everyDomain(person));
  const hosts = [...domains.values()]
    .flat()
    .map(({ hostname }) => world.hosts.all.get(hostname))
    .filter((host): host is Host => host !== undefined);
  return { domains, hosts };
}

/** Reconciles the messages until none is missing or `settleTimeoutMs` have passed. Returns the last result. */
export async function waitForMessages(
  world: World,
  hosts: readonly Host[],
  settleTimeoutMs: number,
): Promise<Reconciliation> {
  const until = Date.now() + settleTimeoutMs;
  const store = await world.store();
  for (;;) {
    const channels = [
      { name: 'mail', entries: world.mails.read() },
      { name: 'webhook', entries: world.webhooks.read() },
    ];
    const result = await reconcile({ store, hosts, channels });
    if (result.lost.length === 0 || Date.now() > until) return result;
    await delay(SETTLE_POLL_MS);
  }
}

const LATE_MS = 5 * MINUTE_MS;
const MAX_DUPLICATES = 0.01;

/** Minimum counts that make a run meaningful. */
interface Size {
  kills: number;
  notifications: number;
  writes: number;
}
const NO_MINIMUM: Size = { kills: 0, notifications: 0, writes: 0 };

/** Returns a summary of the run and the limits that its result breaks. */
export function killsOutcome(
  result: KillsResult,
  { mostDuplicates = MAX_DUPLICATES, min = NO_MINIMUM }: { mostDuplicates?: number; min?: Size } = {},
): Outcome {
  const { kills, acknowledged, domains, notifications, duplicates, waits } = result;
  const limits = createLimits();
  for (const what of [...result.lost, ...result.broken, ...result.strange, ...result.disordered])
    limits.expect(false, what);
  const { writes } = min;
  limits.expect(kills >= min.kills, `${kills} kills are fewer than ${min.kills}`);
  limits.expect(
    notifications >= min.notifications,
    `${notifications} notifications are fewer than ${min.notifications}`,
  );
  limits.expect(acknowledged >= writes, `${acknowledged} acknowledged writes are fewer than ${writes}`);
  const share = duplicates / Math.max(1, notifications);
  limits.expect(share <= mostDuplicates, `${duplicates} of ${notifications} arrived twice`);
  const late = waits.filter((wait) => wait > LATE_MS).length;
  limits.expect(late === 0, `${late} arrived more than ${LATE_MS / MINUTE_MS} minutes late`);
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
