import type { Forecast } from '../../server/core/forecast/forecast.ts';
import { leadOf } from '../../server/core/forecast/forecast-schedule.ts';
import { makeForecast } from '../../server/core/forecast/make-forecast.ts';
import type { ForecastSource } from '../../server/probe/forecast/forecast-source.ts';
import { RENEWAL_FAULTS } from '../../tests/kit/product/renewal-faults.ts';
import type { AcmeClient, Solve } from './acme-client.ts';
import { realise, type World } from './worlds.ts';

export interface Pair {
  kind: (typeof RENEWAL_FAULTS)[number];
  fault: World;
  twin: World;
}

/** Returns pairs of a site with a fault and its healthy twin. The kinds take turns, so their numbers differ by at most one. */
export function pairsOf(count: number): Pair[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = RENEWAL_FAULTS[index % RENEWAL_FAULTS.length];
    if (kind === undefined) throw new Error('There are no kinds of faults.');
    return {
      kind,
      fault: realise(kind, { domain: `fault-${index}.com`, isFaulty: true }),
      twin: realise(kind, { domain: `twin-${index}.com`, isFaulty: false }),
    };
  });
}

/** Collects the evidence for a site over DNS and HTTP and makes its forecast. */
export async function forecastOf({ site, names }: World, source: ForecastSource): Promise<Forecast> {
  const { context } = site;
  const signal = new AbortController().signal;
  const evidence = await source.gather({ names, watchedHosts: names, now: context.now, signal });
  return makeForecast(evidence, { ...context, certificate: { ...context.certificate, sans: names } });
}

export interface KindResult {
  id: string;
  faults: number;
  foretold: number;
  twins: number;
  falseAlarms: number;
  /** Twins whose forecast says that the renewal works; the others are not known. */
  works: number;
  /** Renewals with Pebble: of sites with the fault that failed, and of twins that were issued. */
  judged: { faults: number; failed: number; twins: number; issued: number };
  /** Results that contradict the kind: a wrong forecast, a fault that Pebble renews, or a twin that it refuses. */
  odd: string[];
}

interface Judges {
  source: ForecastSource;
  /** Orders one certificate at a time. */
  acme: Pick<AcmeClient, 'order'>;
  solverOf: (world: World) => Solve;
}

/** Makes both forecasts of a pair, renews both certificates, and adds the outcomes to the result of the kind. */
export async function judgePair(
  { kind, fault, twin }: Pair,
  result: KindResult,
  judges: Judges,
): Promise<void> {
  const { source, acme, solverOf } = judges;
  const renew = (world: World): Promise<string | null> | null =>
    world.method === null ? null : acme.order(world.names, world.method, solverOf(world));
  const [early, calm] = [await forecastOf(fault, source), await forecastOf(twin, source)];
  const { certificate } = fault.site.context;
  const isInTime = early.at <= early.expectedAt - leadOf(certificate);
  result.faults++;
  result.twins++;
  if (early.outcome === 'fails' && isInTime) result.foretold++;
  else result.odd.push(`${kind.id}: the forecast of a fault is ${early.outcome}`);
  if (calm.outcome === 'works') result.works++;
  if (calm.outcome === 'fails') {
    result.falseAlarms++;
    const check = calm.checks.find(({ state }) => state === 'fails');
    result.odd.push(`${kind.id}: false alarm because of ${check?.code} ${check?.reason}`);
  }
  const [failed, issued] = [renew(fault), renew(twin)];
  if (failed !== null) {
    result.judged.faults++;
    if ((await failed) !== null) result.judged.failed++;
    else result.odd.push(`${kind.id}: Pebble renewed a certificate with the fault`);
  }
  if (issued === null) return;
  result.judged.twins++;
  const why = await issued;
  if (why === null) result.judged.issued++;
  else result.odd.push(`${kind.id}: Pebble did not renew the twin: ${why}`);
}
