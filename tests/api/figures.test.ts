import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { STRIP_CHECKS, UPTIME_DAYS } from '../../contract/uptime.ts';
import { CHECK_FREQUENCIES } from '../../contract/words.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { freshStore } from '../kit/databases/database.ts';
import { signUp } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';
import { addUnchecked, recordCheck } from './watched.ts';

const open = () => freshStore('sqlite');

it('The API accepts three domains on the Free plan, the number in the public settings', async () => {
  const api = await startApi(open);
  const { alice, anonymous } = await api.cast();
  const hosts = ['a.example.com', 'b.example.com', 'c.example.com'];
  for (const host of hosts) await addUnchecked(alice, host);
  const fourth = await alice.ask(CALLS.addDomain, { body: { host: 'd.example.com' } });
  expect(fourth.problem).toMatchObject({ status: 402, code: 'limit_reached' });
  expect((await anonymous.ask(CALLS.publicConfig)).ok.data.limits.free_domains).toBe(hosts.length);
});

it('A trial lasts 14 days, the number in the public settings', async () => {
  const api = await startApi(open);
  const alice = await signUp(api.send, { name: 'Alice', trial: true });
  const { status, ends_at: endsAt } = (await alice.ask(CALLS.standing)).ok.data;
  expect(status).toBe('trialing');
  const days = (Date.parse(endsAt ?? '') - api.clock.now()) / DAY_MS;
  expect(days).toBeCloseTo(14, 2);
  expect((await alice.ask(CALLS.publicConfig)).ok.data.limits.trial_days).toBe(Math.round(days));
});

it('The API accepts every check frequency that the pages offer, on the plans that the pages name', async () => {
  const api = await startApi(open);
  const { alice, bob } = await api.cast();
  const [ofAlice, ofBob] = [
    await addUnchecked(alice, 'a.example.com'),
    await addUnchecked(bob, 'b.example.com'),
  ];
  for (const { minutes, premium } of CHECK_FREQUENCIES) {
    const query = { check_frequency: String(minutes) };
    const free = await alice.ask(CALLS.setFrequency, { params: { id: ofAlice }, query });
    expect([minutes, free.status]).toEqual([minutes, premium ? 402 : 200]);
    const paid = await bob.ask(CALLS.setFrequency, { params: { id: ofBob }, query });
    expect([minutes, paid.ok.data.check_every_minutes]).toEqual([minutes, minutes]);
  }
});

it('The API returns uptime for as many days and checks as the pages show', async () => {
  const api = await startApi(open);
  const { alice } = await api.cast();
  const id = await addUnchecked(alice, 'shop.example.com');
  const days = async () => (await alice.ask(CALLS.domainUptime, { params: { id } })).ok.data.window_days;
  expect(await days()).toBe(UPTIME_DAYS.free);
  await grantPremium(api.store, alice.id, { grant: { endsAt: null }, now: api.clock.now() });
  expect(await days()).toBe(UPTIME_DAYS.premium);

  const recent = 'u'.repeat(STRIP_CHECKS);
  await api.store.db.updateTable('monitors').set({ recent_checks: recent }).execute();
  await recordCheck(api, id);
  expect((await alice.ask(CALLS.listDomains)).ok.data[0]?.uptime.checks).toBe(recent);
});
