import { deepEqual, equal, match } from 'node:assert/strict';
import { readdirSync, statfsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { freshDatabase } from '../kit/databases/database.ts';
import { assembleImage } from '../kit/product/image.ts';
import { startPostgres } from '../kit/databases/postgres-server.ts';
import { type Container, openEngine } from './engine.ts';
import { arrive, comeBack, type Peers, startPeers } from './journey.ts';
import { lastLines, run, step, StepFailed } from './steps.ts';

// Runs the built image. scripts/test-image.ts starts this program in namespaces of its own, where loopback is the only
// network. Therefore the containers may listen on the image's own address and port, and no request can leave the machine.

const folder = process.argv[2] ?? '';
const URL_OF_APP = 'http://localhost:8080';
const CGROUP2_MAGIC = 0x63677270;
/** Lists what the user can write, without devices and without the content of /data and /tmp. */
const LIST_WRITABLE = String.raw`
  find / \( -path /proc -o -path /sys -o -path /dev -o -path '/data/*' -o -path '/tmp/*' \) -prune \
    -o -writable ! -type l -print 2>/dev/null || true`;

await run(['ip', 'link', 'set', 'lo', 'up']);
// crun does not start if control groups of both versions are mounted, even if none are used.
if (statfsSync('/sys/fs/cgroup').type !== CGROUP2_MAGIC) {
  await run(['umount', '--recursive', '/sys/fs/cgroup']);
  await run(['mount', '-t', 'cgroup2', 'cgroup2', '/sys/fs/cgroup']);
}
const engine = await openEngine(folder);

await scenario('One process with the embedded database', async (peers, start) => {
  const startApp = () => start('app', 'embedded', peers.env);
  const app = await startApp();
  await verifyRestrictions(app);
  await step('Find the packages and files that npm test assembles for the same Dockerfile', () =>
    compareWithAssembled(app),
  );
  await step('Serve the pages', async () => {
    match(await (await fetch(URL_OF_APP)).text(), /^<!doctype html>/);
  });
  const owner = await arrive(URL_OF_APP, peers);
  await step('Run a command of the operator in the container', async () => {
    const { code, output } = await app.exec(['npm', 'run', 'admin', '--', 'accounts']);
    equal(code, 0, output);
    match(output, new RegExp(owner.email));
  });
  await stop(app);
  await startApp();
  await comeBack(owner, peers);
});

await scenario('ROLE=api and two workers on PostgreSQL', async (peers, start) => {
  const server = await startPostgres();
  if (server === null) throw new Error('There is no PostgreSQL.');
  const postgres = { url: server.url, template: 'certlantern_image' };
  const database = await freshDatabase('postgres', { migrated: false, postgres });
  const env = { ...peers.env, DATABASE_URL: database.databaseUrl ?? '' };

  await step('Create the tables with ROLE=migrate', () =>
    engine.runToEnd({
      name: 'migrate',
      volume: 'shared',
      env: { ...env, ROLE: 'migrate' },
      files: peers.files,
    }),
  );
  // All containers share one network namespace, so each needs a port of its own.
  const startAll = async () => [
    await start('api', 'shared', { ...env, ROLE: 'api' }),
    await start('worker-1', 'shared', { ...env, ROLE: 'worker', WORKER_PORT: '8081' }),
    await start('worker-2', 'shared', { ...env, ROLE: 'worker', WORKER_PORT: '8082' }),
  ];
  const containers = await startAll();
  for (const container of containers) await verifyRestrictions(container);
  const owner = await arrive(URL_OF_APP, peers);
  for (const container of containers) await stop(container);
  await startAll();
  await comeBack(owner, peers);
  await database.remove();
  await server.stop();
});
process.exit(0);

type Start = (name: string, volume: string, env: Record<string, string>) => Promise<Container>;

/** Runs a scenario with peers of its own, and then stops everything that it started. A failed step ends the scenario. */
async function scenario(title: string, play: (peers: Peers, start: Start) => Promise<void>): Promise<void> {
  process.stdout.write(`${title}\n`);
  const running = new Set<Container>();
  const peers = await startPeers(folder);
  try {
    await play(peers, (name, volume, env) =>
      step(`Start ${name} and wait for its health check`, async () => {
        const container = await engine.start({ name, volume, env, files: peers.files });
        running.add(container);
        return container;
      }),
    );
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    for (const container of running)
      process.stdout.write(`  ${container.name} printed:\n${lastLines(container.output())}\n`);
  }
  for (const container of running) await container.stop();
}

async function verifyRestrictions(container: Container): Promise<void> {
  await step(
    `Verify that ${container.name} runs as 1000:1000 and can write only /data and /tmp`,
    async () => {
      const { output: status } = await container.exec(['cat', '/proc/1/status']);
      const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
      deepEqual(
        ['Uid', 'Gid', 'CapEff', 'NoNewPrivs'].map((name) => field(name)),
        ['1000\t1000\t1000\t1000', '1000\t1000\t1000\t1000', '0000000000000000', '1'],
        status,
      );
      // Not even root can write, so the whole file system is read-only.
      const files = ['/written', '/app/written', '/etc/written', '/usr/written', '/var/tmp/written'];
      const { output: refusals } = await container.exec(['touch', ...files], '0');
      deepEqual(
        refusals.trim().split('\n'),
        files.map((file) => `touch: cannot touch '${file}': Read-only file system`),
        'what root can write',
      );
      const { stdout } = await container.exec(['sh', '-c', LIST_WRITABLE]);
      deepEqual(stdout.trim().split('\n').toSorted(), ['/data', '/tmp'], 'what the user can write');
    },
  );
}

/** Compares the image with the folder that tests of `npm test` use in its place. Skips the pages, which are built separately in each. */
async function compareWithAssembled(container: Container): Promise<void> {
  const assembled = assembleImage();
  try {
    const lock = await container.exec(['cat', 'node_modules/.package-lock.json']);
    const { packages } = JSON.parse(lock.stdout) as { packages: Record<string, unknown> };
    deepEqual(Object.keys(packages).toSorted(), assembled.packages.toSorted(), 'packages');

    const isCompared = (path: string): boolean => !/^(?:node_modules|dist)\//.test(path);
    const { stdout } = await container.exec(['find', '.', '-type', 'f', '-printf', String.raw`%P\n`]);
    const files = readdirSync(assembled.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(assembled.folder, join(parentPath, name)));
    deepEqual(
      stdout.trim().split('\n').filter(isCompared).toSorted(),
      files.filter(isCompared).toSorted(),
      'files',
    );
  } finally {
    assembled.remove();
  }
}

async function stop(container: Container): Promise<void> {
  await step(`Stop ${container.name} with SIGTERM`, async () => {
    equal(await container.stop(), 0, `exit code\n${lastLines(container.output())}`);
  });
}
