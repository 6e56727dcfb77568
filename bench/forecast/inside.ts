import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createDnsReader } from '../../server/egress/dns/dns-reader.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createSemaphore } from '../../server/egress/with-timeout.ts';
import { createForecastSource, type ForecastSource } from '../../server/probe/forecast/forecast-source.ts';
import { type BindZone, startBind } from '../../tests/kit/peers/bind.ts';
import { startUnbound } from '../../tests/kit/peers/unbound.ts';
import { RENEWAL_FAULTS } from '../../tests/kit/product/renewal-faults.ts';
import { judgePair, type KindResult, pairsOf } from './accuracy.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { createAcmeClient } from './acme-client.ts';
import { measureCpu, measureSchedule } from './cost.ts';
import { measureLoop } from './loop.ts';
import { createSolver, startPebble, startWebServers } from './services.ts';
import { ADDRESSES, BOGUS_ZONE, SHARED_ZONE, type World } from './worlds.ts';

// Runs in a network namespace, where ports 80 and 443 and the addresses of the sites belong to it.

const CONCURRENCY = 8;
const PAIRS = Number(process.argv[2] ?? 500);

const folder = mkdtempSync(join(tmpdir(), 'bench-forecast-'));
const stops: (() => Promise<unknown>)[] = [];
const sub = (name: string): string => {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
};
try {
  const pairs = pairsOf(PAIRS);
  const worlds = pairs.flatMap(({ fault, twin }) => [fault, twin]);
  const bind = await startBind(sub('bind'), zonesOf(worlds));
  stops.push(() => bind.stop());
  const unbound = await startUnbound(sub('unbound'), bind, { cacheSeconds: 0 });
  stops.push(() => unbound.stop());
  const pebble = await startPebble(sub('pebble'), unbound.address);
  stops.push(() => pebble.stop());
  const tokens = new Map<string, string>();
  const web = await startWebServers(worlds, tokens);
  stops.push(() => web.stop());
  const key = join(folder, 'sites.key');
  execFileSync('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', key]);
  const client = await createAcmeClient(pebble.directory, key);
  // With several orders at once, Pebble 2.4 sometimes exited.
  const oneByOne = createSemaphore(1);
  const acme = {
    order: (...order: Parameters<typeof client.order>) => oneByOne(() => client.order(...order)),
  };

  const policy = createAddressPolicy(['0.0.0.0/0', '::/0'], () => []);
  const resolver = createResolver({ servers: [unbound.address], policy });
  // The addresses of the sites are those for documentation, which are not public.
  const createSource = () =>
    createForecastSource({
      reader: createDnsReader({ servers: [unbound.address], now: Date.now }),
      resolver,
      policy,
      reach: 'all',
    });
  const source = createSource();
  const results = new Map(RENEWAL_FAULTS.map(({ id }) => [id, emptyResult(id)]));
  const limited = createSemaphore(CONCURRENCY);
  await Promise.all(
    pairs.map((pair) =>
      limited(async () => {
        const result = results.get(pair.kind.id);
        const solverOf = (world: World) => createSolver(bind.address, world, tokens);
        if (result !== undefined) await judgePair(pair, result, { source, acme, solverOf });
      }),
    ),
  );
  const isAccurate = report([...results.values()]);
  const healthy = worlds.filter(({ names, method }) => names.length === 3 && method !== null);
  const isCheap = await reportCost(healthy.slice(0, 300), { folder: sub('store'), createSource });
  process.exitCode = isCheap && isAccurate ? 0 : 1;
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true });
}

function zonesOf(worlds: readonly World[]): BindZone[] {
  const { web } = ADDRESSES;
  const shared = [...new Set(worlds.flatMap((world) => world.shared))].join('\n');
  return [
    ...worlds.flatMap(({ zones }) => zones),
    { name: SHARED_ZONE, records: shared },
    {
      name: BOGUS_ZONE,
      signatures: 'missing',
      records: `* TXT "x"\nweb A ${web[4]}\nweb AAAA ${web[6]}`,
    },
  ];
}

function emptyResult(id: string): KindResult {
  const judged = { faults: 0, failed: 0, twins: 0, issued: 0 };
  return { id, faults: 0, foretold: 0, twins: 0, falseAlarms: 0, works: 0, judged, odd: [] };
}

function report(results: readonly KindResult[]): boolean {
  const widths = [28, 12, 14, 16, 18, 18];
  const row = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('')
      .trimEnd();
  const lines = results.map(({ id, faults, foretold, twins, falseAlarms, works, judged }) =>
    row([
      id,
      `${foretold} of ${faults}`,
      `${falseAlarms} of ${twins}`,
      `${works} of ${twins}`,
      judged.faults === 0 ? '–' : `${judged.failed} of ${judged.faults}`,
      judged.twins === 0 ? '–' : `${judged.issued} of ${judged.twins}`,
    ]),
  );
  const isMet = ({ faults, foretold, twins, falseAlarms, odd }: KindResult): boolean =>
    foretold >= 0.95 * faults && falseAlarms <= 0.01 * twins && odd.length === 0;
  const missed = results.filter((result) => !isMet(result));
  const odd = results.flatMap((result) => [...new Set(result.odd)]);
  const head = row([
    'kind of fault',
    'foretold',
    'false alarms',
    'twin “works”',
    'Pebble refused',
    'Pebble issued twin',
  ]);
  process.stdout.write(`${[head, ...lines, '', ...odd].join('\n')}\n`);
  const verdict = missed.length === 0 ? 'PASS' : `MISSED for ${missed.map(({ id }) => id).join(', ')}`;
  process.stdout.write(`at least 95 % foretold, at most 1 % false alarms, per kind: ${verdict}\n`);
  return missed.length === 0;
}

/** Prints what forecasts cost. `worlds`: sites with three names. */
async function reportCost(
  worlds: readonly World[],
  options: { folder: string; createSource: () => ForecastSource },
): Promise<boolean> {
  const evidenceMs = await measureCpu(worlds, options.createSource());
  const cpuMs = await measureLoop(worlds, options);
  const { questions, forecasts } = await measureSchedule();
  const share = (cpuMs * forecasts * 100_000) / DAY_MS;
  const verdict = (isMet: boolean): string => (isMet ? 'PASS' : 'MISSED');
  process.stdout.write(
    [
      `${forecasts.toFixed(2)} forecasts for a certificate a day`,
      `${evidenceMs.toFixed(1)} ms of CPU time for a forecast without the database, ${cpuMs.toFixed(1)} ms in the worker's loop on SQLite`,
      `${questions.toFixed(2)} DNS queries for a certificate of three names a day, at most 5: ${verdict(questions <= 5)}`,
      `${(100 * share).toFixed(2)} % of a core for 100,000 domains with a certificate each, at most 2: ${verdict(share <= 0.02)}`,
      '',
    ].join('\n'),
  );
  return questions <= 5 && share <= 0.02;
}
