import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database, DatabaseName } from '../kit/databases/database.ts';
import { serveThroughClockJump } from './clock-process.ts';
import { setClockAhead } from './clock.ts';
import { killAtRandomMoments, killsOutcome } from './kills.ts';
import { refuseMail } from './mail.ts';
import type { InsideOptions, InsideReport } from './namespaces/protocol.ts';
import type { Outcome } from './outcome.ts';
import { breakConnections } from './postgres.ts';
import { stallWorker } from './stall.ts';
import { refuseWebhooks } from './webhooks.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

export interface ScenarioWorld {
  databases: DatabaseName[];
  create: (name: DatabaseName) => Promise<Database>;
  seed: number;
  progress: (line: string) => void;
}

type Scenario = (world: ScenarioWorld) => Promise<[name: string, outcome: Outcome][]>;

/** Scenarios at full size, by their name on the command line. */
export const SCENARIOS: Record<string, Scenario> = {
  kills: (world) =>
    sequentially(world, async (database, name) =>
      killsOutcome(
        await killAtRandomMoments({
          database,
          kills: 210,
          domains: 1_000,
          ending: 0.6,
          down: 0.5,
          endsInMs: 100_000,
          longestLifeMs: 6_000,
          seed: world.seed,
          settleTimeoutMs: 8 * MINUTE_MS,
          progress: (line) => world.progress(`${name}: ${line}`),
        }),
        // These minimums hold for each of the two databases separately.
        { min: { kills: 200, notifications: 2_500, writes: 5_000 } },
      ),
    ),
  stall: (world) => onPostgres(world, (database) => stallWorker({ database })),
  postgres: (world) => onPostgres(world, (database) => breakConnections({ database, seed: world.seed })),
  disk: () => onSmallDisk(),
  network: ({ databases, seed }) => inNamespaces({ databases, seed, domains: 1_000 }),
  clock: async (world) => [
    ...(await concurrently(world, (database) =>
      setClockAhead({ database, domains: 400, due: 100, seed: world.seed }),
    )),
    ...(await concurrently(world, (database) => serveThroughClockJump({ database }))),
  ],
  mail: (world) =>
    concurrently(world, (database) => refuseMail({ database, accounts: 10, alerts: 5, seed: world.seed })),
  webhooks: (world) =>
    concurrently(world, (database) => refuseWebhooks({ database, alerts: 5, seed: world.seed })),
};

type Run = (database: Database, name: DatabaseName) => Promise<Outcome>;

async function runOn(name: DatabaseName, { create }: ScenarioWorld, run: Run): Promise<[string, Outcome]> {
  const database = await create(name);
  try {
    return [name, await run(database, name)];
  } finally {
    await database.remove();
  }
}

/** Runs a scenario on one database after the other, because it uses the whole machine. */
async function sequentially(world: ScenarioWorld, run: Run): Promise<[string, Outcome][]> {
  const outcomes: [string, Outcome][] = [];
  for (const name of world.databases) outcomes.push(await runOn(name, world, run));
  return outcomes;
}

/** Runs a scenario on all databases at once, because it mostly waits. */
const concurrently = (world: ScenarioWorld, run: Run): Promise<[string, Outcome][]> =>
  Promise.all(world.databases.map((name) => runOn(name, world, run)));

const onPostgres = (
  { databases, ...world }: ScenarioWorld,
  run: (database: Database) => Promise<Outcome>,
): Promise<[string, Outcome][]> =>
  concurrently({ ...world, databases: databases.filter((name) => name === 'postgres') }, run);

const isRoot = process.getuid?.() === 0;

/**
 * Runs a program of `namespaces/` with unshare(1). Returns its exit code and reports. Returns null if unshare cannot even run
 * the command `trial` on this machine.
 */
async function runUnshared(options: {
  flags: string[];
  trial: string[];
  wrapper?: string[];
  file: string;
  argument: string;
}): Promise<{ code: number | null; reports: unknown[] } | null> {
  const flags = isRoot ? options.flags : ['-r', ...options.flags];
  if (spawnSync('unshare', [...flags, ...options.trial]).status !== 0) return null;
  const reports: unknown[] = [];
  const child = fork(join(import.meta.dirname, 'namespaces', options.file), [options.argument], {
    execPath: 'unshare',
    execArgv: [...flags, ...(options.wrapper ?? []), process.execPath],
  });
  child.on('message', (report) => void reports.push(report));
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, reports };
}

const SKIPPED: [string, Outcome] = [
  'skipped',
  { line: 'needs Linux with unshare(1), ip(8), mount(8) and permission to create namespaces', broken: [] },
];
const endedEarly = (code: number | null): [string, Outcome] => [
  'all',
  { line: 'ended early', broken: [`the product's process ended with ${code}`] },
];

/** Runs the network scenario with one network namespace for the product and one for the monitored hosts. */
async function inNamespaces(options: InsideOptions): Promise<[string, Outcome][]> {
  // Without root, use SQLite only: PostgreSQL runs as another user, which does not exist in the user namespace of an
  // unprivileged user.
  const databases = options.databases.filter((name) => isRoot || name === 'sqlite');
  const argument = JSON.stringify({ ...options, databases });
  const run = await runUnshared({
    flags: ['-n'],
    trial: ['ip', 'link'],
    file: 'inside.ts',
    argument,
  });
  if (run === null) return [SKIPPED];
  if (run.code !== 0 || run.reports.length < databases.length) return [endedEarly(run.code)];
  return (run.reports as InsideReport[]).map(({ name, outcome }) => [name, outcome]);
}

const MOUNT = 'mount -t tmpfs -o size=32m tmpfs "$1" && shift && exec "$@"';

async function onSmallDisk(): Promise<[string, Outcome][]> {
  const folder = mkdtempSync(join(tmpdir(), 'certlantern-small-disk-'));
  try {
    const run = await runUnshared({
      flags: ['-m'],
      trial: ['mount', '-t', 'tmpfs', 'tmpfs', folder],
      wrapper: ['sh', '-c', MOUNT, 'sh', folder],
      file: 'small-disk.ts',
      argument: folder,
    });
    if (run === null) return [SKIPPED];
    const [outcome] = run.reports as Outcome[];
    return [outcome === undefined ? endedEarly(run.code) : ['sqlite', outcome]];
  } finally {
    rmdirSync(folder);
  }
}
