import pino from 'pino';
import type { ForecastSource } from '../../server/probe/forecast/forecast-source.ts';
import { openStore, type Store } from '../../server/store/db/open-store.ts';
import { metricsOnly } from '../../server/telemetry/metrics.ts';
import { createForecastLoop } from '../../server/worker/forecast-loop.ts';
import { fillStore } from '../../tests/kit/databases/large-store.ts';
import { NOW } from '../../tests/kit/product/renewal-site.ts';
import { renewalRow } from '../../tests/kit/product/sample-forecast.ts';
import { certificate, checkOf, claimOne, person, recordCheck, watch } from '../../tests/store/samples.ts';
import type { World } from './worlds.ts';

const MONITORS = 100_000;
/** Renewals of other certificates of the account and CA, as many as a forecast reads. */
const RENEWALS = 200;

/**
 * Returns the CPU time of one forecast in the worker's loop, ms: with the claim, what it reads, the evidence, and saving, on SQLite with 100,000
 * other monitors. `createSource`: returns a source that has cached nothing.
 */
export async function measureLoop(
  worlds: readonly World[],
  { folder, createSource }: { folder: string; createSource: () => ForecastSource },
): Promise<number> {
  const store = await openStore({ databaseUrl: null, dataDir: folder, everyonePremium: true });
  try {
    await fillStore(store, { largest: MONITORS, teams: 0, total: MONITORS, now: NOW });
    await watchSites(store, worlds);
    // The first forecasts, of which the second ones are the repetition that the schedule consists of.
    await makeForecasts(store, worlds.length, createSource());
    return await makeForecasts(store, worlds.length, createSource());
  } finally {
    await store.close();
  }
}

/** Adds a monitor for each name of the sites, and records a check that finds the site's certificate and makes its forecast due. */
async function watchSites(store: Store, worlds: readonly World[]): Promise<void> {
  const { id: accountId } = await person(store, 'sites');
  for (const { names, site } of worlds) {
    const { notBefore, notAfter, issuerOrganization, issuerName } = site.context.certificate;
    const leaf = certificate({
      notBefore,
      notAfter,
      sans: names,
      subject: site.domain,
      authorityName: issuerOrganization,
      issuer: issuerName,
    });
    const { fingerprint } = leaf.facts;
    const path = [{ fingerprint, name: site.domain, notAfter, role: 'leaf', source: 'sent' } as const];
    for (const host of names.filter((name) => !name.startsWith('*.'))) {
      await watch(store, accountId, host, { now: NOW });
      const check = checkOf(await claimOne(store, NOW), NOW, [leaf]);
      await recordCheck(store, { ...check, verdict: { ...check.verdict, path } });
    }
  }
  const authority = worlds[0]?.site.context.certificate.issuerOrganization ?? '';
  const renewals = Array.from({ length: RENEWALS }, (_, index) =>
    renewalRow(accountId, { authority, fingerprint: `renewed ${index}` }),
  );
  await store.db.insertInto('renewals').values(renewals).execute();
}

/** Makes all forecasts. Returns the CPU time of each, ms. @throws Error if some were not made */
async function makeForecasts(store: Store, count: number, source: ForecastSource): Promise<number> {
  await store.db.updateTable('forecasts').set({ next_at: NOW }).execute();
  const loop = createForecastLoop({
    store,
    forecasts: source,
    clock: { now: () => NOW, monotonic: () => performance.now() },
    random: Math.random,
    log: pino({ level: 'error' }),
    telemetry: metricsOnly(),
    ownNetwork: { clockIsRight: () => Promise.resolve(true) },
  });
  const before = process.cpuUsage();
  const made = await loop?.runDue();
  const { user, system } = process.cpuUsage(before);
  const waiting = await store.db
    .selectFrom('forecasts')
    .select('next_at')
    .where('next_at', '<=', NOW)
    .execute();
  if (made !== count || waiting.length > 0) throw new Error(`Only ${made} of ${count} forecasts were made.`);
  return (user + system) / 1_000 / count;
}
