import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import type { Observation } from '../../server/core/observation.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';
import { postponeCheck } from '../../server/store/monitors/check-due.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { writeHistory } from '../kit/product/write-history.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi, type TestApi } from './test-api.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';

const authority = mintAuthority();
const leaf = authority.issue({ dnsNames: ['shop.example.com'], notAfter: Date.now() + 80 * DAY_MS });

const answered =
  (status: number) =>
  (monitor: Monitor): Observation => ({
    ...answeredWith(leaf)(monitor),
    http: { outcome: 'answered', address: '192.0.2.10', method: 'HEAD', status, durationMs: 95 },
  });

/** Records a check now, even if none is due. */
async function look({ store, clock }: TestApi, status: number): Promise<void> {
  await store.db.updateTable('monitors').set({ next_check_at: clock.now() }).execute();
  expect(await finishChecks({ store, clock }, authority, answered(status))).toBe(1);
}

/** Moves the clock and refreshes the session. */
async function later({ clock }: TestApi, person: Person, ms: number): Promise<void> {
  clock.advance(ms);
  expect((await person.ask(CALLS.refreshSession)).status).toBe(200);
}

const add = async (person: Person) =>
  (await person.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } })).ok.data.id;
const uptimeOf = async (person: Person, id: string) =>
  (await person.ask(CALLS.domainUptime, { params: { id } })).ok.data;
const cardOf = async (person: Person) => (await person.ask(CALLS.listDomains)).ok.data[0]?.uptime;

describeAnyDatabase('The uptime of a domain', (open) => {
  it('is empty before the first check, and not found by other accounts', async () => {
    const { alice, charlie } = await (await startApi(open)).cast();
    const id = await add(alice);
    expect(await uptimeOf(alice, id)).toEqual({
      state: null,
      percent: null,
      window_days: 7,
      since: null,
      checks: [],
      incidents: [],
      response_times: [],
    });
    expect(await cardOf(alice)).toEqual({
      state: null,
      checks: '',
      percent: null,
      response_ms: null,
      cause: null,
      down_since: null,
    });
    const stranger = await charlie.ask(CALLS.domainUptime, { params: { id } });
    expect(stranger.problem.code).toBe('not_found');
  });

  it('has checks, incidents with start, end and cause, and the percentage of time', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice);
    await look(api, 200);
    await later(api, alice, 9 * HOUR_MS);
    await look(api, 503);
    const suspected = await cardOf(alice);
    expect(suspected).toMatchObject({ state: 'up', checks: 'ud', percent: 100, down_since: null });
    await later(api, alice, MINUTE_MS / 2);
    await look(api, 503);
    const down = await cardOf(alice);
    const cause = 'shop.example.com answered with the error 503.';
    expect(down).toMatchObject({ state: 'down', checks: 'udd', percent: 99.9, cause });
    expect(Date.now() + 9 * HOUR_MS - Date.parse(down?.down_since ?? '')).toBeLessThan(MINUTE_MS);
    await later(api, alice, HOUR_MS - MINUTE_MS / 2);
    await look(api, 404);

    const uptime = await uptimeOf(alice, id);
    expect(uptime).toMatchObject({ state: 'up', window_days: 7, percent: expect.closeTo(90, 0) });
    expect(await cardOf(alice)).toMatchObject({
      state: 'up',
      checks: 'uddu',
      percent: uptime.percent,
      response_ms: 100,
      cause: null,
      down_since: null,
    });
    expect(uptime.checks.map((check) => [check.state, check.response_ms, check.message])).toEqual([
      ['up', 100, null],
      ['down', 100, cause],
      ['down', 100, cause],
      ['up', 100, null],
    ]);
    expect(uptime.incidents).toEqual([
      {
        id: expect.any(String),
        started_at: uptime.checks[1]?.at,
        ended_at: uptime.checks[3]?.at,
        cause: 'server_error',
        message: cause,
      },
    ]);
    expect(uptime.since).toBe(uptime.checks[0]?.at);
    expect(new Set(uptime.response_times.map(({ average_ms: average }) => average))).toEqual(new Set([100]));
  });

  it('covers seven days on Free and ninety on Premium', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice);
    await look(api, 503);
    await later(api, alice, MINUTE_MS);
    await look(api, 503);
    for (let hours = 0; hours < 24; hours += 2) {
      await later(api, alice, 2 * HOUR_MS);
      await look(api, hours === 22 ? 200 : 503);
    }
    await later(api, alice, 9 * DAY_MS);
    await look(api, 200);
    expect(await uptimeOf(alice, id)).toMatchObject({ window_days: 7, percent: 100, incidents: [] });
    expect(await cardOf(alice)).toMatchObject({ percent: 100 });

    const now = api.clock.now();
    await grantPremium(api.store, alice.id, { grant: { endsAt: null }, now });
    const whole = await uptimeOf(alice, id);
    expect(whole).toMatchObject({ window_days: 90, percent: expect.closeTo(90, 0) });
    expect(whole.incidents).toHaveLength(1);
    expect(await cardOf(alice)).toMatchObject({ percent: whole.percent });
  });

  it('lists the last 90 checks and at most 120 response times', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice);
    await look(api, 200);
    const { store, clock } = api;
    // Six checks per hour in full hours, whatever the time of day.
    const thisHour = Math.floor(clock.now() / HOUR_MS) * HOUR_MS;
    const begin = thisHour - 84 * HOUR_MS;
    const samples = Array.from({ length: 504 }, (_, index) => ({
      at: begin + index * 10 * MINUTE_MS,
      state: 'up' as const,
      responseMs: index % 2 === 0 ? 100 : 300,
      message: null,
    }));
    await writeHistory(store, { accountId: alice.id, monitorId: id }, samples);
    await store.db.updateTable('monitors').set({ uptime_since: begin }).execute();
    const uptime = await uptimeOf(alice, id);
    expect(uptime.checks).toHaveLength(90);
    // There is one value for each of 84 hours.
    expect(uptime.response_times.length).toBeGreaterThan(80);
    expect(uptime.response_times.length).toBeLessThanOrEqual(120);
    for (const { at, average_ms: average, slowest_ms: slowest } of uptime.response_times) {
      expect(Date.parse(at)).toBeGreaterThanOrEqual(begin);
      expect(average).toBeGreaterThan(99);
      expect(slowest).toBe(300);
    }
  });
});

describeAnyDatabase('A check that was postponed', (open) => {
  it('shows the reason and the time of its retry until a check is recorded', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice);
    const shown = async () => {
      const { checking, waiting } = (await alice.ask(CALLS.domain, { params: { id } })).ok.data;
      return { checking, waiting };
    };
    expect(await shown()).toEqual({ checking: true, waiting: null });

    const now = api.clock.now();
    const nextCheckAt = now + MINUTE_MS;
    for (const { accountId, id: monitorId, leaseToken } of await claimDue(api.store, {
      now,
      limit: 1,
      leaseMs: MINUTE_MS,
      claimedBy: 'test',
    }))
      await postponeCheck(api.store, { accountId, monitorId, leaseToken, now, nextCheckAt });
    const waiting = { reason: 'own_network', until: new Date(nextCheckAt).toISOString() };
    expect(await shown()).toEqual({ checking: false, waiting });

    const params = { id };
    expect((await alice.ask(CALLS.checkDomain, { params })).ok.data).toMatchObject({
      checking: true,
      waiting: null,
    });
    expect((await alice.ask(CALLS.pauseDomain, { params })).ok.data).toMatchObject({ waiting: null });
    expect((await alice.ask(CALLS.resumeDomain, { params, body: {} })).ok.data).toMatchObject({
      checking: true,
    });
    await look(api, 200);
    expect(await shown()).toEqual({ checking: false, waiting: null });
  });
});
