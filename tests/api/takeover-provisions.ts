import { expect } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { OWN_MAIL } from '../../contract/channel.ts';
import { claimDueDeliveries, retryDelivery } from '../../server/store/alerts/deliveries.ts';
import { setUnsubscribed } from '../../server/store/mail/unsubscriptions.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { createClient, identityToken, type Person } from '../kit/product/people.ts';
import { renewalRow } from '../kit/product/sample-forecast.ts';
import type { TestApi } from './test-api.ts';
import { addUnchecked, recordCheck } from './watched.ts';
import { HOUR_MS } from '../../contract/durations.ts';

const authority = mintAuthority({ commonName: 'Hostile Root' });

/** Signs up an account with an unverified address, Premium by trial and purchase, and rows of every kind. */
export async function provision(api: TestApi): Promise<{
  squatter: Person;
  /** Id of a domain with notes, tags, a badge, an incident and alert settings. */
  domain: string;
  calendar: string;
  badge: string;
  statusPage: string;
  token: string;
}> {
  const squatter = await signUpWithTrial(api);
  const ask: Person['ask'] = async (call, input) => {
    const answer = await squatter.ask(call, input);
    expect([call.path, answer.status]).toEqual([call.path, call.status]);
    return answer;
  };
  await buy(squatter);
  await pretendProof(api, squatter.id, true);
  await addFailing(api, squatter);
  const domain = await addUnchecked(squatter, 'shop.example.com');
  const params = { id: domain };
  await ask(CALLS.describeDomain, { params, body: { notes: 'mine', tags: ['mine'] } });
  await ask(CALLS.updateUser, { body: { full_name: 'Not The Owner', company: 'Squatters Ltd' } });
  await ask(CALLS.setTimeZone, { body: { time_zone: 'Europe/Oslo' } });
  // Only an identity provider can set a photo, so write it directly.
  await api.store.db.updateTable('accounts').set({ photo_url: 'https://squatter.example/me.png' }).execute();

  const webhook = { kind: 'webhook', url: 'https://hooks.squatter.example/' };
  const hook = (await ask(CALLS.addChannel, { body: { config: webhook } })).ok.data.channel.key;
  await ask(CALLS.addChannel, { body: { config: { kind: 'email', address: 'me@squatter.example' } } });
  await recordCheck(api, domain, { days: 5 });
  await ask(CALLS.testChannel, { params: { key: hook } });
  await ask(CALLS.checkDomain, { params });
  await tryToDeliver(api);
  const [incident] = (await ask(CALLS.domainAlerts, { params })).ok.data.incidents;
  const ofIncident = { id: incident?.id ?? '' };
  await ask(CALLS.acknowledgeIncident, { params: ofIncident, body: { acknowledged: true } });
  const until = new Date(api.clock.now() + 20 * HOUR_MS).toISOString();
  await ask(CALLS.snoozeIncident, { params: ofIncident, body: { until } });

  const quiet = { from_minute: 0, to_minute: 1439, critical_always: false };
  const settings = { muted: ['uptime' as const], quiet_hours: quiet, channels: [hook] };
  await ask(CALLS.changeAccountAlerts, { body: { settings, digest: true } });
  await ask(CALLS.changeDomainAlerts, { params, body: { muted: ['changed'], steps: ['1d'] } });
  await ask(CALLS.addMaintenance, {
    body: {
      domain_id: null,
      repeats: 'weekly',
      note: 'silence',
      starts_at: new Date(api.clock.now()).toISOString(),
      ends_at: until,
    },
  });
  await setUnsubscribed(
    api.store,
    { accountId: squatter.id, channelKey: OWN_MAIL, monitorId: domain },
    { choice: 'domain', now: api.clock.now() },
  );

  const calendar = new URL((await ask(CALLS.makeCalendar)).ok.data.url).pathname;
  const badge = new URL((await ask(CALLS.makeBadge, { params })).ok.data?.url ?? '').pathname;
  const page = { title: 'Shop', slug: 'shop', enabled: true, shows: 'chosen' as const };
  await ask(CALLS.saveStatusPage, { body: { ...page, domains: [{ id: domain, label: 'Shop' }] } });
  await ask(CALLS.addAuthorities, { body: { pem: authority.certificatePem } });
  const made = await ask(CALLS.makeToken, {
    body: { name: 'way in', scopes: ['read', 'write'], expires_in_days: null },
  });
  await ask(CALLS.sendFeedback, {
    body: { title: 'feedback', message: 'hello' },
    headers: { 'idempotency-key': 'squatted' },
  });
  // Checks write such a row only at the end of an hour, so write it directly.
  await api.store.db
    .insertInto('monitor_days')
    .values({
      account_id: squatter.id,
      monitor_id: domain,
      day_at: 0,
      hours: '[]',
      checks: 1,
      up: 1,
      down: 0,
      unknown: 0,
      answered: 0,
      response_sum: 0,
      response_max: 0,
    })
    .execute();
  // Rows of `other_leaves` exist only for an endpoint whose addresses serve several certificates.
  await api.store.db
    .insertInto('other_leaves')
    .values({
      account_id: squatter.id,
      monitor_id: domain,
      fingerprint: 'f'.repeat(64),
      not_after: 1,
      host: 'one.example',
      port: 443,
    })
    .execute();
  // Rows of `deadlines` exist only for a certificate that a dated rule concerns.
  await api.store.db
    .insertInto('deadlines')
    .values({
      account_id: squatter.id,
      monitor_id: domain,
      fingerprint: 'f'.repeat(64),
      rule: 'server_auth_only',
      from_at: 1,
      not_after: 1,
      first_seen_at: 1,
      renewed_at: null,
    })
    .execute();
  // Rows of `forecasts` and `renewals` exist only for certificates with a public root.
  await api.store.db
    .insertInto('forecasts')
    .values({ account_id: squatter.id, fingerprint: 'f'.repeat(64), next_at: 1 })
    .execute();
  await api.store.db.insertInto('renewals').values(renewalRow(squatter.id)).execute();
  await pretendProof(api, squatter.id, false);
  return {
    squatter,
    domain,
    calendar,
    badge,
    statusPage: '/api/status/shop',
    token: made.ok.data.secret,
  };
}

async function signUpWithTrial(api: TestApi): Promise<Person> {
  const client = createClient(api.send);
  const who = {
    name: 'Squatter',
    email: `${crypto.randomUUID().slice(0, 8)}@example.test`,
    password: 'correct horse',
  };
  expect((await client.ask(CALLS.signUp, { body: { ...who, trial: true } })).status).toBe(200);
  const body = { token: await identityToken(client), company: 'Squatters Ltd' };
  const opened = await client.ask(CALLS.openSession, { body });
  return { ...client, ...who, id: opened.ok.data.id };
}

/** Adds a domain that is down and one that failed once. */
async function addFailing(api: TestApi, squatter: Person): Promise<void> {
  const down = await addUnchecked(squatter, 'down.example.com');
  await recordCheck(api, down, { status: 503 });
  api.clock.advance(60_000);
  await recordCheck(api, down, { status: 503 });
  await recordCheck(api, await addUnchecked(squatter, 'suspected.example.com'), { status: 503 });
}

async function buy(person: Person): Promise<void> {
  const [product] = (await person.ask(CALLS.listProducts)).ok.data;
  const body = { price_id: product?.price_id ?? '' };
  const { reference } = (await person.ask(CALLS.openCheckout, { body })).ok.data;
  expect((await person.ask(CALLS.testPay, { body: { ...body, reference } })).status).toBe(200);
}

/** Tries once to send everything that is due. Each attempt fails temporarily, so that all messages are queued again. */
async function tryToDeliver({ store, clock }: TestApi): Promise<void> {
  const now = clock.now();
  const claimed = await claimDueDeliveries(store, { now, limit: 10, leaseMs: 60_000, claimedBy: 'test' });
  expect(claimed).not.toEqual([]);
  for (const { leaseToken } of claimed)
    await retryDelivery(store, { leaseToken, nextAttemptAt: now + 1, detail: 'busy', now });
}

/**
 * Marks the address as verified or unverified. Channels and status pages require a verified address today, but older accounts may
 * have them without one.
 */
export async function pretendProof({ store }: TestApi, id: string, isProven: boolean): Promise<void> {
  await store.db
    .updateTable('accounts')
    .set({ email_verified: Number(isProven) })
    .where('id', '=', id)
    .execute();
}
