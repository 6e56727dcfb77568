import { jwtVerify, SignJWT } from 'jose';
import { expect, it, vi } from 'vitest';
import { subscriptionClaimsSchema } from '../../contract/account.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { SUBSCRIPTION_SECRET_PREFIX } from '../../contract/words.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { TRUST_EVERY_CHECK } from '../kit/product/stand-ins.ts';
import { createPlanLoop } from '../../server/worker/account-loops.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { createClient, identityToken, type Person } from '../kit/product/people.ts';
import { startApi, type TestApi } from './test-api.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const add = (person: Person, host: string) => person.ask(CALLS.addDomain, { body: { host } });
const secretOf = ({ id }: Person) => new TextEncoder().encode(`${SUBSCRIPTION_SECRET_PREFIX}${id}`);
const standing = async (person: Person) => (await person.ask(CALLS.standing)).ok.data;

/** Returns the status that the page reads from the subscription token, and its lifetime in minutes. */
async function subscription({ clock }: TestApi, person: Person) {
  const { data } = (await person.ask(CALLS.subscription)).ok;
  const options = { algorithms: ['HS256'], subject: person.id, currentDate: new Date(clock.now()) };
  const { payload } = await jwtVerify(data, secretOf(person), options);
  const { status, exp } = subscriptionClaimsSchema.parse(payload);
  return { status, minutes: Math.round((exp * 1000 - clock.now()) / 60_000) };
}

/** Does the worker's part when plans end: pauses domains above the limit. */
async function carryOutEnds({ store, clock }: TestApi): Promise<void> {
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  await createPlanLoop({ ownNetwork: TRUST_EVERY_CHECK, store, clock, log }).runDue();
  expect(log.error).not.toHaveBeenCalled();
}

describeEachDatabase('Plan limits', (open) => {
  it('are enforced by the server, even with a forged subscription token that the page would accept', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const forged = await new SignJWT({ status: 'active' })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(alice.id)
      .setExpirationTime('1h')
      .sign(secretOf(alice));
    // The page's verification accepts the forged token.
    await jwtVerify(forged, secretOf(alice), { subject: alice.id });
    const [domain] = await Promise.all(['a', 'b', 'c'].map((name) => add(alice, `${name}.example.com`)));

    for (const headers of [
      { authorization: `Bearer ${forged}` },
      { 'x-subscription': forged },
      {
        cookie: `${[...alice.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')}; sub=${forged}`,
      },
    ] as Record<string, string>[]) {
      const requester = createClient(api.send, new Map(headers['cookie'] === undefined ? alice.cookies : []));
      const fourth = await requester.ask(CALLS.addDomain, { body: { host: 'd.example.com' }, headers });
      expect(fourth.problem).toMatchObject({ status: 402, code: 'limit_reached' });
      const params = { id: domain?.ok.data.id ?? '' };
      const often = await requester.ask(CALLS.setFrequency, {
        params,
        query: { check_frequency: '15' },
        headers,
      });
      expect(often.problem).toMatchObject({ status: 402, code: 'premium_required' });
      expect((await requester.ask(CALLS.premium, { headers })).ok.data).toBe(false);
    }
    expect((await alice.ask(CALLS.listDomains)).ok.total).toBe(3);
    promise('plan-limits');
  });

  it('allow only one of two domains that are added concurrently as the third', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    for (const host of ['a.example.com', 'b.example.com']) await add(alice, host);
    const race = await Promise.all(['c', 'd'].map((name) => add(alice, `${name}.example.com`)));
    expect(race.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 402]);
    const fourth = await Promise.all(['e', 'f'].map((name) => add(alice, `${name}.example.com`)));
    expect(fourth.map(({ problem }) => problem.code)).toEqual(['limit_reached', 'limit_reached']);
    expect((await alice.ask(CALLS.listDomains)).ok.total).toBe(3);
  });

  it('the standing and the subscription token show the plan, its source and its end', async () => {
    const api = await startApi(open);
    const { alice, bob, charlie } = await api.cast();
    const health = {
      checks_late: false,
      alerts_late: false,
      mail_failing: false,
      dead_channels: 0,
      unsubscribed: false,
    };
    const common = {
      paused_by_plan: 0,
      paused_unconfirmed: 0,
      email_verified: true,
      mail_page: null,
      ...health,
    };
    const nothing = { plan: 'free', status: '', source: 'none', ends_at: null };
    expect(await standing(alice)).toEqual({ ...nothing, ...common, trial_available: true });
    expect(await subscription(api, alice)).toEqual({ status: '', minutes: 5 });
    const forGood = { plan: 'premium', status: 'active', source: 'grant', ends_at: null };
    expect(await standing(bob)).toEqual({ ...forGood, ...common, trial_available: false });
    expect(await subscription(api, bob)).toEqual({ status: 'active', minutes: 24 * 60 });

    const endsAt = api.clock.now() + 3 * HOUR_MS;
    await grantPremium(api.store, charlie.id, { grant: { endsAt }, now: api.clock.now() });
    expect(await standing(charlie)).toMatchObject({ ends_at: new Date(endsAt).toISOString() });
    // The token expires with Premium at the latest.
    expect(await subscription(api, charlie)).toEqual({ status: 'active', minutes: 3 * 60 });
  });

  it('the subscription token lasts 24 hours, or less if the paid period ends sooner and no payment is late', async () => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    const now = api.clock.now();
    const tell = async (change: { status: 'active' | 'past_due'; period_ends_at: number }) => {
      await api.store.db.deleteFrom('subscriptions').execute();
      await api.store.db
        .insertInto('subscriptions')
        .values({
          id: 'sub_1',
          account_id: charlie.id,
          customer_id: 'ctm_1',
          price_id: 'pri_1',
          period_starts_at: now - DAY_MS,
          past_due_since: change.status === 'past_due' ? now - DAY_MS : null,
          told_at: now,
          created_at: now,
          ...change,
        })
        .execute();
      await grantPremium(api.store, charlie.id, { grant: null, now });
      return subscription(api, charlie);
    };
    const hours = (count: number) => now + count * HOUR_MS;
    expect(await tell({ status: 'active', period_ends_at: hours(2) })).toEqual({
      status: 'active',
      minutes: 120,
    });
    expect(await tell({ status: 'active', period_ends_at: hours(48) })).toEqual({
      status: 'active',
      minutes: 24 * 60,
    });
    // The event about the renewal comes late.
    expect(await tell({ status: 'active', period_ends_at: hours(-1) })).toEqual({
      status: 'active',
      minutes: 24 * 60,
    });
    expect(await tell({ status: 'past_due', period_ends_at: hours(1) })).toEqual({
      status: 'past_due',
      minutes: 24 * 60,
    });
    expect(await standing(charlie)).toMatchObject({
      plan: 'premium',
      status: 'past_due',
      source: 'subscription',
      ends_at: new Date(now + 13 * DAY_MS).toISOString(),
    });
  });

  it('include Premium for everybody if the deployment sells nothing', async () => {
    const api = await startApi(() => open({ everyonePremium: true }), {
      config: { billing: { mode: 'none' } },
    });
    const { alice } = await api.cast();
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      expect((await add(alice, `${name}.example.com`)).ok).toBeTruthy();
    expect(await standing(alice)).toMatchObject({ plan: 'premium', source: 'deployment', ends_at: null });
    expect(await subscription(api, alice)).toEqual({ status: 'active', minutes: 24 * 60 });
    expect((await alice.ask(CALLS.premium)).ok.data).toBe(true);
  });
});

describeEachDatabase('A trial', (open) => {
  const signUpFor = async (api: TestApi, email: string, trial?: boolean) => {
    const client = createClient(api.send);
    await client.ask(CALLS.signUp, { body: { name: 'Alice', email, password: 'correct horse', trial } });
    const body = { token: await identityToken(client) };
    const { id } = (await client.ask(CALLS.openSession, { body })).ok.data;
    return { ...client, id, name: 'Alice', email, password: 'correct horse' };
  };

  it('starts with a new account on request, once per email address in any spelling', async () => {
    const api = await startApi(open);
    const alice = await signUpFor(api, 'alice.lantern@gmail.com', true);
    expect(await standing(alice)).toMatchObject({ plan: 'premium', status: 'trialing', source: 'trial' });
    expect(Date.parse((await standing(alice)).ends_at ?? '') - api.clock.now()).toBeGreaterThan(
      13.99 * DAY_MS,
    );
    expect(await subscription(api, alice)).toEqual({ status: 'trialing', minutes: 24 * 60 });
    const again = await signUpFor(api, 'AliceLantern+more@googlemail.com', true);
    expect(await standing(again)).toMatchObject({ plan: 'free', status: '' });

    const rows = JSON.stringify(await api.store.db.selectFrom('trials').selectAll().execute());
    expect(rows).not.toMatch(/lantern|gmail/i);
  });

  it('starts on request in a Free account whose address had no trial, and is refused afterwards', async () => {
    const api = await startApi(open);
    const alice = await signUpFor(api, 'alice.lantern@gmail.com');
    expect(await standing(alice)).toMatchObject({ plan: 'free', trial_available: true });
    for (const name of ['a', 'b', 'c']) await add(alice, `${name}.example.com`);
    expect((await add(alice, 'd.example.com')).problem.code).toBe('limit_reached');

    // Two requests at the same time start one trial.
    const answers = await Promise.all([alice.ask(CALLS.startTrial), alice.ask(CALLS.startTrial)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await standing(alice)).toMatchObject({
      plan: 'premium',
      status: 'trialing',
      source: 'trial',
      trial_available: false,
    });
    expect((await add(alice, 'd.example.com')).status).toBe(200);
    expect((await alice.ask(CALLS.startTrial)).problem.code).toBe('already_subscribed');

    const again = await signUpFor(api, 'AliceLantern+more@googlemail.com');
    expect((await standing(again)).trial_available).toBe(false);
    expect((await again.ask(CALLS.startTrial)).problem.code).toBe('trial_used');

    await passTrial(api, alice);
    await carryOutEnds(api);
    expect(await standing(alice)).toMatchObject({ plan: 'free', trial_available: false, paused_by_plan: 1 });
    const refused = (await alice.ask(CALLS.startTrial)).problem;
    expect([refused.code, refused.detail]).toEqual([
      'trial_used',
      'This address has already had its trial. Each address gets one.',
    ]);
  });

  it('ends after 14 days: more domains are refused at once, and the worker pauses all but three', async () => {
    const api = await startApi(open);
    const alice = await signUpFor(api, 'alice@example.test', true);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      api.clock.advance(1_000);
      ids.push((await add(alice, `${name}.example.com`)).ok.data.id);
    }
    const params = { id: ids[4] ?? '' };
    await alice.ask(CALLS.setFrequency, { params, query: { check_frequency: '10' } });
    await passTrial(api, alice);

    expect((await add(alice, 'f.example.com')).problem.code).toBe('limit_reached');
    expect(await standing(alice)).toMatchObject({ plan: 'free', status: '', source: 'none', ends_at: null });
    expect(await subscription(api, alice)).toEqual({ status: '', minutes: 5 });
    const often = await alice.ask(CALLS.setFrequency, { params, query: { check_frequency: '15' } });
    expect(often.problem.code).toBe('premium_required');

    await carryOutEnds(api);
    expect((await standing(alice)).paused_by_plan).toBe(2);
    const domains = (await alice.ask(CALLS.listDomains)).ok.data.toReversed();
    expect(domains.map(({ paused }) => paused)).toEqual([null, null, null, 'plan', 'plan']);
    expect(new Set(domains.map((domain) => domain.check_every_minutes))).toEqual(new Set([1440]));
  });
});

/** Lets 14 days pass. The person stays logged in. */
async function passTrial(api: TestApi, person: Person): Promise<void> {
  for (let day = 0; day < 14; day++) {
    api.clock.advance(DAY_MS);
    await person.ask(CALLS.refreshSession);
  }
}
