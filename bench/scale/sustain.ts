import { setTimeout as delay } from 'node:timers/promises';
import { type App, freePort, startApp } from '../../tests/kit/product/app.ts';
import { type Person, sendTo, signIn } from '../../tests/kit/product/people.ts';
import { createFarmStore, spreadDue } from './farm-store.ts';
import { type Figure, percentile } from './figures.ts';
import { cpuOf, rssOf } from './process.ts';

export interface SustainOptions {
  monitors: number;
  /** Check interval of each monitor, ms. */
  everyMs: number;
  runMs: number;
  say: (text: string) => void;
}

/** Time at the start that is not measured, ms: the product compiles code and fills caches. */
const WARM_UP_MS = 10_000;
/** Maximum delay of a check, in ms. Checks that become due less than this before the end of the run are not counted. */
const MAX_LAG_MS = 30_000;
const ASK_EVERY_MS = 140;
/** Number of requests between two printed latencies. */
const REPORT_EVERY = 200;
const MB = 1_000_000;

/**
 * Measures the product as one process on SQLite that checks the farm while a person uses it: delays of checks, response
 * times, memory and CPU time.
 */
export async function measureSustained(options: SustainOptions): Promise<Figure[]> {
  const { monitors, everyMs, runMs, say } = options;
  const world = await createFarmStore('sqlite', { monitors, say, port: await freePort() });
  try {
    const from = Date.now() + 5_000;
    const due = await spreadDue(world.store, { from, overMs: everyMs });
    const app = await startApp(world.environment);
    let measured: Measured;
    try {
      const person = await signIn(sendTo(app.url), world.person);
      const closeStream = await openStream(person);
      await delay(Math.max(0, from + WARM_UP_MS - Date.now()));
      say(`${Math.round((monitors / everyMs) * 1_000)} checks a second for ${runMs / 1_000} s`);
      measured = await measure(app, person, { runMs, pages: Math.floor(monitors / 50), say });
      await closeStream();
    } finally {
      await app.stop();
    }
    const until = measured.startedAt + runMs;
    const rows = await world.store.db.selectFrom('monitors').select(['id', 'last_checked_at']).execute();
    const lags = rows.flatMap(({ id, last_checked_at: checkedAt }) => {
      const dueAt = due.get(id);
      if (dueAt === undefined || dueAt < measured.startedAt || dueAt > until - MAX_LAG_MS) return [];
      // For a monitor that was not checked by the end, count its delay until then.
      return [(checkedAt ?? 0) >= dueAt ? (checkedAt ?? 0) - dueAt : until - dueAt];
    });
    const checks = rows.filter(
      ({ last_checked_at: at }) => (at ?? 0) >= measured.startedAt && (at ?? 0) <= until,
    );
    return [
      {
        what: 'checks',
        value: checks.length / (runMs / 1_000),
        unit: 'a second',
        min: (0.95 * monitors) / (everyMs / 1_000),
      },
      { what: 'lag of a check, median', value: percentile(lags, 0.5) / 1_000, unit: 's' },
      { what: 'lag of a check, p99', value: percentile(lags, 0.99) / 1_000, unit: 's', max: 30 },
      { what: 'API meanwhile, median', value: percentile(measured.all, 0.5), unit: 'ms' },
      { what: 'API meanwhile, p99', value: percentile(measured.all, 0.99), unit: 'ms', max: 200 },
      ...Object.entries(measured.byKind).map(([kind, took]) => ({
        what: `  ${kind} (${took.length}), p99`,
        value: percentile(took, 0.99),
        unit: 'ms',
      })),
      { what: 'requests refused or failed', value: measured.failed, unit: '', max: 0 },
      { what: 'memory (RSS), most', value: measured.mostRss / MB, unit: 'MB', max: 400 },
      { what: 'CPU of the product', value: measured.cpuMs / runMs, unit: 'cores' },
      { what: 'CPU per check, pages included', value: measured.cpuMs / checks.length, unit: 'ms' },
    ];
  } finally {
    await world.remove();
  }
}

/** Opens the person's event stream as a dashboard does, and reads it. Returns a function that closes it. */
export async function openStream(person: Person): Promise<() => Promise<void>> {
  const { body } = await person.send('/api/events');
  if (body === null) throw new Error('The event stream is empty.');
  const reader = body.getReader();
  const read = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  const done = read();
  return async () => {
    await reader.cancel();
    await done;
  };
}

interface Measured {
  startedAt: number;
  all: number[];
  byKind: Record<string, number[]>;
  failed: number;
  mostRss: number;
  cpuMs: number;
}

async function measure(
  app: App,
  person: Person,
  { runMs, pages, say }: { runMs: number; pages: number; say: (text: string) => void },
): Promise<Measured> {
  const startedAt = Date.now();
  const pid = app.process.pid ?? 0;
  const cpuFrom = cpuOf(pid);
  const measured: Measured = { startedAt, all: [], byKind: {}, failed: 0, mostRss: 0, cpuMs: 0 };
  const requests: Promise<void>[] = [];
  // Requests start at a fixed rate, without waiting for earlier answers.
  for (let round = 0; Date.now() < startedAt + runMs; round++) {
    measured.mostRss = Math.max(measured.mostRss, rssOf(pid));
    requests.push(sendRequest(person, round, pages, measured));
    await delay(ASK_EVERY_MS);
    if (round % REPORT_EVERY === REPORT_EVERY - 1) {
      const lately = measured.all.slice(-REPORT_EVERY);
      say(
        `${Math.round((Date.now() - startedAt) / 1_000)} s: API p99 ${Math.round(percentile(lately, 0.99))} ms lately`,
      );
    }
  }
  measured.cpuMs = cpuOf(pid) - cpuFrom;
  await Promise.all(requests);
  return measured;
}

const SORTS = ['newest', 'soonest', 'worst', 'name'];

/** Returns the kind and path of request number `round`, in a mix like that of a dashboard. */
function requestOf(round: number, pages: number): [kind: string, path: string] {
  const sort = SORTS[round % SORTS.length] ?? 'newest';
  switch (round % 8) {
    case 0:
      return ['summary', '/api/domain/summary'];
    case 1:
      return ['list, some page', `/api/domain/list?sort=${sort}&page=${1 + ((round * 7_919) % pages)}`];
    case 2:
      return ['search', `/api/domain/list?sort=${sort}&q=h${(round * 7_919) % 100_000}`];
    case 3:
      return ['list by state', `/api/domain/list?sort=${sort}&status=ok`];
    default:
      return ['list, first page', `/api/domain/list?sort=${sort}&page=1`];
  }
}

async function sendRequest(person: Person, round: number, pages: number, measured: Measured): Promise<void> {
  const [kind, path] = requestOf(round, pages);
  const from = performance.now();
  const answer = await person.send(path).then(
    async (response) => (await response.text(), response.ok),
    () => false,
  );
  if (!answer) measured.failed += 1;
  const took = performance.now() - from;
  measured.all.push(took);
  (measured.byKind[kind] ??= []).push(took);
}
