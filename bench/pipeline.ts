import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { freePort, startApp } from '../tests/kit/product/app.ts';
import { sendTo, signIn } from '../tests/kit/product/people.ts';
import { startBlackboxHttp } from './pipeline/blackbox-http.ts';
import { measureIdle, type Window } from './pipeline/window.ts';
import { createFarmStore } from './scale/farm-store.ts';
import { type Figure, isMissed, tableOf } from './scale/figures.ts';
import { cpuOf } from './scale/process.ts';
import { openStream } from './scale/sustain.ts';
import { ownWindow } from './pipeline/own-window.ts';

// Compares the whole product with blackbox_exporter, and with Uptime Kuma if it runs. Exits with 1 if a target is missed.

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    rates: { type: 'string', default: '10,30,60' },
    'kuma-pid': { type: 'string' },
    'kuma-db': { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const rates = values.rates.split(',').map(Number);
/**
 * Number of monitors. It exceeds the 8,192 signatures that the product remembers, so that every signature is verified anew,
 * as with very many certificates.
 */
const MONITORS = 10_000;
const TARGETS = new Map([
  [10, 0.75],
  [60, 0.6],
]);
const IDLE_MS = 30_000;
const WARM_UP_SECONDS = 30;
const WARM_UP_CHECKS = 60 * WARM_UP_SECONDS;

const say = (text: string): void => void process.stdout.write(`  ${text}\n`);
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? Number.NaN;

const world = await createFarmStore('sqlite', { monitors: MONITORS, say, port: await freePort() });
const blackbox = await startBlackboxHttp(world.farm, world.environment.DATA_DIR);
const app = await startApp(world.environment);
const pid = app.process.pid ?? 0;
const figures: Figure[] = [];
try {
  const closeStream = await openStream(await signIn(sendTo(app.url), world.person));
  const kumaFrom = kuma();
  // Not measured: the product compiles code and fills caches during its first checks.
  await ownWindow({ world, pid, first: 0, checks: WARM_UP_CHECKS, seconds: WARM_UP_SECONDS });
  let next = WARM_UP_CHECKS;
  for (const rate of rates) {
    const ours: Window[] = [];
    const theirs: Window[] = [];
    for (let round = 0; round < rounds; round++) {
      ours.push(await ownWindow({ world, pid, first: next, checks: rate * seconds, seconds }));
      if (blackbox !== null)
        theirs.push(await blackbox.window({ first: next, checks: rate * seconds, seconds }));
      next = (next + rate * seconds) % MONITORS;
      say(`${rate} a second, round ${round + 1} of ${rounds}`);
    }
    figures.push(...compared(rate, ours, theirs));
  }
  await closeStream();
  figures.push(...kumaFigures(kumaFrom));
  const idle = await measureIdle(world, pid, IDLE_MS);
  figures.push({ what: 'CPU without due checks and pages', value: idle, unit: 'ms a second', max: 5 });
} finally {
  await app.stop();
  await blackbox?.stop();
  await world.remove();
}
process.stdout.write(`${tableOf(figures)}\n`);
process.exitCode = figures.some(isMissed) ? 1 : 0;

function compared(rate: number, ours: readonly Window[], theirs: readonly Window[]): Figure[] {
  const of = (windows: readonly Window[], pick: (window: Window) => number) => median(windows.map(pick));
  const [own, other] = [ours, theirs].map((windows) => of(windows, ({ cpuMs, checks }) => cpuMs / checks));
  const at = `at ${rate} a second`;
  const max = TARGETS.get(rate);
  return [
    { what: `${at}: CPU per check`, value: own ?? Number.NaN, unit: 'ms' },
    ...(theirs.length === 0
      ? []
      : [
          { what: `${at}: CPU per probe of blackbox_exporter`, value: other ?? Number.NaN, unit: 'ms' },
          {
            what: `${at}: ratio`,
            value: (own ?? Number.NaN) / (other ?? Number.NaN),
            unit: '×',
            ...(max !== undefined && { max }),
          },
          {
            what: `${at}: memory of blackbox_exporter`,
            value: of(theirs, ({ rss }) => rss) / 1e6,
            unit: 'MB',
          },
        ]),
    { what: `${at}: memory`, value: of(ours, ({ rss }) => rss) / 1e6, unit: 'MB' },
    {
      what: `${at}: written per check`,
      value: of(ours, ({ written, checks }) => written / checks / 1e3),
      unit: 'kB',
    },
  ];
}

interface KumaState {
  cpuMs: number;
  checks: number;
}

/** Returns the CPU time and the number of checks of the Uptime Kuma that was named; null without one. */
function kuma(): KumaState | null {
  const { 'kuma-pid': id, 'kuma-db': file } = values;
  if (id === undefined || file === undefined) return null;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const row = database.prepare('select count(*) as checks from heartbeat').get();
    return { cpuMs: cpuOf(Number(id)), checks: Number(row?.['checks']) };
  } finally {
    database.close();
  }
}

function kumaFigures(before: KumaState | null): Figure[] {
  const after = kuma();
  if (before === null || after === null) return [];
  const checks = after.checks - before.checks;
  return [{ what: 'Uptime Kuma: CPU per check', value: (after.cpuMs - before.cpuMs) / checks, unit: 'ms' }];
}
