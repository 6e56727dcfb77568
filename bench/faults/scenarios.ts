import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database, DatabaseName } from '../../tests/kit/database.ts';
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

type Scenario = (world: ScenarioWorld) => Promise<[place: string, outcome: Outcome][]>;

/** At full size, by the names that the command takes. */
export const SCENARIOS: Record<string, Scenario> = {
  kills: (world) =>
    oneByOne(world, async (database, name) =>
      killsOutcome(
        await killAtRandomMoments({
          database,
          kills: 110,
          domains: 1_000,
          ending: 0.8,
          endsInMs: 100_000,
          longestLifeMs: 6_000,
          seed: world.seed,
          patienceMs: 8 * MINUTE_MS,
          progress: (line) => world.progress(`${name}: ${line}`),
        }),
        // Of each database the half of what both together have to show.
        { least: { kills: 100, notifications: 2_500, writes: 5_000 } },
      ),
    ),
  stall: (world) => onPostgres(world, (database) => stallWorker({ database })),
  postgres: (world) => onPostgres(world, (database) => breakConnections({ database, seed: world.seed })),
  disk: () => onSmallDisk(),
  network: ({ databases, seed }) => inNamespaces({ databases, seed, domains: 1_000 }),
  clock: (world) =>
    beside(world, (database) => setClockAhead({ database, domains: 400, due: 100, seed: world.seed })),
  mail: (world) =>
    beside(world, (database) => refuseMail({ database, accounts: 10, alerts: 5, seed: world.seed })),
  webhooks: (world) => beside(world, (database) => refuseWebhooks({ database, alerts: 5, seed: world.seed })),
};

type Run = (database: Database, name: DatabaseName) => Promise<Outcome>;

async function on(name: DatabaseName, { create }: ScenarioWorld, run: Run): Promise<[string, Outcome]> {
  const database = await create(name);
  try {
    return [name, await run(database, name)];
  } finally {
    await database.remove();
  }
}

/** For what uses the whole machine. */
async function oneByOne(world: ScenarioWorld, run: Run): Promise<[string, Outcome][]> {
  const outcomes: [string, Outcome][] = [];
  for (const name of world.databases) outcomes.push(await on(name, world, run));
  return outcomes;
}

/** For what waits most of the time. */
const beside = (world: ScenarioWorld, run: Run): Promise<[string, Outcome][]> =>
  Promise.all(world.databases.map((name) => on(name, world, run)));

const onPostgres = (
  { databases, ...world }: ScenarioWorld,
  run: (database: Database) => Promise<Outcome>,
): Promise<[string, Outcome][]> =>
  beside({ ...world, databases: databases.filter((name) => name === 'postgres') }, run);

const isRoot = process.getuid?.() === 0;

/** Runs one of the folder `namespaces` behind `unshare`; what it reported, and null where it cannot be had here. */
async function unshared(options: {
  flags: string[];
  needs: string[];
  within?: string[];
  file: string;
  argument: string;
}): Promise<{ code: number | null; reports: unknown[] } | null> {
  const flags = isRoot ? options.flags : ['-r', ...options.flags];
  if (spawnSync('unshare', [...flags, ...options.needs]).status !== 0) return null;
  const reports: unknown[] = [];
  const child = fork(join(import.meta.dirname, 'namespaces', options.file), [options.argument], {
    execPath: 'unshare',
    execArgv: [...flags, ...(options.within ?? []), process.execPath],
  });
  child.on('message', (report) => void reports.push(report));
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, reports };
}

const LEFT_OUT: [string, Outcome] = [
  'left out',
  { line: 'needs Linux with unshare(1), ip(8), mount(8) and leave to make namespaces', broken: [] },
];
const tooSoon = (code: number | null): [string, Outcome] => [
  'all',
  { line: 'ended before its time', broken: [`the product's side ended with ${code}`] },
];

/** A network of its own for the product, and one for the world. */
async function inNamespaces(options: InsideOptions): Promise<[string, Outcome][]> {
  // PostgreSQL runs as another user, whom a namespace of an ordinary user does not know.
  const databases = options.databases.filter((name) => isRoot || name === 'sqlite');
  const argument = JSON.stringify({ ...options, databases });
  const run = await unshared({
    flags: ['-n'],
    needs: ['ip', 'link'],
    file: 'inside.ts',
    argument,
  });
  if (run === null) return [LEFT_OUT];
  if (run.code !== 0 || run.reports.length < databases.length) return [tooSoon(run.code)];
  return (run.reports as InsideReport[]).map(({ name, outcome }) => [name, outcome]);
}

const MOUNT = 'mount -t tmpfs -o size=32m tmpfs "$1" && shift && exec "$@"';

async function onSmallDisk(): Promise<[string, Outcome][]> {
  const folder = mkdtempSync(join(tmpdir(), 'certlantern-small-disk-'));
  try {
    const run = await unshared({
      flags: ['-m'],
      needs: ['mount', '-t', 'tmpfs', 'tmpfs', folder],
      within: ['sh', '-c', MOUNT, 'sh', folder],
      file: 'small-disk.ts',
      argument: folder,
    });
    if (run === null) return [LEFT_OUT];
    const [outcome] = run.reports as Outcome[];
    return [outcome === undefined ? tooSoon(run.code) : ['sqlite', outcome]];
  } finally {
    rmdirSync(folder);
  }
}
