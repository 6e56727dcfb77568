import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Forecast } from '../../server/core/forecast/forecast.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { forecastSubject } from '../../server/store/forecasts/forecast-context.ts';
import {
  claimDueForecasts,
  countForecastNames,
  firstForecastAt,
  forecastOf,
  forgetForecasts,
  releaseForecast,
  saveForecast,
  sweepForecasts,
} from '../../server/store/forecasts/forecasts.ts';
import { countHttpPorts, countProbedPort } from '../../server/store/monitors/misuse.ts';
import { forecastRecord } from '../../server/store/forecasts/renewals.ts';
import { addForecasts } from '../../server/store/schema/migrations/0041-forecasts.ts';
import { pauseMonitor } from '../../server/store/monitors/monitor-pauses.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { renewalRow, sampleForecast } from '../kit/product/sample-forecast.ts';
import {
  certificate,
  checkOf,
  claimOne,
  DAY,
  NOW,
  person,
  recordCheck,
  recorded,
  type SampleCertificate,
  watch,
} from './samples.ts';

const HOUR = DAY / 24;
const leafFor = (host: string, change = {}) => certificate({ subject: host, sans: [host], ...change });

/** Records a check that found a path to a public root. The next one is due half a year later. */
async function checkPublic(
  store: Store,
  now: number,
  leaf: SampleCertificate,
  { hasOwnRoot = false } = {},
): Promise<void> {
  const made = checkOf(await claimOne(store, now), now, [leaf], { nextCheckAt: NOW + 180 * DAY });
  const { fingerprint, notAfter } = leaf.facts;
  const path = [{ fingerprint, name: 'Fjord', role: 'leaf' as const, notAfter, source: 'sent' as const }];
  const turns = [{ certificate: made.verdict.lastSeen!.expiring[0]!, at: now, checks: 1 }];
  const lastSeen = { ...made.verdict.lastSeen!, turns };
  await recordCheck(store, { ...made, verdict: { ...made.verdict, path, hasOwnRoot, lastSeen } });
}

async function watchPublic(store: Store, accountId: string, leaf: SampleCertificate, host?: string) {
  const monitor = await watch(store, accountId, host ?? leaf.facts.subject);
  await checkPublic(store, NOW, leaf);
  return monitor;
}

const claim = async (store: Store, now: number) => {
  const [claimed] = await claimDueForecasts(store, { now, limit: 1, leaseEndsAt: now + HOUR });
  if (claimed === undefined) throw new Error('no forecast is due');
  return claimed;
};

/** Makes the forecast that is due at `now`; the next one is due an hour later. */
async function make(store: Store, leaf: SampleCertificate, now: number, change: Partial<Forecast> = {}) {
  const forecast = sampleForecast(now, change);
  expect(
    await saveForecast(store, await claim(store, now), {
      forecast,
      facts: leaf.facts,
      nextAt: now + HOUR,
      now,
    }),
  ).toBe(true);
  return forecast;
}

const fingerprints = async ({ db }: Store) =>
  (await db.selectFrom('forecasts').select('fingerprint').execute()).map((row) => row.fingerprint);
const makeDue = (store: Store) => store.db.updateTable('monitors').set({ next_check_at: NOW }).execute();

describeEachDatabase('The forecasts of renewals', (open) => {
  it('are registered by the check that finds a path to a public root, and not again by equal checks', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const leaf = leafFor('shop.example');
    await watchPublic(store, accountId, leaf);
    expect(await fingerprints(store)).toEqual([leaf.facts.fingerprint]);
    expect(await firstForecastAt(store)).toBe(NOW);

    await makeDue(store);
    const { watched, asked } = recorded(store);
    await checkPublic(watched, NOW + DAY, leaf);
    expect(asked.filter((query) => query.includes('insert into "forecasts"'))).toEqual([]);
    expect(asked.filter((query) => query.startsWith('select') && query.includes('forecasts'))).toHaveLength(
      1,
    );
  });

  it('are not made for certificates of private authorities', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, 'intranet.example');
    await checkPublic(store, NOW, leafFor('intranet.example'), { hasOwnRoot: true });
    expect(await fingerprints(store)).toEqual([]);
  });

  it('are claimed once, and again when the lease of a killed worker ends', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const leaf = leafFor('shop.example');
    const { id: monitorId } = await watchPublic(store, accountId, leaf);
    const lost = await claim(store, NOW);
    expect(await claimDueForecasts(store, { now: NOW + HOUR - 1, limit: 5, leaseEndsAt: 0 })).toEqual([]);
    const taken = await claim(store, NOW + HOUR);
    const made = { forecast: sampleForecast(NOW), facts: leaf.facts, nextAt: NOW, now: NOW };
    expect(await saveForecast(store, lost, made)).toBe(false);
    await releaseForecast(store, lost, NOW);
    expect(await forecastOf(store, { accountId, monitorId })).toBe('pending');
    await releaseForecast(store, taken, NOW + HOUR);
    expect(await firstForecastAt(store)).toBe(NOW + HOUR);
  });

  it('wait while every domain of the certificate is paused', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const { id: monitorId } = await watchPublic(store, accountId, leafFor('shop.example'));
    await pauseMonitor(store, { accountId, monitorId, now: NOW });
    expect(await claimDueForecasts(store, { now: NOW, limit: 1, leaseEndsAt: NOW + HOUR })).toEqual([]);
    expect(await firstForecastAt(store)).toBe(NOW + DAY);
  });

  it('are shown to the owner of the domain alone, and signal what changed', async () => {
    const store = await open();
    const [{ id: accountId }, { id: other }] = [await person(store, 'alice'), await person(store, 'bob')];
    const leaf = leafFor('shop.example');
    const { id: monitorId } = await watchPublic(store, accountId, leaf);
    const heard: unknown[] = [];
    store.signals.subscribe((signal) => heard.push(signal));
    const forecast = await make(store, leaf, NOW);
    const changed = { topic: 'domain', accountId, monitorId, change: 'changed' };
    expect(heard).toEqual([changed]);
    expect(await forecastOf(store, { accountId, monitorId })).toEqual(forecast);
    expect(await forecastOf(store, { accountId: other, monitorId })).toBeNull();

    // The second forecast confirms the cause, so that the next check raises an alert.
    heard.length = 0;
    await make(store, leaf, NOW + HOUR, { expectedAt: forecast.expectedAt });
    expect(heard).toEqual([{ topic: 'due' }, changed]);
    expect(await store.db.selectFrom('monitors').select('next_check_at').execute()).toEqual([
      { next_check_at: NOW + HOUR },
    ]);
    heard.length = 0;
    await make(store, leaf, NOW + 2 * HOUR, { expectedAt: forecast.expectedAt });
    expect(heard).toEqual([]);
  });

  it('look up at most 2,000 names per account and day', async () => {
    const store = await open();
    const count = (accountId: string, names: number, now = NOW) =>
      countForecastNames(store, { accountId, names, now });
    // Of 2,000 names in a certificate, 100 are looked up.
    for (let made = 0; made < 20; made++) expect(await count('alice', 2_000)).toBeNull();
    expect(await count('alice', 1)).toBe(DAY);
    expect(await count('bob', 1)).toBeNull();
    expect(await count('alice', 1, NOW + DAY)).toBeNull();
  });

  it('ask port 80 of a host only within the limit of ports of its registrable domain', async () => {
    const store = await open();
    const permitted = (accountId: string, hosts: string[], now = NOW) =>
      countHttpPorts(store, { accountId, hosts, max: 1, now });
    await store.db
      .transaction()
      .execute((trx) =>
        countProbedPort(trx, { who: 'alice', host: 'a.shop.example', port: 8_443, max: 1, now: NOW }),
      );
    expect(await permitted('alice', ['www.shop.example', 'www.mail.example'])).toEqual(['www.mail.example']);
    // The port of a domain counts once.
    expect(await permitted('alice', ['b.mail.example', 'www.mail.example'])).toHaveLength(2);
    expect(await permitted('bob', ['www.shop.example'])).toEqual(['www.shop.example']);
    expect(await permitted('alice', ['www.shop.example'], NOW + DAY)).toEqual(['www.shop.example']);
  });

  it('know the hosts that the account watches, the window of the CA and earlier renewals', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const names = { sans: ['shop.example', 'mail.example', 'elsewhere.example'] };
    const dated = (days: number) =>
      leafFor('shop.example', { ...names, notBefore: NOW - days * DAY, notAfter: NOW + (90 - days) * DAY });
    await watch(store, accountId, 'mail.example', { target: '{"connect_to":"10.0.0.1"}' });
    await checkPublic(store, NOW, leafFor('mail.example'));
    await watchPublic(store, accountId, dated(130));
    for (const days of [70, 69.99, 10]) {
      await store.db
        .updateTable('monitors')
        .set({ next_check_at: NOW })
        .where('host', '=', 'shop.example')
        .execute();
      await checkPublic(store, NOW + (100 - days) * DAY, dated(days));
    }
    await store.db
      .insertInto('renewals')
      .values(renewalRow(accountId, { authority: 'Let’s Encrypt' }))
      .execute();
    const due = await claimDueForecasts(store, {
      now: NOW + 91 * DAY,
      limit: 9,
      leaseEndsAt: NOW + 92 * DAY,
    });
    const subjects = await Promise.all(due.map((one) => forecastSubject(store, one, NOW + 91 * DAY)));
    const subject = subjects.find((one) => one?.facts.notBefore === NOW - 10 * DAY);
    expect(subject?.watchedHosts).toEqual(['shop.example']);
    const lifetimeMs = 90 * DAY;
    expect(subject?.context).toMatchObject({
      certificate: { issuerOrganization: 'Let’s Encrypt', sans: names.sans },
      renewalWindow: null,
      renewals: [
        { notBefore: NOW - 69.99 * DAY, renewedAt: NOW - 10 * DAY, lifetimeMs },
        { notBefore: NOW - 130 * DAY, renewedAt: NOW - 70 * DAY, lifetimeMs, possible: null },
      ],
      otherRenewals: [{ renewedAt: 60 * DAY, possible: ['http-01'] }],
      first: null,
    });
  });

  it('are scored when a check sees the renewal, and learn from it', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const leaf = leafFor('shop.example', { notBefore: NOW, notAfter: NOW + 90 * DAY });
    const after = leafFor('shop.example', { notBefore: NOW + 60 * DAY, notAfter: NOW + 150 * DAY });
    await watchPublic(store, accountId, leaf);
    const expected = { expectedAt: NOW + 60 * DAY };
    await make(store, leaf, NOW, { ...expected, outcome: 'works', checks: [], possible: ['dns-01'] });
    // Too close to the renewal to be scored.
    await make(store, leaf, NOW + 59 * DAY, expected);
    expect(await forecastRecord(store, accountId)).toBeNull();

    await makeDue(store);
    await checkPublic(store, NOW + 60 * DAY, after);
    expect(await forecastRecord(store, accountId)).toEqual({ right: 1, of: 1 });
    expect(await store.db.selectFrom('renewals').selectAll().execute()).toMatchObject([
      {
        fingerprint: leaf.facts.fingerprint,
        successor: after.facts.fingerprint,
        authority: 'Let’s Encrypt',
        renewed_at: NOW + 60 * DAY,
        possible: '[]',
        score: 'foretold',
      },
    ]);
  });

  it('count as a false alarm if the renewal worked and the first forecast after it finds the same cause', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const leaf = leafFor('shop.example', { notBefore: NOW, notAfter: NOW + 90 * DAY });
    const after = leafFor('shop.example', { notBefore: NOW + 60 * DAY, notAfter: NOW + 150 * DAY });
    await watchPublic(store, accountId, leaf);
    await make(store, leaf, NOW, { expectedAt: NOW + 60 * DAY });
    await makeDue(store);
    await checkPublic(store, NOW + 60 * DAY, after);
    expect(await forecastRecord(store, accountId)).toBeNull();
    await removeUnserved(store, leaf);
    await make(store, after, NOW + 60 * DAY);
    expect(await forecastRecord(store, accountId)).toEqual({ right: 0, of: 1 });
  });

  it('count as missed if the certificate expired without the renewal that should have worked', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const leaf = leafFor('shop.example', { notBefore: NOW, notAfter: NOW + 90 * DAY });
    await watchPublic(store, accountId, leaf);
    const works = { outcome: 'works' as const, checks: [], expectedAt: NOW + 60 * DAY };
    await make(store, leaf, NOW, works);
    await make(store, leaf, NOW + 90 * DAY, works);
    // No check has seen yet what the host serves after the last day.
    expect(await forecastRecord(store, accountId)).toBeNull();
    await makeDue(store);
    await checkPublic(store, NOW + 91 * DAY, leaf);
    for (const days of [91, 92]) await make(store, leaf, NOW + days * DAY, works);
    expect(await forecastRecord(store, accountId)).toEqual({ right: 0, of: 1 });

    const after = leafFor('shop.example', { notBefore: NOW + 92 * DAY, notAfter: NOW + 182 * DAY });
    await makeDue(store);
    await checkPublic(store, NOW + 93 * DAY, after);
    expect(await store.db.selectFrom('renewals').selectAll().execute()).toMatchObject([
      { successor: after.facts.fingerprint, renewed_at: NOW + 92 * DAY, score: 'missed' },
    ]);
  });

  it('are deleted a week after their last forecast if no domain serves the certificate, and added if they are missing', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const leaves = ['a.example', 'b.example'].map((host) => leafFor(host));
    const gone = await watchPublic(store, accountId, leaves[0]!);
    await make(store, leaves[0]!, NOW);
    await watchPublic(store, accountId, leaves[1]!);
    await removeMonitor(store, { accountId, monitorId: gone.id, now: NOW });
    expect(await sweepForecasts(store, NOW + 7 * DAY)).toBe(0);
    expect(await sweepForecasts(store, NOW + 7 * DAY + 1)).toBe(1);
    const kept = [leaves[1]!.facts.fingerprint];
    expect(await fingerprints(store)).toEqual(kept);
    await forgetForecasts(store);
    expect(await sweepForecasts(store, NOW)).toBe(0);
    expect(await fingerprints(store)).toEqual(kept);
  });

  it('are due after the migration for the certificates that domains serve', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const leaf = leafFor('*.shop.example');
    for (const host of ['a.shop.example', 'b.shop.example']) await watchPublic(store, accountId, leaf, host);
    const { db } = store;
    for (const table of ['forecasts', 'renewals']) await sql`drop table ${sql.table(table)}`.execute(db);
    await addForecasts(db as never);
    expect(await fingerprints(store)).toEqual([leaf.facts.fingerprint]);
    expect(await firstForecastAt(store)).toBe(0);
  });
});

const removeUnserved = ({ db }: Store, leaf: SampleCertificate) =>
  db.deleteFrom('forecasts').where('fingerprint', '=', leaf.facts.fingerprint).execute();
