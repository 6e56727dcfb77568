import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Database, DatabaseName } from '../../tests/kit/database.ts';
import { setClockAhead } from './clock.ts';
import { fillDisk } from './disk.ts';
import { killAtRandomMoments, killsOutcome } from './kills.ts';
import { refuseMail } from './mail.ts';
import type { InsideOptions, InsideReport } from './namespaces/protocol.ts';
import type { Outcome } from './outcome.ts';
import { breakConnections } from './postgres.ts';
import { stallWorker } from './stall.ts';
import { refuseWebhooks } from './webhooks.ts';

export interface ScenarioWorld {
  databases: DatabaseName[];
  create: (name: DatabaseName) => Promise<Database>;
  seed: number;
  progress: (line: string) => void;
}

type Scenario = (world: ScenarioWorld) => Promise<[place: string, outcome: Outcome][]>;

/** At full size, by the names that the command takes. */
export const SCENARIOS: Record<string, Scenario> = {
  // Beside each other: much of the time passes until the leases of the killed are over.
  kills: (world) =>
    beside(world, async (database, name) =>
      killsOutcome(
        await killAtRandomMoments({
          ...{
            database,
            kills: 110,
            domains: 900,
            ending: 0.8,
            endsInMs: 100_000,
            longestLifeMs: 1_500,
            seed: world.seed,
          },
          patienceMs: 8 * 60_000,
          progress: (line) => world.progress(`${name}: ${line}`),
        }),
      ),
    ),
  stall: (world) => onPostgres(world, (database) => stallWorker({ database })),
  postgres: (world) => onPostgres(world, (database) => breakConnections({ database, seed: world.seed })),
  disk: async ({ create }) => [['sqlite', await fillDisk({ database: await create('sqlite') })]],
  network: ({ databases, seed }) => inNamespaces({ databases, seed, domains: 1_000 }),
  clock: (world) =>
    beside(world, (database) => setClockAhead({ database, domains: 400, due: 100, seed: world.seed })),
  mail: (world) =>
    beside(world, (database) => refuseMail({ database, accounts: 10, alerts: 5, seed: world.seed })),
  webhooks: (world) => beside(world, (database) => refuseWebhooks({ database, alerts: 5, seed: world.seed })),
};

async function beside(
  { databases, create }: ScenarioWorld,
  run: (database: Database, name: DatabaseName) => Promise<Outcome>,
): Promise<[string, Outcome][]> {
  return Promise.all(
    databases.map(async (name): Promise<[string, Outcome]> => {
      const database = await create(name);
      try {
        return [name, await run(database, name)];
      } finally {
        await database.remove();
      }
    }),
  );
}

const onPostgres = (
  { databases, ...world }: ScenarioWorld,
  run: (database: Database) => Promise<Outcome>,
): Promise<[string, Outcome][]> =>
  beside({ ...world, databases: databases.filter((name) => name === 'postgres') }, run);

/** A network of its own for the product, and one for the world. */
async function inNamespaces(options: InsideOptions): Promise<[string, Outcome][]> {
  const isRoot = process.getuid?.() === 0;
  const flags = isRoot ? ['-n'] : ['-rn'];
  if (spawnSync('unshare', [...flags, 'ip', 'link']).status !== 0)
    return [
      ['left out', { line: 'needs Linux with unshare(1), ip(8) and leave to make namespaces', broken: [] }],
    ];
  // PostgreSQL runs as another user, whom a namespace of an ordinary user does not know.
  const databases = options.databases.filter((name) => isRoot || name === 'sqlite');
  const reports: InsideReport[] = [];
  const child = fork(
    join(import.meta.dirname, 'namespaces', 'inside.ts'),
    [JSON.stringify({ ...options, databases })],
    { execPath: 'unshare', execArgv: [...flags, process.execPath] },
  );
  child.on('message', (report) => void reports.push(report as InsideReport));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0 || reports.length < databases.length)
    return [['all', { line: 'ended before its time', broken: [`the product's side ended with ${code}`] }]];
  return reports.map(({ name, outcome }) => [name, outcome]);
}
