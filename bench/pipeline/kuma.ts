import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../tests/kit/product/app.ts';
import { addressOf, type Farm, FARM_DOMAIN } from '../scale/farm.ts';
import { measureWindow, type Peer } from './window.ts';

/** Check interval of each monitor: one monitor makes one check a second. */
const INTERVAL_SECONDS = 1;
/** Uptime Kuma starts a monitor every 0.3 to 1 s, so the window begins when all of them have made checks. */
const START_MS_PER_MONITOR = 1_100;
const READY_MS = 180_000;
/** Number of checks before each window. Each needs a warm-up, because Uptime Kuma is started again for each window. */
const WARM_UP_CHECKS = 600;
/**
 * Smallest share of the checks that a window must have: Uptime Kuma begins each interval when the previous check ends, so on two
 * busy cores it makes fewer than one check a second.
 */
const MIN_SHARE = 0.7;

/**
 * Prepares the Uptime Kuma in `folder`, whose files stay as they are: it creates a database in `dataFolder`, and the bench adds monitors.
 * It runs only during its windows.
 */
export async function prepareKuma(folder: string, farm: Farm, dataFolder: string): Promise<Peer> {
  const kuma = { folder, dataFolder: join(dataFolder, 'kuma'), farm };
  mkdirSync(kuma.dataFolder);
  await stop(await start(kuma));
  return {
    name: 'Uptime Kuma',
    async window({ first, checks, seconds }) {
      const monitors = Math.round((checks / seconds) * INTERVAL_SECONDS);
      setMonitors(kuma, first, monitors);
      const child = await start(kuma);
      try {
        const warmUpMs = (WARM_UP_CHECKS / monitors) * INTERVAL_SECONDS * 1_000;
        await waitForMonitors(kuma, monitors);
        await delay(warmUpMs);
        const before = countChecks(kuma);
        const window = await measureWindow(child.pid ?? 0, 0, () => delay(seconds * 1_000));
        const done = countChecks(kuma) - before;
        if (done < checks * MIN_SHARE) throw new Error(`Uptime Kuma made ${done} of ${checks} checks`);
        return { ...window, checks: done };
      } finally {
        await stop(child);
      }
    },
    stop: () => Promise.resolve(),
  };
}

interface Kuma {
  folder: string;
  dataFolder: string;
  farm: Farm;
}

/** Starts Uptime Kuma and waits until it answers. @throws with its output if it ends instead, or after READY_MS */
async function start({ folder, dataFolder, farm }: Kuma): Promise<ChildProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, ['server/server.js', '--host=127.0.0.1', `--port=${port}`], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: farm.environment['EXTRA_CA_FILE'],
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(RESOLVE_FARM)}"`,
      DATA_DIR: `${dataFolder}/`,
      UPTIME_KUMA_DB_TYPE: 'sqlite',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-2_000)));
  const until = Date.now() + READY_MS;
  // While Uptime Kuma migrates its database, a temporary server answers at its port, without this path.
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/api/entry-page`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await answers())) {
    if (child.exitCode !== null || Date.now() > until) {
      await stop(child);
      throw new Error(`Uptime Kuma did not start from ${folder}:\n${output}`);
    }
    await delay(100);
  }
  return child;
}

/** Source of a module that Uptime Kuma loads to resolve the names of the farm. Other names are resolved as usual. */
const RESOLVE_FARM = `
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
const addressOf = ${addressOf.toString()};
const { lookup } = dns;
dns.lookup = (name, options, done) => {
  const number = /^h(\\d+)\\./.exec(name)?.[1];
  if (number === undefined || !name.endsWith('.${FARM_DOMAIN}')) return lookup(name, options, done);
  const address = addressOf(Number(number), 0);
  process.nextTick(() => options.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4));
};
syncBuiltinESMExports();
`;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  // Uptime Kuma takes seconds to stop on SIGTERM. Its database survives SIGKILL.
  child.kill('SIGKILL');
  await ended;
}

function withDatabase<T>({ dataFolder }: Kuma, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(dataFolder, 'kuma.db'), { timeout: 10_000 });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Replaces the monitors and their results by `count` monitors with Uptime Kuma's own defaults, from host `first` on. */
function setMonitors(kuma: Kuma, first: number, count: number): void {
  withDatabase(kuma, (database) => {
    database.exec('PRAGMA foreign_keys = ON; BEGIN; DELETE FROM monitor; DELETE FROM heartbeat');
    database.exec(`INSERT OR IGNORE INTO user (id, username, password) VALUES (1, 'bench', '')`);
    const add = database.prepare(
      `INSERT INTO monitor (id, name, user_id, type, url, interval, timeout) VALUES (?, ?, 1, 'http', ?, ${INTERVAL_SECONDS}, 16)`,
    );
    for (let index = 0; index < count; index++) {
      const host = kuma.farm.hostOf(first + index);
      add.run(index + 1, host, `https://${host}:${kuma.farm.port}/`);
    }
    database.exec('COMMIT');
  });
}

/** Returns how many checks found their host up. */
function countChecks(kuma: Kuma): number {
  return withDatabase(kuma, (database) =>
    Number(database.prepare('SELECT count(*) AS checks FROM heartbeat WHERE status = 1').get()?.['checks']),
  );
}

async function waitForMonitors(kuma: Kuma, monitors: number): Promise<void> {
  const until = Date.now() + READY_MS + monitors * START_MS_PER_MONITOR;
  const checked = (database: DatabaseSync): number =>
    Number(database.prepare('SELECT count(DISTINCT monitor_id) AS hosts FROM heartbeat').get()?.['hosts']);
  while (withDatabase(kuma, checked) < monitors) {
    if (Date.now() > until) throw new Error('Uptime Kuma did not check all hosts');
    await delay(500);
  }
}
