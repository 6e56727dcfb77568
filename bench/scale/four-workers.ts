import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../../server/store/db/open-store.ts';
import { freePort, startWorkerApp, type WorkerApp } from '../../tests/kit/product/app.ts';
import { createFarmStore, spreadDue } from './farm-store.ts';
import { type Figure, percentile } from './figures.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

export interface WorkersOptions {
  monitors: number;
  /** Time over which the checks fall due evenly, ms. */
  overMs: number;
  /** Time from the first due check until a worker is killed, ms. */
  killedAfterMs: number;
  say: (text: string) => void;
}

const WORKERS = 4;
const START_MS = 5_000;
const MAX_STARTING_MS = 2 * MINUTE_MS;
const MAX_RETAKEN_MS = 75_000;
/** Extra time for the last checks, ms; the slowest host takes three seconds. */
const LAST_MS = 15_000;
/** Minimum number of checks that the worker must be running when it is killed. */
const MIN_HELD = 3;

/**
 * Measures how evenly four workers on one PostgreSQL database share the checks, and how soon the others repeat the
 * checks of a killed worker.
 */
export async function measureWorkers({
  monitors,
  overMs,
  killedAfterMs,
  say,
}: WorkersOptions): Promise<Figure[]> {
  const world = await createFarmStore('postgres', { monitors, say, port: await freePort() });
  const { PORT: _, ...environment } = world.environment;
  const workers: WorkerApp[] = [];
  try {
    // Exclude the process that prepared the farm's store: some monitors still have its name in `claimed_by`.
    const before = new Set(await claimers(world.store));
    const names: string[] = [];
    for (let index = 0; index < WORKERS; index++) {
      workers.push(startWorkerApp(environment));
      names.push(await nameOfNext(world.store, new Set([...before, ...names])));
    }
    // Wait for running checks, because a check that is recorded after `spreadDue` would overwrite `next_check_at`.
    while ((await heldLeases(world.store)).length > 0) await delay(500);
    const from = Date.now() + START_MS;
    const due = await spreadDue(world.store, { from, overMs });
    say(`${WORKERS} workers, ${Math.round((monitors / overMs) * 1_000)} checks a second`);
    await delay(Math.max(0, from + killedAfterMs - Date.now()));
    const shares = await sharesSince(world.store, { from, names });
    say(`checks of each so far: ${shares.join(', ')}`);
    const [victim = ''] = names;
    while ((await heldLeases(world.store)).filter(({ by }) => by === victim).length < MIN_HELD)
      await delay(20);
    const killedAt = Date.now();
    await workers[0]?.kill();
    const held = (await heldLeases(world.store)).filter(({ by }) => by === victim);
    say(`one killed with SIGKILL during ${held.length} checks`);
    const retaken = await retakenAfter(world.store, held, killedAt);
    await delay(Math.max(0, from + overMs + LAST_MS - Date.now()));
    const lags = await lagsOf(world.store, due);
    const [min, max] = [Math.min(...shares), Math.max(...shares)];
    const mean = shares.reduce((sum, share) => sum + share, 0) / WORKERS;
    return [
      {
        what: 'workers that checked',
        value: shares.filter((share) => share > 0).length,
        unit: '',
        min: WORKERS,
      },
      { what: 'checks of each until the kill, on average', value: mean, unit: '' },
      {
        what: 'checks of the busiest, more than the idlest',
        value: (max / min - 1) * 100,
        unit: '%',
        max: 10,
      },
      { what: 'checks of the killed worker, repeated by others', value: retaken.length, unit: '', min: 1 },
      {
        what: 'the last of them repeated after',
        value: Math.max(...retaken) / 1_000,
        unit: 's',
        max: MAX_RETAKEN_MS / 1_000,
      },
      { what: 'monitors not checked in the end', value: lags.missing, unit: '', max: 0 },
      { what: 'lag of a check, p99', value: percentile(lags.lags, 0.99) / 1_000, unit: 's', max: 30 },
    ];
  } finally {
    for (const worker of workers) await worker.kill();
    await world.remove();
  }
}

async function claimers({ db }: Store): Promise<string[]> {
  const rows = await db.selectFrom('monitors').select('claimed_by').distinct().execute();
  return rows.flatMap(({ claimed_by: by }) => by ?? []);
}

/** Makes monitors due until a worker not in `known` has claimed one. Returns its name. Throws after two minutes. */
async function nameOfNext(store: Store, known: ReadonlySet<string>): Promise<string> {
  for (const until = Date.now() + MAX_STARTING_MS; Date.now() < until;) {
    await store.db
      .updateTable('monitors')
      .set({ next_check_at: Date.now() })
      .where('id', 'in', (eb) => eb.selectFrom('monitors').select('id').where('active', '=', 1).limit(1_000))
      .execute();
    await delay(2_000);
    const name = (await claimers(store)).find((by) => !known.has(by));
    if (name !== undefined) return name;
  }
  throw new Error('A worker claimed nothing for two minutes.');
}

/** Returns, for each worker, how many of the monitors checked since `from` it was the last to claim. */
async function sharesSince(
  { db }: Store,
  { from, names }: { from: number; names: readonly string[] },
): Promise<number[]> {
  const rows = await db
    .selectFrom('monitors')
    .select((eb) => ['claimed_by', eb.fn.countAll<number>().as('count')])
    .where('last_checked_at', '>=', from)
    .where('claimed_by', 'in', names)
    .groupBy('claimed_by')
    .execute();
  return names.map((name) => rows.find(({ claimed_by: by }) => by === name)?.count ?? 0);
}

interface Held {
  id: string;
  by: string | null;
}

async function heldLeases({ db }: Store): Promise<Held[]> {
  return db
    .selectFrom('monitors')
    .select(['id', 'claimed_by as by'])
    .where('lease_token', 'is not', null)
    .execute();
}

/**
 * Returns the times in ms from the kill until other workers checked the monitors that the killed worker had claimed. Infinity
 * for a monitor that they did not check within 150 s.
 */
async function retakenAfter({ db }: Store, held: readonly Held[], killedAt: number): Promise<number[]> {
  const ids = held.map(({ id }) => id);
  for (;;) {
    const rows = await db
      .selectFrom('monitors')
      .select('last_checked_at')
      .where('id', 'in', ids)
      .where('last_checked_at', '>', killedAt)
      .execute();
    const took = rows.map(({ last_checked_at: at }) => (at ?? 0) - killedAt);
    if (took.length === ids.length) return took;
    if (Date.now() > killedAt + 2 * MAX_RETAKEN_MS)
      return [...took, ...Array<number>(ids.length - took.length).fill(Number.POSITIVE_INFINITY)];
    await delay(250);
  }
}

async function lagsOf(
  { db }: Store,
  due: ReadonlyMap<string, number>,
): Promise<{ lags: number[]; missing: number }> {
  const rows = await db.selectFrom('monitors').select(['id', 'last_checked_at']).execute();
  const lags = rows.flatMap(({ id, last_checked_at: at }) => {
    const dueAt = due.get(id);
    return dueAt === undefined || (at ?? 0) < dueAt ? [] : [(at ?? 0) - dueAt];
  });
  return { lags, missing: due.size - lags.length };
}
