import { expect, it } from 'vitest';
import type { ForecastEvidence, NameEvidence } from '../../server/core/forecast/evidence.ts';
import type { Observation } from '../../server/core/observation.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import type { Canaries } from '../../server/probe/canary.ts';
import type { ForecastSource, GatherRequest } from '../../server/probe/forecast/forecast-source.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { forecastOf } from '../../server/store/forecasts/forecasts.ts';
import { forecastRecord } from '../../server/store/forecasts/renewals.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { MintedCertificate } from '../kit/certificates/mint.ts';
import { intermediate, type Rig, root, START, startRig, until } from './rig.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

const HOST = 'shop.fjord.example';
const trustStore = createTrustStore([root.der], { arePublic: true });

const NOTHING = { outcome: 'no_data' as const, aliases: [], security: 'insecure' as const };

function nameEvidence(name: string, isGone: boolean): NameEvidence {
  const found = { ...NOTHING, outcome: 'records' as const, records: ['192.0.2.1'] };
  const address = isGone ? { ...NOTHING, outcome: 'no_name' as const } : found;
  return {
    name,
    caa: [{ domain: name, answer: NOTHING }],
    zone: isGone ? 'gone' : 'exists',
    ipv4: address,
    ipv6: isGone ? address : NOTHING,
    challenge: NOTHING,
    challengeZone: 'exists',
    persist: NOTHING,
  };
}

/** Adds an address that serves another certificate to an observation. */
function withAddress(seen: Observation, { der, chain }: MintedCertificate): Observation {
  const [first] = seen.addresses;
  if (first?.outcome !== 'handshake') return seen;
  const presentedChain = [der, ...chain.map((one) => one.der)];
  return { ...seen, addresses: [first, { ...first, address: '127.0.0.2', presentedChain }] };
}

/** A source of evidence without network. Names in `gone` have no zone any more. */
function stubSource() {
  const world = { gone: new Set<string>(), asked: [] as GatherRequest[] };
  const source: ForecastSource = {
    gather(request) {
      world.asked.push(request);
      const evidence: ForecastEvidence = {
        at: request.now,
        names: request.names.map((name) => nameEvidence(name, world.gone.has(name))),
        unread: 0,
        http: [],
        resolverValidates: false,
      };
      return Promise.resolve(evidence);
    },
  };
  return { ...world, world, source };
}

async function start(store: Store) {
  const { world, source } = stubSource();
  return { world, rig: await startRig(store, { trustStore, forecasts: source }) };
}

/** Makes the forecasts that are due within `ms` from now, each at its time, and does the work that follows. */
async function pass(rig: Rig, ms: number): Promise<void> {
  const until = rig.clock.now() + ms;
  for (;;) {
    const due = await rig.store.db.selectFrom('forecasts').select('next_at').orderBy('next_at').execute();
    const next = due[0]?.next_at ?? Infinity;
    if (next > until) break;
    await rig.runUntil(Math.max(next, rig.clock.now()));
    await rig.worker.runForecasts();
    await rig.runDue();
  }
  await rig.runUntil(until);
}

const keyOf = ({ accountId, id: monitorId }: Monitor) => ({ accountId, monitorId });
const subjects = ({ arrivals }: Rig) => arrivals.map(({ subject }) => subject);

describeAnyDatabase('Forecasts of renewals', (open) => {
  it('are made for certificates of public authorities, with what checks know', async () => {
    const { rig, world } = await start(await open());
    const monitor = await rig.watch(HOST);
    await rig.runDue();
    expect(await rig.worker.runForecasts()).toBe(1);
    expect(world.asked).toMatchObject([{ names: [HOST], watchedHosts: [HOST], now: START }]);
    expect(await forecastOf(rig.store, keyOf(monitor))).toMatchObject({ at: START });
    expect((await rig.read(monitor)).nextRenewal).toMatchObject({ line: null });
    expect(await rig.worker.runForecasts()).toBe(0);
  });

  it('raise one alert when a second one confirms the cause, and one three days before the expected renewal', async () => {
    const { rig, world } = await start(await open());
    world.gone.add(HOST);
    const dates = { notBefore: START - 45 * DAY_MS, notAfter: START + 45 * DAY_MS };
    const monitor = await rig.watch(HOST, rig.issue(HOST, dates));
    await rig.runDue();
    await rig.worker.runForecasts();
    const { nextRenewal } = await rig.read(monitor);
    expect(nextRenewal).toMatchObject({ outcome: 'fails', line: expect.stringContaining('will fail') });
    await rig.runDue();
    expect(subjects(rig)).toEqual([]);
    await pass(rig, DAY_MS + 3 * HOUR_MS);
    expect(subjects(rig)).toEqual([`${HOST}’s certificate renewal in 14 days will fail`]);
    expect(rig.arrivals[0]?.text).toContain(HOST);
    await pass(rig, 13 * DAY_MS);
    expect(subjects(rig).slice(1)).toEqual([`${HOST}’s certificate renewal in 3 days will fail`]);
  });

  it('end their alert when the cause is gone, and do not say that the certificate was renewed', async () => {
    const { rig, world } = await start(await open());
    world.gone.add(HOST);
    await rig.watch(HOST);
    await rig.runDue();
    await pass(rig, DAY_MS + 3 * HOUR_MS);
    expect(subjects(rig)).toHaveLength(1);
    world.gone.clear();
    await pass(rig, 3 * DAY_MS);
    expect(subjects(rig).slice(1)).toEqual([
      `${HOST}: a problem with the next certificate renewal is solved`,
    ]);
  });

  it('keep their alert while the host is down, and end it with the renewal', async () => {
    const { rig, world } = await start(await open());
    world.gone.add(HOST);
    const dates = { notBefore: START - 50 * DAY_MS, notAfter: START + 40 * DAY_MS };
    await rig.watch(HOST, rig.issue(HOST, dates));
    await rig.runDue();
    await pass(rig, DAY_MS + 3 * HOUR_MS);
    rig.reachable(HOST, false);
    await pass(rig, DAY_MS);
    const about = () => subjects(rig).filter((subject) => subject.includes('certificate'));
    expect(about()).toHaveLength(1);
    rig.reachable(HOST, true);
    await pass(rig, DAY_MS);
    rig.serve(HOST, rig.issue(HOST));
    await pass(rig, DAY_MS + HOUR_MS);
    expect(about().slice(1)).toContain(`${HOST}’s certificate was renewed`);
    // The old certificate was renewed although its name was gone, and the new one has the same cause.
    expect(await forecastRecord(rig.store, rig.accountId)).toEqual({ right: 0, of: 1 });
  });

  it('raise and end an alert about a certificate that only another address serves', async () => {
    const { world, source } = stubSource();
    const dates = { notBefore: START, notAfter: START + 80 * DAY_MS };
    const second = intermediate.issue({ dnsNames: [HOST, 'old.fjord.example'], ...dates });
    const rig = await startRig(await open(), {
      trustStore,
      forecasts: source,
      wrapProbe: (probe) => ({
        ...probe,
        observe: async (...asked) => withAddress(await probe.observe(...asked), second),
      }),
    });
    world.gone.add('old.fjord.example');
    const first = rig.issue(HOST, { notBefore: START, notAfter: START + 70 * DAY_MS });
    const monitor = await rig.watch(HOST, first);
    await rig.runDue();
    expect(await rig.worker.runForecasts()).toBe(2);
    expect(world.asked.map(({ watchedHosts }) => watchedHosts)).toEqual([[HOST], [HOST]]);
    expect(await forecastOf(rig.store, keyOf(monitor))).not.toMatchObject({ outcome: 'fails' });
    expect((await rig.read(monitor)).nextRenewal).toMatchObject({ outcome: 'fails' });
    await pass(rig, DAY_MS + 3 * HOUR_MS);
    expect(subjects(rig)).toEqual([expect.stringContaining('will fail')]);
    expect(rig.arrivals[0]?.text).toContain('old.fjord.example');
    world.gone.clear();
    await pass(rig, 3 * DAY_MS);
    expect(subjects(rig).slice(1)).toEqual([
      `${HOST}: a problem with the next certificate renewal is solved`,
    ]);
  });

  it('name all domains of the certificate in one alert', async () => {
    const { rig, world } = await start(await open());
    const names = ['a.fjord.example', 'b.fjord.example'];
    const certificate = rig.issue('a.fjord.example', { dnsNames: names });
    world.gone.add('a.fjord.example');
    for (const name of names) await rig.watch(name, certificate);
    await rig.runDue();
    await pass(rig, DAY_MS + 3 * HOUR_MS);
    expect(rig.arrivals).toHaveLength(1);
    for (const name of names) expect(rig.arrivals[0]?.text).toContain(name);
  });

  it('are made again after the lease of a failed one', async () => {
    const { world, source } = stubSource();
    let failures = 1;
    const forecasts: ForecastSource = {
      gather: (request) => (failures-- > 0 ? Promise.reject(new Error('broken')) : source.gather(request)),
    };
    const rig = await startRig(await open(), { trustStore, forecasts });
    const monitor = await rig.watch(HOST);
    await rig.runDue();
    expect(await rig.worker.runForecasts()).toBe(1);
    expect(await forecastOf(rig.store, keyOf(monitor))).toBe('pending');
    rig.clock.advance(10 * MINUTE_MS);
    expect(await rig.worker.runForecasts()).toBe(1);
    expect(world.asked).toHaveLength(1);
    expect(await forecastOf(rig.store, keyOf(monitor))).toMatchObject({ at: rig.clock.now() });
  });

  it('are deleted when a worker starts with forecasts turned off, which ends their alerts without saying that the problem is solved', async () => {
    const store = await open();
    const { rig, world } = await start(store);
    world.gone.add(HOST);
    const monitor = await rig.watch(HOST);
    await rig.runDue();
    await pass(rig, DAY_MS + 3 * HOUR_MS);
    expect(subjects(rig)).toHaveLength(1);
    const off = await startRig(store, { trustStore });
    off.worker.start();
    await until(async () => (await forecastOf(store, keyOf(monitor))) === null);
    await off.worker.stop();
    await rig.runUntil(rig.clock.now() + DAY_MS + HOUR_MS);
    expect(subjects(rig).slice(1)).toEqual([
      `${HOST}: renewals of the certificate are not forecast any more`,
    ]);
    expect((await rig.read(monitor)).nextRenewal).toBeNull();
  });

  it('are neither made nor scored while the clock of the server is wrong', async () => {
    const { world, source } = stubSource();
    const aheadMs = { now: 0 };
    const canaries: Canaries = {
      probe: () =>
        Promise.resolve(
          [0, 1, 2].map((index) => ({ host: `${index}`, isHealthy: true, aheadMs: -aheadMs.now })),
        ),
    };
    const rig = await startRig(await open(), { trustStore, forecasts: source, canaries });
    await rig.watch(HOST);
    await rig.runDue();
    await rig.worker.runForecasts();
    expect(world.asked).toHaveLength(1);
    aheadMs.now = 400 * DAY_MS;
    rig.clock.jump(aheadMs.now);
    expect(await rig.worker.runForecasts()).toBe(0);
    expect(world.asked).toHaveLength(1);
    expect(await forecastRecord(rig.store, rig.accountId)).toBeNull();
  });

  it('are aborted when the worker stops, and due again at once', async () => {
    const aborted = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const forecasts: ForecastSource = {
      gather({ signal }) {
        begun.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.resolve();
            reject(new Error('aborted'));
          });
        });
      },
    };
    const rig = await startRig(await open(), { trustStore, forecasts });
    await rig.watch(HOST);
    await rig.runDue();
    rig.worker.start();
    await begun.promise;
    await rig.worker.stop();
    await aborted.promise;
    expect(await rig.store.db.selectFrom('forecasts').select('next_at').execute()).toEqual([
      { next_at: rig.clock.now() },
    ]);
  });
});
