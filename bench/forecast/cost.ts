import { DAY_MS } from '../../contract/durations.ts';
import type { Forecast } from '../../server/core/forecast/forecast.ts';
import { nextForecastAt } from '../../server/core/forecast/forecast-schedule.ts';
import { makeForecast } from '../../server/core/forecast/make-forecast.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createDnsReader } from '../../server/egress/dns/dns-reader.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { createSemaphore } from '../../server/egress/with-timeout.ts';
import { createForecastSource, type ForecastSource } from '../../server/probe/forecast/forecast-source.ts';
import { startDnsServer } from '../../tests/kit/peers/dns-server.ts';
import { healthySite, NOW, type RenewalSite } from '../../tests/kit/product/renewal-site.ts';
import { forecastOf } from './accuracy.ts';
import { ADDRESSES, type World } from './worlds.ts';

const CERTIFICATES = 1_000;
const LIFETIME_DAYS = 90;
/** A whole lifetime, so that each certificate passes all parts of the schedule. */
const DAYS = LIFETIME_DAYS;
const CONCURRENCY = 64;

export interface ScheduleCost {
  /** Per certificate and day. */
  questions: number;
  forecasts: number;
}

/**
 * Follows the schedule of 1,000 certificates of three names for 90 days on a simulated clock. Each certificate has its own domain and is renewed on
 * the expected day. Counts the DNS queries that reach a name server.
 */
export async function measureSchedule(): Promise<ScheduleCost> {
  let clock = NOW;
  let forecasts = 0;
  const sites = Array.from({ length: CERTIFICATES }, (_, index) =>
    healthySite(`cost-${index}.com`, { ageDays: (index * 60) / CERTIFICATES, lifetimeDays: LIFETIME_DAYS }),
  );
  const addresses = Object.values(ADDRESSES.web);
  const names = sites.flatMap(({ context }) => context.certificate.sans);
  const dns = await startDnsServer(
    Object.fromEntries(names.map((name) => [name, { addresses, ttlSeconds: 300, negativeTtlSeconds: 300 }])),
  );
  const policy = createAddressPolicy(['0.0.0.0/0', '::/0'], () => []);
  const source = createForecastSource({
    reader: createDnsReader({ servers: [dns.address], now: () => clock }),
    resolver: createResolver({ servers: [dns.address], policy }),
    policy,
    reach: 'public',
  });
  const queue = sites.map((site) => ({ site, dueAt: clock, previous: null as Forecast | null }));
  const end = clock + DAYS * DAY_MS;
  const limited = createSemaphore(CONCURRENCY);
  for (let due = queue; due.length > 0; due = queue.filter(({ dueAt }) => dueAt <= clock)) {
    await Promise.all(
      due.map((one) =>
        limited(async () => {
          forecasts++;
          const forecast = await forecastAt(one.site, { source, now: clock });
          const { certificate } = one.site.context;
          one.dueAt = nextForecastAt(forecast, one.previous, certificate, clock);
          one.previous = forecast;
          if (one.dueAt < forecast.expectedAt) return;
          one.site = renewed(one.site, forecast.expectedAt);
          one.previous = null;
          one.dueAt = Math.max(clock, forecast.expectedAt);
        }),
      ),
    );
    clock = Math.min(...queue.map(({ dueAt }) => dueAt));
    if (clock >= end) break;
  }
  await dns.stop();
  const days = CERTIFICATES * DAYS;
  return { questions: dns.questions.length / days, forecasts: forecasts / days };
}

async function forecastAt(
  { context }: RenewalSite,
  { source, now }: { source: ForecastSource; now: number },
): Promise<Forecast> {
  const { sans } = context.certificate;
  const evidence = await source.gather({ names: sans, watchedHosts: sans, now, signal: NEVER });
  return makeForecast(evidence, { ...context, now });
}

const NEVER = new AbortController().signal;

function renewed(site: RenewalSite, notBefore: number): RenewalSite {
  const certificate = {
    ...site.context.certificate,
    notBefore,
    notAfter: notBefore + LIFETIME_DAYS * DAY_MS,
  };
  return { ...site, context: { ...site.context, certificate } };
}

/**
 * Returns the CPU time of one forecast of these sites with its questions and requests, ms. Includes our side of the web servers, which run in this
 * process.
 */
export async function measureCpu(worlds: readonly World[], source: ForecastSource): Promise<number> {
  const limited = createSemaphore(8);
  const before = process.cpuUsage();
  await Promise.all(worlds.map((world) => limited(() => forecastOf(world, source))));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / worlds.length;
}
