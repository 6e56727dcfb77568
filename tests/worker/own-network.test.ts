import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { type Canaries, type CanaryResult, createCanaries } from '../../server/probe/canary.ts';
import { raisedAlarms } from '../../server/store/alerts/alarms.ts';
import { requestCheck } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { createMetrics } from '../../server/telemetry/metrics.ts';
import { createOwnNetwork } from '../../server/worker/own-network.ts';
import type { FailedObservation, Observation } from '../../server/core/observation.ts';
import { checksMade } from '../kit/product/checks-made.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { startDnsServer } from '../kit/peers/dns-server.ts';
import { HANDSHAKES_ONLY, MODERN_TLS } from '../kit/product/observation.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';
import { intermediate, type Rig, START, startRig } from './rig.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

/** Returns canaries whose network and clock are set by the test. */
function puppets() {
  const world = { healthy: 3, rounds: 0, trueNow: null as number | null, now: () => 0 };
  const canaries: Canaries = {
    probe: () => {
      world.rounds += 1;
      const aheadMs = world.trueNow === null ? null : world.trueNow - world.now();
      return Promise.resolve(
        [0, 1, 2].map((index): CanaryResult => ({
          host: `canary-${index}.example`,
          isHealthy: index < world.healthy,
          aheadMs: index < world.healthy ? aheadMs : null,
        })),
      );
    },
  };
  return { world, canaries };
}

/** Starts three TLS servers on loopback with different names and the right time. */
async function realCanaries(now: () => number): Promise<Canaries> {
  const certificate = intermediate.issue({ dnsNames: ['elsewhere.example'] });
  const hosts = await Promise.all(
    [0, 1, 2].map(async (index) => {
      const peer = await startTlsServer(
        { '*': certificate },
        {
          serve(_request, response) {
            response.sendDate = false;
            response.setHeader('Date', new Date(START).toUTCString()).end();
          },
        },
      );
      onTestFinished(() => peer.stop());
      return { host: `canary-${index}.example`, port: peer.port };
    }),
  );
  const dns = await startDnsServer(
    Object.fromEntries(hosts.map(({ host }) => [host, { addresses: ['127.0.0.1'] }])),
  );
  onTestFinished(() => dns.stop());
  const policy = createAddressPolicy(['127.0.0.0/8']);
  const resolver = createResolver({ servers: [dns.address], policy });
  const canaries = createCanaries({ hosts, resolver, policy, now });
  if (canaries === null) throw new Error('no canaries');
  return canaries;
}

async function rigWithCanaries(store: Store, options: Parameters<typeof startRig>[1] = {}) {
  const { world, canaries } = puppets();
  const rig = await startRig(store, { ...options, canaries });
  world.now = () => rig.clock.now();
  return { rig, world };
}

const incidents = ({ store }: Rig) => store.db.selectFrom('incident_members').select('problem').execute();

describeAnyDatabase('An outage of our own network', (open) => {
  it('marks no host as down, and ends at the next check if the canaries answer', async () => {
    const { rig, world } = await rigWithCanaries(await open());
    const hosts = ['one.example', 'two.example', 'three.example'];
    const added = [];
    for (const host of hosts) added.push(await rig.watch(host, undefined, { everyMinutes: 10 }));
    await rig.runDue();
    world.healthy = 1;
    for (const host of hosts) rig.reachable(host, false);
    await rig.runUntil(START + 30 * MINUTE_MS);
    for (const monitor of added) {
      const seen = await rig.read(monitor);
      expect(seen).toMatchObject({ uptime: 'up', suspectedSince: null, verdict: { reached: true } });
      expect(seen.recentChecks).toMatch(/^u+\?$/);
    }
    expect(await raisedAlarms(rig.store)).toMatchObject([{ code: 'network_cut' }]);

    world.healthy = 3;
    for (const host of hosts) rig.reachable(host, true);
    await rig.runUntil(START + 31 * MINUTE_MS);
    await rig.worker.watch();
    for (const monitor of added) expect((await rig.read(monitor)).recentChecks).toMatch(/^u+\?u+$/);
    expect(await raisedAlarms(rig.store)).toEqual([]);
    expect(await incidents(rig)).toEqual([]);
    expect(rig.arrivals.filter(({ subject }) => /down|up/i.test(subject))).toEqual([]);
  });

  it('is not assumed while canaries answer, so a host that is down is reported', async () => {
    const { rig } = await rigWithCanaries(await open());
    const added = await rig.watch('one.example', undefined, { everyMinutes: 10 });
    await rig.runDue();
    rig.reachable('one.example', false);
    await rig.runUntil(START + 12 * MINUTE_MS);
    expect(await rig.read(added)).toMatchObject({ uptime: 'down' });
  });

  it('counts a check as lost instead of postponed if another worker has taken it over', async () => {
    const store = await open();
    const metrics = createMetrics();
    const { rig, world } = await rigWithCanaries(store, {
      telemetry: { metrics, tracer: null },
      wrapProbe: (probe) => ({
        async observe(...asked) {
          const observation = await probe.observe(...asked);
          if (world.healthy === 0)
            await store.db.updateTable('monitors').set({ lease_token: 'of another worker' }).execute();
          return observation;
        },
      }),
    });
    const { id: monitorId } = await rig.watch('one.example');
    await rig.runDue();
    world.healthy = 0;
    rig.reachable('one.example', false);
    await requestCheck(store, { accountId: rig.accountId, monitorId, now: rig.clock.now() });
    await rig.runDue();
    const counted = await metrics.registry.metrics();
    expect(counted).toContain('certlantern_checks_total{outcome="lost"} 1\n');
    expect(counted).toContain('certlantern_checks_total{outcome="postponed"} 0\n');
  });

  it('postpones a requested check by less than a minute', async () => {
    const { rig, world } = await rigWithCanaries(await open());
    const added = await rig.watch('one.example');
    await rig.runDue();
    world.healthy = 0;
    rig.reachable('one.example', false);
    await requestCheck(rig.store, { accountId: rig.accountId, monitorId: added.id, now: rig.clock.now() });
    await rig.runDue();
    const { nextCheckAt } = await rig.read(added);
    expect(nextCheckAt - START).toBeGreaterThanOrEqual(40_000);
    expect(nextCheckAt - START).toBeLessThanOrEqual(55_000);
  });
});

describeAnyDatabase('Without canaries,', (open) => {
  it('many simultaneous failures are held for half an hour before they are confirmed', async () => {
    const rig = await startRig(await open());
    const hosts = Array.from({ length: 10 }, (_, index) => `shop.domain-${index}.example`);
    for (const host of hosts) await rig.watch(host, undefined, { everyMinutes: 10 });
    await rig.runDue();
    for (const host of hosts) rig.reachable(host, false);
    await rig.runUntil(START + 30 * MINUTE_MS);
    expect(await incidents(rig)).toEqual([]);
    expect(await raisedAlarms(rig.store)).toMatchObject([{ code: 'network_cut' }]);
    await rig.runUntil(START + 50 * MINUTE_MS);
    expect((await incidents(rig)).length).toBe(10);
    await rig.worker.watch();
    expect(await raisedAlarms(rig.store)).toEqual([]);
  });
});

describeAnyDatabase('A wrong clock', (open) => {
  it('a wrong clock that is 400 days ahead causes no mail, incident or deletion, and checks continue once it is corrected', async () => {
    const { rig, world } = await rigWithCanaries(await open());
    world.trueNow = START;
    const added = await rig.watch('one.example');
    await rig.runDue();
    const before = rig.arrivals.length;
    const checks = () => checksMade(rig.store);
    const kept = await checks();

    rig.clock.jump(400 * DAY_MS);
    await rig.runDue();
    await rig.worker.sweep();
    await rig.worker.watch();
    await rig.runDue();
    // The alarm about the clock itself may be sent.
    expect(rig.arrivals.slice(before).filter(({ subject }) => !/clock/i.test(subject))).toEqual([]);
    expect(await checks()).toEqual(kept);
    expect(await incidents(rig)).toEqual([]);
    expect(await raisedAlarms(rig.store)).toMatchObject([
      { code: 'clock_wrong', detail: 'The clock of this server is 400 days ahead.' },
    ]);

    rig.clock.jump(-400 * DAY_MS);
    rig.clock.advance(MINUTE_MS / 2);
    world.trueNow = START + MINUTE_MS / 2;
    await rig.worker.watch();
    expect(await raisedAlarms(rig.store)).toEqual([]);
    const { nextCheckAt } = await rig.read(added);
    world.trueNow = nextCheckAt;
    await rig.runUntil(nextCheckAt);
    expect(await checks()).toHaveLength(kept.length + 1);
    expect(await rig.read(added)).toMatchObject({ uptime: 'up' });
  });

  it('a wrong clock that is 400 days ahead is detected with three canaries, and no check runs and no mail is sent', async () => {
    const now = { read: () => START };
    const rig = await startRig(await open(), { canaries: await realCanaries(() => now.read()) });
    now.read = () => rig.clock.now();
    const added = await rig.watch('one.example');
    await rig.runDue();
    expect(await rig.read(added)).toMatchObject({ lastCheckedAt: START });

    rig.clock.jump(400 * DAY_MS);
    expect(await rig.runDue()).toMatchObject({ checks: 0 });
    await rig.worker.sweep();
    await rig.worker.watch();
    await rig.runDue();
    expect(rig.arrivals).toEqual([]);
    expect(await rig.store.db.selectFrom('alerts').select('id').execute()).toEqual([]);
    expect(await raisedAlarms(rig.store)).toMatchObject([{ code: 'clock_wrong' }]);
  });

  it('holds an expiry alert that was queued before, until the clock is corrected', async () => {
    const { rig, world } = await rigWithCanaries(await open());
    world.trueNow = START;
    await rig.sink.down();
    const validity = { notBefore: START - 88 * DAY_MS, notAfter: START + 2 * DAY_MS };
    await rig.watch('one.example', rig.issue('one.example', validity));
    await rig.runDue();
    await rig.sink.up();
    rig.clock.jump(400 * DAY_MS);
    await rig.worker.watch();
    await rig.runDue();
    expect(rig.arrivals.filter(({ subject }) => subject.includes('expire'))).toEqual([]);

    world.trueNow = START + HOUR_MS;
    rig.clock.jump(-400 * DAY_MS);
    rig.clock.advance(HOUR_MS);
    await rig.worker.watch();
    await rig.runDue();
    expect(rig.arrivals.filter(({ subject }) => subject.includes('expire'))).toHaveLength(1);
  });
});

const STILL = { now: () => START, monotonic: () => performance.now() };
const WAS_UP = { wasDown: false, upFor: ['alice'] };
const NO_ALARMS = {
  raise: () => Promise.resolve(),
  clear: () => Promise.resolve(),
  isRaised: () => false,
  mayBeRaised: () => false,
};

/** Returns an observation whose only address failed for this reason. */
function failing(
  host: string,
  reason: FailedObservation['reason'],
  stage: FailedObservation['stage'],
): Observation {
  const seen = { address: '192.0.2.1', family: 4 as const, outcome: 'failed' as const, tlsAlert: null };
  return {
    endpoint: { host, port: 443, protocol: 'https' },
    observedAt: START,
    durationMs: 5,
    resolution: { ok: true, addresses: ['192.0.2.1'] },
    addresses: [{ ...seen, stage, reason, detail: null, durationMs: 5 }],
    ...HANDSHAKES_ONLY,
  };
}

describe('The network check with canaries', () => {
  async function asked(
    observation: Observation,
    wasDown = false,
  ): Promise<{ rounds: number; trusts: boolean }> {
    const { world, canaries } = puppets();
    world.healthy = 0;
    world.now = () => START;
    const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const own = createOwnNetwork({ canaries, clock: STILL, log, alarms: NO_ALARMS });
    onTestFinished(() => own.close());
    await own.clockIsRight();
    const { rounds } = world;
    const trusts = await own.trusts(observation, { wasDown, upFor: ['alice'] });
    return { rounds: world.rounds - rounds, trusts };
  }

  it.each([
    ['timeout', 'connect'],
    ['refused', 'connect'],
    ['reset', 'handshake'],
    ['closed', 'handshake'],
    ['unroutable', 'connect'],
    ['timeout', 'starttls'],
    ['server_refused', 'starttls'],
    ['greeting_timeout', 'starttls'],
  ] as const)('runs after the failure %s in the stage %s', async (reason, stage) => {
    expect(await asked(failing('shop.example', reason, stage))).toEqual({ rounds: 1, trusts: false });
  });

  it.each([
    ['tls_alert', 'handshake'],
    ['not_tls', 'handshake'],
    ['no_starttls', 'starttls'],
    ['address_refused', 'policy'],
    ['no_route_here', 'connect'],
    ['slow_answers', 'starttls'],
  ] as const)('does not run after the failure %s in the stage %s', async (reason, stage) => {
    expect(await asked(failing('shop.example', reason, stage))).toEqual({ rounds: 0, trusts: true });
  });

  it('runs after an HTTP timeout and a silent resolver, but not after an HTTP answer', async () => {
    const shook = {
      ...MODERN_TLS,
      address: '192.0.2.1',
      family: 4 as const,
      presentedChain: [],
      durationMs: 5,
    };
    const silent: Observation = {
      ...failing('shop.example', 'timeout', 'connect'),
      addresses: [shook],
      http: { outcome: 'failed', address: '192.0.2.1', reason: 'timeout', durationMs: 5 },
    };
    expect(await asked(silent)).toEqual({ rounds: 1, trusts: false });
    const http = { outcome: 'answered', address: '192.0.2.1', method: 'HEAD', status: 503 } as const;
    expect(await asked({ ...silent, http: { ...http, durationMs: 5 } })).toEqual({ rounds: 0, trusts: true });
    const nameless: Observation = {
      ...failing('shop.example', 'timeout', 'connect'),
      resolution: { ok: false, stage: 'dns', reason: 'resolver_silent', detail: null },
      addresses: [],
    };
    expect(await asked(nameless)).toEqual({ rounds: 1, trusts: false });
  });

  it('does not run for a host that was down already', async () => {
    expect(await asked(failing('shop.example', 'timeout', 'connect'), true)).toEqual({
      rounds: 0,
      trusts: true,
    });
  });
});

describe('Rounds of canary probes', () => {
  it('log a warning when an outage begins or changes, and not again while it lasts', async () => {
    const { world, canaries } = puppets();
    const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const own = createOwnNetwork({ canaries, clock: STILL, log, alarms: NO_ALARMS });
    onTestFinished(() => own.close());
    const ask = () => own.trusts(failing('shop.example', 'timeout', 'connect'), WAS_UP);
    for (const [healthy, warnings] of [
      [0, 1],
      [0, 1],
      [1, 2],
      [1, 2],
      [2, 2],
      [1, 3],
    ] as const) {
      world.healthy = healthy;
      await ask();
      expect(log.warn).toHaveBeenCalledTimes(warnings);
    }
  });

  it('start after the failure that they judge, and are shared by all waiting checks', async () => {
    const begun: (() => void)[] = [];
    let healthy = true;
    const canaries: Canaries = {
      probe: () =>
        new Promise((resolve) =>
          begun.push(() =>
            resolve([0, 1].map((index) => ({ host: `${index}`, isHealthy: healthy, aheadMs: null }))),
          ),
        ),
    };
    const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const own = createOwnNetwork({ canaries, clock: STILL, log, alarms: NO_ALARMS });
    const right = own.clockIsRight();
    await expect.poll(() => begun).toHaveLength(1);
    begun[0]?.();
    await right;

    const observation = failing('shop.example', 'timeout', 'connect');
    const first = own.trusts(observation, WAS_UP);
    await expect.poll(() => begun).toHaveLength(2);
    const later = [own.trusts(observation, WAS_UP), own.trusts(observation, WAS_UP)];
    begun[1]?.();
    expect(await first).toBe(true);
    await expect.poll(() => begun).toHaveLength(3);
    healthy = false;
    begun[2]?.();
    expect(await Promise.all(later)).toEqual([false, false]);
    own.close();
  });
});
