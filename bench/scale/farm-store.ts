import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Store } from '../../server/store/db/open-store.ts';
import type { Tables } from '../../server/store/schema/tables.ts';
import { startApp } from '../../tests/kit/app.ts';
import { fillStore } from '../../tests/kit/large-store.ts';
import { type Person, sendTo, signUp } from '../../tests/kit/people.ts';
import { type Farm, startFarm, ZONES } from './farm.ts';
import { createDatabase, type Database, analyzeAndFlush } from './store-variants.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

/**
 * A store whose monitors check the farm. Their state is that of monitors which were checked before, so that no first checks
 * follow.
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

const FIRST_CHECKS_TIMEOUT_MS = 4 * MINUTE_MS;
/**
 * One check in this many includes the posture: a monitor with an interval of 15 minutes has 80 checks in the 20 hours between
 * two posture checks.
 */
const POSTURE_EVERY = 80;

/**
 * Creates a farm and a store of monitors for it. The product itself checks one monitor of each zone until its next check
 * is at the regular interval; the resulting rows are then copied to the other monitors of the zone.
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
    say(`${monitors.toLocaleString('en')} monitors; the product checks ${ZONES} of them first`);
    await waitForFirstChecks(store, farm);
  } finally {
    await app.stop();
  }
  await copyToAll(store);
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
 * Makes one host of each zone due and waits until the product has scheduled its next check at the regular interval.
 * Throws after four minutes.
 */
async function waitForFirstChecks({ db }: Store, farm: Farm): Promise<void> {
  const hosts = Array.from({ length: ZONES }, (_, zone) => farm.hostOf(zone));
  await db
    .updateTable('monitors')
    .set({ next_check_at: Date.now(), active: 1, paused_by: null })
    .where('host', 'in', hosts)
    .execute();
  for (const until = Date.now() + FIRST_CHECKS_TIMEOUT_MS; ;) {
    await delay(2_000);
    const { waiting } = await db
      .selectFrom('monitors')
      .select((eb) => eb.fn.countAll<number>().as('waiting'))
      .where('host', 'in', hosts)
      .where('next_check_at', '<', Date.now() + 5 * MINUTE_MS)
      .executeTakeFirstOrThrow();
    if (waiting === 0) return;
    if (Date.now() > until)
      throw new Error(`${waiting} monitors of the farm are still due after four minutes`);
  }
}

const COPIED_TABLES = [
  'verdicts',
  'evidence',
  'monitor_states',
  'check_runs',
  'monitor_certificates',
] as const;
const COPIED_COLUMNS = [
  'certificate_fingerprint',
  'not_after',
  'last_read_at',
  'uptime',
  'uptime_since',
  'problem',
  'problem_message',
];

async function copyToAll(store: Store): Promise<void> {
  const { db, dialect } = store;
  const zone =
    dialect === 'postgres' ? sql`split_part(host, '.', 2)` : sql`substr(host, instr(host, '.') + 1)`;
  await sql`create table bench_copies as
    select monitors.id as id, first.id as template, monitors.account_id as account_id
    from (select id, account_id, ${zone} as zone from monitors) as monitors
    join (select min(created_at) as created_at, ${zone} as zone from monitors group by ${zone}) as oldest
      on oldest.zone = monitors.zone
    join monitors as first on first.created_at = oldest.created_at and first.account_id = monitors.account_id
    where first.id <> monitors.id`.execute(db);
  for (const table of COPIED_TABLES) await copyRows(store, table);
  const set = COPIED_COLUMNS.map((name) => sql`${sql.ref(name)} = first.${sql.ref(name)}`);
  await sql`update monitors set ${sql.join(set)} from bench_copies, monitors as first
    where bench_copies.id = monitors.id and first.id = bench_copies.template
      and first.account_id = bench_copies.account_id and monitors.account_id = bench_copies.account_id`.execute(
    db,
  );
  await sql`drop table bench_copies`.execute(db);
  await backdatePostures(store);
}

async function copyRows({ db, dialect }: Store, table: keyof Tables): Promise<void> {
  const sample = await db.selectFrom(table).selectAll().limit(1).executeTakeFirst();
  if (sample === undefined) return;
  const columns = Object.keys(sample);
  const newId = dialect === 'postgres' ? sql`gen_random_uuid()::text` : sql`lower(hex(randomblob(16)))`;
  const values = columns.map((name) => {
    if (name === 'monitor_id') return sql`bench_copies.id`;
    return name === 'id' && table === 'monitor_certificates' ? newId : sql`rows.${sql.ref(name)}`;
  });
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
    select ${sql.join(values)} from bench_copies join ${sql.table(table)} as rows
      on rows.account_id = bench_copies.account_id and rows.monitor_id = bench_copies.template`.execute(db);
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
