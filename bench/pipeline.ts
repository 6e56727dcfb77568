import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort, startApp } from '../tests/kit/product/app.ts';
import { sendTo, signIn } from '../tests/kit/product/people.ts';
import { startBlackboxHttp } from './pipeline/blackbox-http.ts';
import { prepareKuma } from './pipeline/kuma.ts';
import { measureIdle, type Peer, type Window } from './pipeline/window.ts';
import { createFarmStore } from './scale/farm-store.ts';
import { type Figure, isMissed, tableOf } from './scale/figures.ts';
import { openStream } from './scale/sustain.ts';
import { ownWindow } from './pipeline/own-window.ts';

// Compares the whole product with blackbox_exporter and, with `--kuma FOLDER`, with the Uptime Kuma in this folder. Exits with 1
// if a target is missed.

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    rates: { type: 'string', default: '10,30,60' },
    kuma: { type: 'string' },
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
/** Limits of the ratio to another program, by rate. */
const TARGETS = new Map<string, Map<number, number>>([
  [
    'blackbox_exporter',
    new Map([
      [10, 1.4],
      [60, 0.9],
    ]),
  ],
  [
    'Uptime Kuma',
    new Map([
      [10, 0.35],
      [60, 0.22],
    ]),
  ],
]);
const IDLE_MS = 30_000;
const WARM_UP_SECONDS = 30;
const WARM_UP_CHECKS = 60 * WARM_UP_SECONDS;

const say = (text: string): void => void process.stdout.write(`  ${text}\n`);
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? Number.NaN;

const world = await createFarmStore('sqlite', { monitors: MONITORS, say, port: await freePort() });
const folder = world.environment.DATA_DIR;
const peers = [
  await startBlackboxHttp(world.farm, folder),
  values.kuma === undefined ? null : await prepareKuma(resolve(values.kuma), world.farm, folder),
].filter((peer) => peer !== null);
const app = await startApp(world.environment);
const pid = app.process.pid ?? 0;
const figures: Figure[] = [];
try {
  const closeStream = await openStream(await signIn(sendTo(app.url), world.person));
  // Not measured: the product compiles code and fills caches during its first checks.
  await ownWindow({ world, pid, first: 0, checks: WARM_UP_CHECKS, seconds: WARM_UP_SECONDS });
  let next = WARM_UP_CHECKS;
  for (const rate of rates) {
    const ours: Window[] = [];
    const theirs = new Map(peers.map((peer) => [peer, [] as Window[]]));
    for (let round = 0; round < rounds; round++) {
      const part = { first: next, checks: rate * seconds, seconds };
      ours.push(await ownWindow({ world, pid, ...part }));
      for (const [peer, windows] of theirs) windows.push(await peer.window(part));
      next = (next + rate * seconds) % MONITORS;
      // Printed at once, so that the figures are not lost if a later window fails.
      const costs = [
        ['the product', ours] as const,
        ...[...theirs].map(([{ name }, windows]) => [name, windows] as const),
      ];
      const latest = costs.map(([name, windows]) => `${name} ${costOf(windows.at(-1))}`).join(', ');
      say(`${rate} a second, round ${round + 1} of ${rounds}: ${latest}`);
    }
    const at = `at ${rate} a second`;
    figures.push(...figuresOf(`${at}: `, ours));
    for (const [peer, windows] of theirs) figures.push(...compared(at, peer, windows, ours, rate));
  }
  await closeStream();
  const idle = await measureIdle(world, pid, IDLE_MS);
  figures.push({ what: 'CPU without due checks and pages', value: idle, unit: 'ms a second', max: 5 });
} finally {
  await app.stop();
  for (const peer of peers) await peer.stop();
  await world.remove();
}
process.stdout.write(`${tableOf(figures)}\n`);
process.exitCode = figures.some(isMissed) ? 1 : 0;

function figuresOf(prefix: string, windows: readonly Window[]): Figure[] {
  const of = (pick: (window: Window) => number): number => median(windows.map(pick));
  return [
    { what: `${prefix}CPU per check`, value: of(cpuPerCheck), unit: 'ms' },
    { what: `${prefix}memory`, value: of(({ rss }) => rss) / 1e6, unit: 'MB' },
    {
      what: `${prefix}written per check`,
      value: of(({ written, checks }) => written / checks / 1e3),
      unit: 'kB',
    },
  ];
}

/** Returns the CPU time per check of a window, and how many checks it made. */
function costOf(window: Window | undefined): string {
  return window === undefined ? '' : `${cpuPerCheck(window).toFixed(2)} ms (${window.checks} checks)`;
}

function cpuPerCheck({ cpuMs, checks }: Window): number {
  return cpuMs / checks;
}

/** Returns the figures of another program, and the median of the ratios of the rounds with their least and greatest. */
function compared(
  at: string,
  { name }: Peer,
  theirs: readonly Window[],
  ours: readonly Window[],
  rate: number,
): Figure[] {
  const ratios = ours.map((own, round) => {
    const other = theirs[round];
    return other ? cpuPerCheck(own) / cpuPerCheck(other) : Number.NaN;
  });
  const spread = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2)).join(' to ');
  const max = TARGETS.get(name)?.get(rate);
  return [
    ...figuresOf(`${at}, ${name}: `, theirs),
    {
      what: `${at}: ratio to ${name} (${spread})`,
      value: median(ratios),
      unit: '×',
      ...(max !== undefined && { max }),
    },
  ];
}
