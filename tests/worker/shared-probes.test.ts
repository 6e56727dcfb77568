import { expect, it, onTestFinished, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { judge } from '../../server/core/judge/judge.ts';
import type { Observation } from '../../server/core/observation.ts';
import type { Examiner } from '../../server/probe/examiner.ts';
import { openAccount } from '../../server/store/accounts/sign-in.ts';
import { findMonitor, removeMonitor, requestCheck } from '../../server/store/monitors/monitors.ts';
import { currentLogFields } from '../../server/telemetry/trace-context.ts';
import { createMetrics } from '../../server/telemetry/metrics.ts';
import { createTracer, type Span } from '../../server/telemetry/span.ts';
import { TRUST_EVERY_CHECK } from '../kit/product/stand-ins.ts';
import { claimWatchers, createSharedProbes, type Watchers } from '../../server/worker/shared-probes.ts';
import { failedAddress, NOW, observation, trustStore } from '../kit/certificates/judging.ts';
import { describeAnyDatabase, describeEachDatabase, freshStore } from '../kit/databases/database.ts';
import { insertMonitors, insertRows } from '../kit/databases/insert-rows.ts';
import { type Rig, START, startRig } from './rig.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';
import { promise } from '../security/promise.ts';

const HOST = 'shop.fjord.example';
const UNTESTED: Omit<NonNullable<Observation['posture']>, 'at'> = {
  tlsVersions: [],
  postQuantum: { state: 'unknown', group: null },
  alternates: [],
  untestedKeyTypes: [],
  caa: { outcome: 'none' },
  registration: { outcome: 'not_applicable' },
};

describeEachDatabase('An endpoint that many accounts watch', (open) => {
  it('is probed once, and the result is recorded for each account', async () => {
    const { rig, looks } = await countingRig(await open());
    const mine = await rig.watch(HOST);
    const theirs = [await watchAs(rig, 'bob'), await watchAs(rig, 'carol')];
    await rig.runDue();
    expect(looks()).toBe(1);
    for (const { accountId, id } of [mine, ...theirs])
      expect(await findMonitor(rig.store, { accountId, monitorId: id })).toMatchObject({
        lastCheckedAt: START,
        uptime: 'up',
        checking: false,
        verdict: { reached: true },
      });
    // The next checks of all accounts are due at the same time.
    const due = await rig.store.db.selectFrom('monitors').select('next_check_at').distinct().execute();
    expect(due).toHaveLength(1);
  });

  it('is probed again if an account requests a check after the shared probe', async () => {
    const { rig, looks } = await countingRig(await open());
    await rig.watch(HOST);
    const { accountId, id: monitorId } = await watchAs(rig, 'bob');
    await rig.runDue();
    await requestCheck(rig.store, { accountId, monitorId, now: rig.clock.now() });
    await rig.runDue();
    expect(looks()).toBe(2);
  });

  it('has its result recorded for the other accounts if recording fails for one', async () => {
    const { rig, looks } = await countingRig(await open());
    const mine = await rig.watch(HOST);
    const [broken, theirs] = [await watchAs(rig, 'bob'), await watchAs(rig, 'carol')];
    await rig.store.db
      .updateTable('monitors')
      .set({ alert_settings: 'not JSON' })
      .where('id', '=', broken.id)
      .execute();
    await rig.runDue();
    expect(looks()).toBe(1);
    for (const { accountId, id } of [mine, theirs])
      expect(await findMonitor(rig.store, { accountId, monitorId: id })).toMatchObject({ uptime: 'up' });
    const { accountId, id: monitorId } = broken;
    expect(await findMonitor(rig.store, { accountId, monitorId })).toMatchObject({
      lastCheckedAt: null,
      checking: true,
    });
    expect(rig.log.error).toHaveBeenCalledTimes(1);
  });

  it('is logged once for each monitor whose result cannot be recorded', async () => {
    const metrics = createMetrics();
    const spans: Span[] = [];
    const tracer = createTracer({ ratio: 1, onEnd: (span) => void spans.push(span) });
    const rig = await startRig(await open(), { telemetry: { metrics, tracer } });
    await rig.watch(HOST);
    const broken = [(await watchAs(rig, 'bob')).id, (await watchAs(rig, 'carol')).id];
    await rig.store.db
      .updateTable('monitors')
      .set({ alert_settings: 'not JSON' })
      .where('id', 'in', broken)
      .execute();
    const told: Record<string, string>[] = [];
    vi.mocked(rig.log.error as () => void).mockImplementation(() => void told.push(currentLogFields()));
    await rig.runDue();

    const [check, ...others] = spans.filter(({ name }) => name === 'check');
    expect(others).toEqual([]);
    expect(check?.failure).toBe('StoredJsonError');
    const whose = broken.map((monitor) =>
      expect.objectContaining({ monitor, endpoint: `${HOST}:${rig.port}`, traceId: check?.traceId }),
    );
    expect(told).toHaveLength(2);
    expect(told).toEqual(expect.arrayContaining(whose));
    const counted = await metrics.registry.metrics();
    expect(counted).toContain('certlantern_checks_total{outcome="failed"} 2\n');
    expect(counted).toContain('certlantern_checks_total{outcome="done"} 1\n');
  });

  it('is probed once although 231 accounts need several claims', { timeout: 300_000 }, async () => {
    const allClaimed = Promise.withResolvers<void>();
    const { rig, looks } = await countingRig(await open(), allClaimed.promise);
    await rig.watch(HOST);
    await watchAsMany(rig, 230);
    // All monitors are due before the probe starts, so it may serve them all.
    rig.clock.advance(1_000);
    rig.worker.start();
    onTestFinished(() => rig.worker.stop());
    const monitors = rig.store.db.selectFrom('monitors').select('id');
    const claimed = monitors.where('lease_token', 'is not', null);
    await expect.poll(async () => (await claimed.execute()).length).toBe(231);
    allClaimed.resolve();
    const checked = monitors.where('last_checked_at', '>', START);
    // A busy machine with PostgreSQL takes more than a minute to record this many checks.
    await expect.poll(async () => (await checked.execute()).length, { timeout: 200_000 }).toBe(231);
    expect(looks()).toBe(1);
  });

  it('is claimed for at most as many monitors as there are free permits, and the claim says that more may wait', async () => {
    const { rig } = await countingRig(await open());
    await rig.watch(HOST);
    await watchAs(rig, 'bob');
    await rig.watch('other.fjord.example');
    const claim = { now: rig.clock.now(), leaseMs: 1_000, claimedBy: 'test', taken: 0 };
    const first = await claimWatchers(rig.store, { ...claim, limit: 2 });
    expect(first.isMore).toBe(true);
    const second = await claimWatchers(rig.store, { ...claim, limit: 2 });
    expect(second.isMore).toBe(false);
    expect([...first.watchers, ...second.watchers].flat()).toHaveLength(3);
  });
});

describeAnyDatabase('An account that watches the same endpoint as another one', (open) => {
  it.each<[string, OtherAccount]>([
    [
      'requests checks at other times',
      async (rig, { theirs, dueAt }) => {
        await rig.runUntil(Math.max(rig.clock.now(), dueAt - 20 * MINUTE_MS));
        return request(rig, theirs ?? (await add(rig)));
      },
    ],
    [
      'requests a check whenever the other account’s check is due',
      async (rig, { theirs, dueAt }) => {
        rig.clock.set(dueAt);
        return request(rig, theirs ?? (await add(rig)));
      },
    ],
    [
      'adds the endpoint whenever the other account’s check is due',
      async (rig, { theirs, dueAt }) => {
        rig.clock.set(dueAt);
        if (theirs) await removeMonitor(rig.store, { ...keyOf(theirs), now: dueAt });
        return add(rig, theirs?.accountId);
      },
    ],
  ])('and %s changes no time that the other account sees', async (_, otherAccount) => {
    const alone = await timesSeen(await open(), () => Promise.resolve(null));
    expect(alone).toHaveLength(5);
    expect(await timesSeen(await open(), otherAccount)).toEqual(alone);
    promise('watched-hosts');
    promise('8.4.1');
  });
});

it('A running probe serves a monitor that was due before it started, but no check that a user requested', async () => {
  const rig = await startRig(await freshStore('sqlite'));
  await rig.watch(HOST);
  const claim = { now: rig.clock.now(), leaseMs: 1_000, claimedBy: 'test', taken: 0, limit: 1 };
  const [[monitor]] = (await claimWatchers(rig.store, claim)).watchers as [Watchers];
  const never = () => new Promise<never>(() => undefined);
  const probes = createSharedProbes({
    examiner: { examine: never, judge: never },
    clock: rig.clock,
    random: () => 0,
    ownNetwork: TRUST_EVERY_CHECK,
  });
  const begin = (isRequested: boolean) =>
    probes.begin([{ ...monitor, isRequested }], {
      signal: new AbortController().signal,
      onSlow: () => undefined,
    }).probe;
  rig.clock.advance(1_000);
  const running = begin(false);
  expect(begin(false)).toBe(running);
  expect(begin(true)).not.toBe(running);
});

it('A probe is judged once for each distinct previous verdict, also for monitors that join while it runs', async () => {
  const rig = await startRig(await freshStore('sqlite'));
  await rig.watch(HOST);
  const claim = { now: rig.clock.now(), leaseMs: 1_000, claimedBy: 'test', taken: 0, limit: 1 };
  const [[monitor]] = (await claimWatchers(rig.store, claim)).watchers as [Watchers];
  const unreachable = observation([failedAddress()]);
  const withVerdict = (observedAt: number) => ({
    ...monitor,
    verdict: { ...judge(unreachable, NOW, trustStore), observedAt },
  });
  // The fake examiner returns the previous verdict as the new one.
  const examine = vi.fn<Examiner['examine']>(async (_, { previous }) => ({
    observation: unreachable,
    verdicts: previous.filter((one) => one !== null),
    certificates: [],
  }));
  const judgeAgain = vi.fn<Examiner['judge']>(async ({ previous }) => previous ?? expect.fail('no verdict'));
  const probes = createSharedProbes({
    examiner: { examine, judge: judgeAgain },
    clock: rig.clock,
    random: () => 0,
    ownNetwork: TRUST_EVERY_CHECK,
  });
  const options = { signal: new AbortController().signal, onSlow: () => undefined };
  const watchers = [withVerdict(1), withVerdict(2), withVerdict(1)] as const;
  const { verdictFor } = await probes.begin(watchers, options).probe;
  for (const one of [...watchers, withVerdict(2)])
    expect(await verdictFor(one)).toMatchObject({ observedAt: one.verdict.observedAt });
  const asked = examine.mock.calls.map(([, { previous }]) => previous.map((one) => one?.observedAt));
  expect(asked).toEqual([[1, 2]]);
  expect(judgeAgain).not.toHaveBeenCalled();
  for (const one of [withVerdict(3), withVerdict(3)])
    expect(await verdictFor(one)).toMatchObject({ observedAt: 3 });
  expect(judgeAgain).toHaveBeenCalledTimes(1);
});

/** What another account does before the measured account's check at `dueAt`. Returns the other account's monitor of the same endpoint. */
type OtherAccount = (rig: Rig, state: { theirs: Monitor | null; dueAt: number }) => Promise<Monitor | null>;

const add = async (rig: Rig, accountId?: string): Promise<Monitor> =>
  rig.add(HOST, rig.port, { accountId: accountId ?? (await rig.arrive('Bob')) });

async function request(rig: Rig, monitor: Monitor): Promise<Monitor> {
  await requestCheck(rig.store, { ...keyOf(monitor), now: rig.clock.now() });
  return monitor;
}

const keyOf = ({ accountId, id: monitorId }: Monitor) => ({ accountId, monitorId });

/** Returns the times that an account sees of its hourly checks while another account acts. */
async function timesSeen(store: Rig['store'], otherAccount: OtherAccount) {
  const rig: Rig = await startRig(store, {
    wrapProbe: (probe) => ({
      async observe(endpoint, asked) {
        const seen = await probe.observe(endpoint, { ...asked, withPosture: false });
        return asked.withPosture ? { ...seen, posture: { ...UNTESTED, at: rig.clock.now() } } : seen;
      },
    }),
  });
  const mine = await rig.watch(HOST, undefined, { everyMinutes: 60 });
  await rig.runDue();
  const seen = [];
  let theirs: Monitor | null = null;
  while (rig.clock.now() < START + 3.5 * HOUR_MS) {
    const { nextCheckAt: dueAt } = await rig.read(mine);
    theirs = await otherAccount(rig, { theirs, dueAt });
    await rig.runUntil(dueAt);
    const { lastCheckedAt, nextCheckAt, verdict } = await rig.read(mine);
    seen.push({ lastCheckedAt, nextCheckAt, postureAt: verdict?.posture?.at ?? null });
  }
  return seen;
}

/** Starts a rig that counts its probes; none ends before `mayEnd` resolves. */
async function countingRig(store: Rig['store'], mayEnd?: Promise<void>) {
  let looks = 0;
  const rig = await startRig(store, {
    wrapProbe: (probe) => ({
      async observe(endpoint, asked) {
        looks += 1;
        await mayEnd;
        return probe.observe(endpoint, asked);
      },
    }),
  });
  return { rig, looks: () => looks };
}

/** Adds another account's monitor of the same endpoint, due now. */
async function watchAs(rig: Rig, name: string): Promise<Monitor> {
  const now = rig.clock.now();
  const opened = await openAccount(rig.store, {
    issuer: 'test',
    subject: name,
    email: `${name}@certs.test`,
    emailVerified: true,
    name,
    company: null,
    now,
  });
  if (!opened.ok) throw new Error(opened.code);
  const added = await addMonitor(rig.store, {
    accountId: opened.account.id,
    host: HOST,
    port: rig.port,
    protocol: 'tls',
    checkEveryMinutes: 1440,
    now,
    mayAdd: () => true,
  });
  if (!added.ok) throw new Error(added.code);
  return added.monitor;
}

/** Adds monitors of other accounts, due now. Copies the rows of one account, because opening hundreds takes seconds. */
async function watchAsMany(rig: Rig, count: number): Promise<void> {
  const { db } = rig.store;
  const { accountId, id: monitorId } = await watchAs(rig, 'person');
  const account = await db
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const monitor = await db
    .selectFrom('monitors')
    .selectAll()
    .where('id', '=', monitorId)
    .executeTakeFirstOrThrow();
  const accounts = Array.from({ length: count - 1 }, (_, index) => ({
    ...account,
    id: crypto.randomUUID(),
    email: `person-${index}@certs.test`,
  }));
  await insertRows(rig.store, 'accounts', accounts);
  await insertMonitors(
    rig.store,
    accounts.map(({ id }) => ({ ...monitor, id: crypto.randomUUID(), account_id: id })),
  );
}
