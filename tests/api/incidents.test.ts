import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { MAX_MAINTENANCE_WINDOWS } from '../../contract/alerting.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi, type TestApi } from './test-api.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const authority = mintAuthority();
const domain = async (person: Person, id: string) =>
  (await person.ask(CALLS.domainAlerts, { params: { id } })).ok.data;

/** Adds a domain whose certificate expires in five days. */
async function trouble(api: TestApi, person: Person, host = 'shop.example.com') {
  const domainId = (await person.ask(CALLS.addDomain, { body: { host } })).ok.data.id;
  const now = api.clock.now();
  const leaf = authority.issue({
    dnsNames: [host],
    notBefore: new Date(now - 85 * DAY_MS),
    notAfter: new Date(now + 5 * DAY_MS),
  });
  await finishChecks(api, authority, answeredWith(leaf));
  const [incident] = (await domain(person, domainId)).incidents;
  return { domainId, params: { id: incident?.id ?? '' } };
}

describeAnyDatabase('An incident', (open) => {
  it('can be acknowledged, so that only the alert at expiry stays planned, and unacknowledged again', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const { domainId, params } = await trouble(api, alice);
    const acknowledge = (person: Person, acknowledged: boolean) =>
      person.ask(CALLS.acknowledgeIncident, { params, body: { acknowledged } });
    expect((await acknowledge(bob, true)).problem.code).toBe('not_found');
    const known = (await acknowledge(alice, true)).ok.data;
    expect(known.acknowledged_at).not.toBeNull();
    const { incidents, planned, sent } = await domain(alice, domainId);
    expect(incidents).toEqual([known]);
    expect(planned.map(({ step }) => step)).toEqual(['expired']);
    expect(sent[0]?.deliveries[0]?.state).toBe('superseded');
    expect((await acknowledge(alice, false)).ok.data.acknowledged_at).toBeNull();
  });

  it('accepts at most six changes a minute that trigger a check', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { params } = await trouble(api, alice);
    const acknowledge = async (acknowledged: boolean) =>
      (await alice.ask(CALLS.acknowledgeIncident, { params, body: { acknowledged } })).status;
    const remind = async () =>
      (await alice.ask(CALLS.snoozeIncident, { params, body: { until: null } })).status;
    for (let time = 0; time < 3; time++)
      expect([await acknowledge(false), await remind()]).toEqual([200, 200]);
    expect([await acknowledge(false), await remind()]).toEqual([429, 429]);
    expect(await acknowledge(true)).toBe(200);
    api.clock.advance(60_000);
    expect(await acknowledge(false)).toBe(200);
  });

  it('accepts at most ten changes that trigger a check in ten minutes while the email address is unverified', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { params } = await trouble(api, alice);
    await api.store.db.updateTable('accounts').set({ email_verified: 0 }).execute();
    const remind = () => alice.ask(CALLS.snoozeIncident, { params, body: { until: null } });
    const acknowledged = (known: boolean) =>
      alice.ask(CALLS.acknowledgeIncident, { params, body: { acknowledged: known } });
    for (let time = 0; time < 10; time++) {
      expect((await remind()).status).toBe(200);
      api.clock.advance(15_000);
    }
    expect((await remind()).problem.code).toBe('email_not_verified');
    expect((await acknowledged(false)).problem.code).toBe('email_not_verified');
    expect((await acknowledged(true)).status).toBe(200);
  });

  it('can be snoozed for at most thirty days, which delays its alerts', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const { domainId, params } = await trouble(api, alice);
    const snooze = (person: Person, at: number | null) =>
      person.ask(CALLS.snoozeIncident, {
        params,
        body: { until: at === null ? null : new Date(at).toISOString() },
      });
    const until = api.clock.now() + 3.5 * DAY_MS;
    expect((await snooze(bob, until)).problem.code).toBe('not_found');
    for (const wrong of [api.clock.now() - 1, api.clock.now() + 31 * DAY_MS])
      expect((await snooze(alice, wrong)).problem.code).toBe('invalid_request');
    expect((await snooze(alice, until)).ok.data.snoozed_until).toBe(new Date(until).toISOString());
    const [next] = (await domain(alice, domainId)).planned;
    expect(Date.parse(next?.at ?? '')).toBeGreaterThanOrEqual(until);
    expect(next?.label).toMatch(/ before, delayed$/);
    expect((await snooze(alice, null)).ok.data.snoozed_until).toBeNull();
  });
});

describeAnyDatabase('A maintenance window', (open) => {
  const add = (person: Person, body: object) => person.ask(CALLS.addMaintenance, { body });
  const window = (from: number, hours: number, more: object = {}) => ({
    starts_at: new Date(from).toISOString(),
    ends_at: new Date(from + hours * HOUR_MS).toISOString(),
    domain_id: null,
    repeats: 'never',
    ...more,
  });
  const list = async (person: Person) => (await person.ask(CALLS.listMaintenance)).ok.data;

  it('is listed while active or upcoming, until its owner removes it', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const { domainId } = await trouble(api, alice);
    const now = api.clock.now();
    const running = (await add(alice, window(now, 2, { domain_id: domainId, note: 'New switch' }))).ok.data;
    expect(running).toMatchObject({
      domain: { id: domainId, display_name: 'shop.example.com' },
      note: 'New switch',
      active: true,
      repeats: 'never',
    });
    const weekly = (await add(alice, window(now + HOUR_MS, 1, { repeats: 'weekly' }))).ok.data;
    expect(weekly).toMatchObject({ domain: null, active: false });
    expect(await list(alice)).toEqual([running, weekly]);
    expect((await domain(alice, domainId)).maintenance_until).toBe(running.ends_at);
    expect(await list(bob)).toEqual([]);
    const params = { id: running.id };
    expect((await bob.ask(CALLS.removeMaintenance, { params })).problem.code).toBe('not_found');
    expect((await alice.ask(CALLS.removeMaintenance, { params })).ok.data).toBeNull();
    expect((await domain(alice, domainId)).maintenance_until).toBeNull();
    expect(await list(alice)).toEqual([weekly]);
  });

  it('triggers a check when it is removed while active, at most six times a minute', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { domainId: domain_id } = await trouble(api, alice);
    const now = api.clock.now();
    const dueAt = async () =>
      (await api.store.db.selectFrom('monitors').select('next_check_at').executeTakeFirstOrThrow())
        .next_check_at;
    const takeBack = async (from: number) => {
      const { id } = (await add(alice, window(from, 1, { domain_id }))).ok.data;
      return (await alice.ask(CALLS.removeMaintenance, { params: { id } })).status;
    };
    expect(await takeBack(now + HOUR_MS)).toBe(200);
    expect(await dueAt()).toBeGreaterThan(now);
    for (let time = 0; time < 6; time++) expect(await takeBack(now)).toBe(200);
    expect(await dueAt()).toBeLessThanOrEqual(api.clock.now());
    expect(await takeBack(now)).toBe(429);
  });

  it('is refused if its times are invalid or its domain belongs to another account', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const { domainId } = await trouble(api, alice);
    const now = api.clock.now();
    for (const wrong of [window(now, -1), window(now, 24 * 7 + 0.5), window(now - 3 * HOUR_MS, 1)])
      expect((await add(alice, wrong)).problem.code).toBe('invalid_request');
    expect((await add(alice, window(now, 24 * 7))).status).toBe(200);
    expect((await add(bob, window(now, 1, { domain_id: domainId }))).problem.code).toBe('not_found');
  });

  it('is refused if the account already has fifty that are not over', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const now = api.clock.now();
    const row = {
      account_id: alice.id,
      monitor_id: null,
      note: '',
      repeats: 'never' as const,
      created_at: now,
    };
    for (let count = 0; count < MAX_MAINTENANCE_WINDOWS; count++)
      await api.store.db
        .insertInto('maintenance_windows')
        .values({ ...row, id: `${count}`, starts_at: now, ends_at: now + HOUR_MS })
        .execute();
    expect((await add(alice, window(now, 2))).problem.code).toBe('too_many_windows');
    await api.store.db
      .updateTable('maintenance_windows')
      .set({ ends_at: now - 1 })
      .where('id', '=', '0')
      .execute();
    const both = await Promise.all([add(alice, window(now, 2)), add(alice, window(now, 3))]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });
});
