import { expect, it } from 'vitest';
import type { Store } from '../../server/store/db/open-store.ts';
import { forecastSubject } from '../../server/store/forecasts/forecast-context.ts';
import {
  claimDueForecasts,
  forecastOf,
  forgetForecasts,
  saveForecast,
  sweepForecasts,
} from '../../server/store/forecasts/forecasts.ts';
import { forecastRecord } from '../../server/store/forecasts/renewals.ts';
import { listServedCertificates } from '../../server/store/monitors/certificate-list.ts';
import { countMatching } from '../../server/store/monitors/monitor-filter.ts';
import { pauseMonitor } from '../../server/store/monitors/monitor-pauses.ts';
import { findMonitor } from '../../server/store/monitors/monitors.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { sampleForecast } from '../kit/product/sample-forecast.ts';
import {
  certificate,
  checkAddresses,
  DAY,
  NOW,
  person,
  recorded,
  type SampleCertificate,
  watch,
} from './samples.ts';

const HOST = 'shop.example';
const leafOf = (days: number, change = {}) =>
  certificate({
    subject: HOST,
    sans: [HOST],
    notBefore: NOW + days * DAY,
    notAfter: NOW + (days + 90) * DAY,
    ...change,
  });
const main = leafOf(-40);
const second = leafOf(-35);
const idOf = ({ facts }: SampleCertificate) => facts.fingerprint;

const works = { outcome: 'works' as const, checks: [] };

describeEachDatabase('The forecasts for a domain whose addresses serve several certificates', (open) => {
  async function serving() {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const { id: monitorId } = await watch(store, accountId, HOST);
    await show(store, [main, second]);
    return { store, accountId, monitorId };
  }

  /** Records a check of the domain, whose addresses serve these certificates. */
  async function show(
    store: Store,
    leaves: [SampleCertificate, ...SampleCertificate[]],
    { now = NOW, isPublic = true } = {},
  ) {
    await store.db.updateTable('monitors').set({ next_check_at: now }).execute();
    await checkAddresses(store, now, leaves, { isPublic, nextCheckAt: NOW + 180 * DAY });
  }

  /** Makes every forecast that is due. That of `failing` says that its renewal fails, the others that it works. */
  async function make(
    store: Store,
    { now = NOW, failing }: { now?: number; failing?: SampleCertificate } = {},
  ) {
    const claims = await claimDueForecasts(store, { now, limit: 9, leaseEndsAt: now + DAY / 24 });
    for (const claim of claims) {
      const subject = await forecastSubject(store, claim, now);
      const fails = failing !== undefined && claim.fingerprint === idOf(failing);
      const forecast = sampleForecast(now, fails ? {} : works);
      const made = { forecast, facts: subject!.facts, nextAt: now + DAY, now };
      expect(await saveForecast(store, claim, made)).toBe(true);
    }
    return claims.map(({ fingerprint }) => fingerprint).toSorted();
  }

  const registered = async ({ db }: Store) =>
    (await db.selectFrom('forecasts').select('fingerprint').orderBy('fingerprint').execute()).map(
      ({ fingerprint }) => fingerprint,
    );
  const both = [main, second].map(idOf).toSorted();

  it('become due for each public leaf, and cost equal checks nothing', async () => {
    const { store } = await serving();
    expect(await registered(store)).toEqual(both);
    const { watched, asked } = recorded(store);
    await show(watched, [main, second], { now: NOW + DAY });
    expect(asked.filter((query) => /^(insert|update|delete).*(forecasts|renewals)/.test(query))).toEqual([]);
    expect(await make(store)).toEqual(both);
  });

  it('are not made for the leaves of a private authority', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, HOST);
    await show(store, [main, second], { isPublic: false });
    expect(await registered(store)).toEqual([]);
  });

  it('wait while the domain is paused, and are kept and added by the sweep', async () => {
    const { store, accountId, monitorId } = await serving();
    await make(store);
    expect(await sweepForecasts(store, NOW + 8 * DAY)).toBe(0);
    await forgetForecasts(store);
    await sweepForecasts(store, NOW);
    expect(await registered(store)).toEqual(both);
    await pauseMonitor(store, { accountId, monitorId, now: NOW });
    expect(await make(store)).toEqual([]);
  });

  it('are deleted by the sweep a week after no address serves the certificate any more', async () => {
    const { store } = await serving();
    await make(store);
    await show(store, [main, main], { now: NOW + DAY });
    expect(await sweepForecasts(store, NOW + 7 * DAY)).toBe(0);
    expect(await sweepForecasts(store, NOW + 8 * DAY)).toBe(1);
    expect(await registered(store)).toEqual([idOf(main)]);
  });

  it('show a failing renewal of the second certificate in lists, and that of each certificate with it', async () => {
    const { store, accountId, monitorId } = await serving();
    const key = { accountId, monitorId };
    const heard: unknown[] = [];
    store.signals.subscribe((signal) => heard.push(signal));
    await make(store, { failing: second });
    expect((await findMonitor(store, key))?.nextRenewal).toMatchObject({ outcome: 'fails' });
    expect(await forecastOf(store, key)).toMatchObject({ outcome: 'works' });
    const failing = { accountId, status: 'renewal_fails' as const, now: NOW };
    expect(await countMatching(store, failing)).toBe(1);
    const list = { accountId, sort: 'soonest' as const, after: null, limit: 9, now: NOW };
    const { certificates } = await listServedCertificates(store, list);
    expect(certificates.map(({ facts, nextRenewal }) => [facts.fingerprint, nextRenewal?.outcome])).toEqual([
      [idOf(main), 'works'],
      [idOf(second), 'fails'],
    ]);
    await make(store, { failing: second, now: NOW + DAY });
    expect(heard).toContainEqual({ topic: 'due' });
    await pauseMonitor(store, { ...key, now: NOW });
    expect(await countMatching(store, failing)).toBe(0);
  });

  it('show that of the main certificate in lists if both renewals fail', async () => {
    const { store, accountId, monitorId } = await serving();
    await make(store, { failing: second });
    const mine = sampleForecast(NOW).expectedAt - DAY;
    await store.db
      .updateTable('forecasts')
      .set({ outcome: 'fails', expected_at: mine })
      .where('fingerprint', '=', idOf(main))
      .execute();
    expect((await findMonitor(store, { accountId, monitorId }))?.nextRenewal?.expectedAt).toBe(mine);
  });

  it('are scored when the second certificate is renewed', async () => {
    const { store, accountId } = await serving();
    await make(store);
    const renewed = leafOf(20);
    await show(store, [main, renewed], { now: NOW + 20 * DAY });
    expect(await renewals(store)).toEqual([[idOf(second), idOf(renewed)]]);
    expect(await forecastRecord(store, accountId)).toEqual({ right: 1, of: 1 });
  });

  it('take no certificate for a successor that another address served already', async () => {
    const { store } = await serving();
    await make(store);
    const renewed = leafOf(20);
    await show(store, [second, renewed], { now: NOW + 20 * DAY });
    expect(await renewals(store)).toEqual([[idOf(main), idOf(renewed)]]);
  });

  const renewals = async ({ db }: Store) =>
    (await db.selectFrom('renewals').select(['fingerprint', 'successor']).execute()).map((row) => [
      row.fingerprint,
      row.successor,
    ]);
});
