import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Store } from '../../server/store/db/open-store.ts';
import { startApp } from '../../tests/kit/product/app.ts';
import { fillStore } from '../../tests/kit/databases/large-store.ts';
import { type Person, sendTo, signUp } from '../../tests/kit/product/people.ts';
import { type Farm, startFarm } from './farm.ts';
import { analyzeAndFlush, createDatabase, type Database } from './store-variants.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';

/**
 * A store whose monitors check the farm. Its monitors are in the state of monitors that have been checked before, so that no
 * first checks follow.
 */
export interface FarmStore {
  database: Database;
  farm: Farm;
  /** Owner of all monitors. */
  person: Person;
  environment: Record<string, string> & { DATA_DIR: string };
  store: Store;
  remove(): Promise<void>;
}

/** Time for the first checks of a thousand monitors. */
const FIRST_CHECKS_MS_PER_THOUSAND = 30_000;
/**
 * One check in this many includes the posture: a monitor with an interval of 15 minutes has 80 checks in the 20 hours between
 * two posture checks.
 */
const POSTURE_EVERY = 80;

/**
 * Creates a farm and a store with monitors for it. The product checks each monitor until its next check is at the regular
 * interval. This takes about ten minutes for 100,000 monitors.
 */
export async function createFarmStore(
  kind: 'sqlite' | 'postgres',
  { monitors, port, say }: { monitors: number; port: number; say: (text: string) => void },
): Promise<FarmStore> {
  const database = await createDatabase(kind);
  const farm = await startFarm(database.dataDir);
  const environment = {
    ...farm.environment,
    DATA_DIR: database.dataDir,
    DATABASE_URL: database.databaseUrl ?? '',
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    BILLING: 'none',
    LOG_LEVEL: 'error',
  };
  const store = await database.open();
  const app = await startApp(environment);
  let person: Person;
  try {
    person = await signUp(sendTo(app.url), { name: 'Owner' });
    await fillStore(store, {
      largest: monitors,
      teams: 0,
      total: monitors,
      now: Date.now(),
      owner: person.id,
      endpointOf: (index) => ({ host: farm.hostOf(index), port: farm.port }),
    });
    say(`${monitors.toLocaleString('en')} monitors; the product checks each of them first`);
    await waitForFirstChecks(store, monitors);
  } finally {
    await app.stop();
  }
  await backdatePostures(store);
  // Marks the icons as fetched. Those of new hosts would be fetched for hours, those of old hosts hardly ever are.
  await store.db
    .updateTable('favicons')
    .set({ next_fetch_at: Date.now() + DAY_MS })
    .execute();
  await analyzeAndFlush(store);
  return {
    database,
    farm,
    person,
    environment,
    store,
    async remove() {
      await farm.stop();
      await database.remove();
    },
  };
}

/**
 * Makes all monitors due, and waits until the product has scheduled their next checks at the regular interval. @throws Error
 * after `FIRST_CHECKS_MS_PER_THOUSAND`
 */
async function waitForFirstChecks({ db }: Store, monitors: number): Promise<void> {
  await db.updateTable('monitors').set({ next_check_at: Date.now(), active: 1, paused_by: null }).execute();
  const until = Date.now() + MINUTE_MS + (monitors / 1_000) * FIRST_CHECKS_MS_PER_THOUSAND;
  for (;;) {
    await delay(2_000);
    const { waiting } = await db
      .selectFrom('monitors')
      .select((eb) => eb.fn.countAll<number>().as('waiting'))
      .where('next_check_at', '<', Date.now() + MINUTE_MS)
      .executeTakeFirstOrThrow();
    // Some monitors are always waiting: a first check may be late when the next one of its monitor is due.
    if (waiting <= monitors / 100) return;
    if (Date.now() > until) throw new Error(`${waiting} monitors of the farm are still due`);
  }
}

/** Backdates some posture results, so that the daily posture check is due for a share of the monitors. */
async function backdatePostures({ db }: Store): Promise<void> {
  const rows = await db
    .selectFrom('verdicts')
    .select(['account_id', 'monitor_id', 'id', 'verdict'])
    .execute();
  for (const row of rows.filter((_, index) => index % POSTURE_EVERY === 0))
    await db
      .updateTable('verdicts')
      .set({ verdict: row.verdict.replace(/"posture":\{"at":\d+/, '"posture":{"at":0') })
      .where('account_id', '=', row.account_id)
      .where('monitor_id', '=', row.monitor_id)
      .where('id', '=', row.id)
      .execute();
}

/**
 * Makes each active monitor due once, spread evenly over `overMs` from `from`. Returns the due times, ms UTC, by monitor
 * id.
 */
export async function spreadDue(
  { db }: Store,
  { from, overMs }: { from: number; overMs: number },
): Promise<Map<string, number>> {
  const rows = await db.selectFrom('monitors').select('id').where('active', '=', 1).orderBy('id').execute();
  // Order monitors by their random ids, so that hosts with consecutive numbers are not due together.
  const due = new Map(rows.map(({ id }, index) => [id, Math.floor(from + (index / rows.length) * overMs)]));
  await sql`update monitors set next_check_at = ${sql.lit(from)} + positions.position * ${sql.lit(overMs)} / ${sql.lit(rows.length)}
    from (select id, row_number() over (order by id) - 1 as position from monitors where active = 1) as positions
    where positions.id = monitors.id`.execute(db);
  return due;
}
