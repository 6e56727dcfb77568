import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Database } from '../kit/databases/database.ts';
import { keepWriting, killsOutcome, listDomains, waitForMessages } from './kills.ts';
import type { Outcome } from './outcome.ts';
import { seededRandom } from './random.ts';
import { createWorld } from './world.ts';
import { createWrites } from './writes.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

const ENDED_CONNECTIONS = 40;
const PAUSE_MS = 400;
const WAIT_TIMEOUT_MS = 5 * MINUTE_MS;

/**
 * Terminates the product's database connections while people write. Finally kills a PostgreSQL backend with SIGKILL,
 * which makes PostgreSQL recover as after a crash. The product's process keeps running.
 */
export async function breakConnections({
  database,
  seed,
}: {
  database: Database;
  seed: number;
}): Promise<Outcome> {
  const random = seededRandom(seed);
  const world = await createWorld(database);
  try {
    const app = await world.start();
    const person = await world.addPerson();
    const writes = createWrites(person, world.hosts);
    let broken = 0;
    for (let round = 0; round < ENDED_CONNECTIONS + 1; round++) {
      const ending = new AbortController();
      const newHost = () => world.hosts.add('ends in days');
      const busy = keepWriting(writes, { random, newHost, ending });
      await delay(random() * PAUSE_MS);
      broken += await breakOne(
        database.databaseUrl ?? '',
        round === ENDED_CONNECTIONS ? 'process' : 'connection',
      );
      ending.abort();
      await Promise.all(busy);
    }
    // Retry, because requests fail until PostgreSQL has recovered.
    const { domains, hosts } = await retry(() => listDomains(world, [{ person }]));
    const result = await waitForMessages(world, hosts, WAIT_TIMEOUT_MS);
    const lostWrites = writes.compare(domains.get(person) ?? []);
    if (app.process.exitCode !== null) lostWrites.push(`the product ended with ${app.process.exitCode}`);
    return killsOutcome({
      ...result,
      kills: broken,
      acknowledged: writes.acknowledged(),
      domains: hosts.length,
      broken: lostWrites,
    });
  } finally {
    await world.end();
  }
}

/** Ends one connection of the product, or kills its backend process. Returns 1, or 0 if there was no connection. */
async function breakOne(databaseUrl: string, how: 'connection' | 'process'): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1`,
    );
    const pid = rows[0]?.pid;
    if (pid === undefined) return 0;
    if (how === 'process') process.kill(pid, 'SIGKILL');
    else await client.query('select pg_terminate_backend($1)', [pid]);
    return 1;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function retry<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === 60) throw error;
      await delay(1_000);
    }
  }
}
