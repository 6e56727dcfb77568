import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { createCalendarFeed } from '../../server/store/publishing/calendar-feeds.ts';
import type { StoredChannelConfig } from '../../server/channels/kinds/index.ts';
import { claimDueDeliveries, settleDelivery } from '../../server/store/alerts/deliveries.ts';
import { addMaintenance } from '../../server/store/alerts/maintenance.ts';
import { enqueueMail } from '../../server/store/mail/mails.ts';
import { setUnsubscribed } from '../../server/store/mail/unsubscriptions.ts';
import { insertIncidents } from '../kit/databases/incidents.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi, type TestApi } from './test-api.ts';

const authority = mintAuthority();

/** The parts of the answer of `GET /user/export` that these tests read. */
interface Export {
  about: { exported_at: string; limits: Record<string, number> };
  profile: Record<string, unknown>;
  sign_in: Record<string, unknown>[];
  sessions: Record<string, unknown>[];
  domains: { host: string; certificates: unknown[]; checks: unknown[]; verdicts: unknown[] }[];
  authorities: unknown[];
  channels: { kind: string; leads_to: string }[];
  unsubscriptions: unknown[];
  maintenance: unknown[];
  calendars: unknown[];
  status_pages: unknown[];
  badges: unknown[];
  alerts: { host: string; deliveries: { state: string; attempts: unknown[] }[] }[];
  mails: { id: string; kind: string }[];
  feedback: Record<string, unknown>[];
  subscriptions: Record<string, unknown>[];
  payment_events: Record<string, unknown>[];
}

const exportOf = async (person: Person) => (await person.ask(CALLS.exportData)).ok as unknown as Export;

/** Stores something of every kind for an account. Each thing has the person's name in it. */
async function live(api: TestApi, person: Person): Promise<void> {
  const { store, clock } = api;
  const now = clock.now();
  const mark = person.name.toLowerCase();
  const host = `shop.${mark}.example.com`;
  const { id } = (await person.ask(CALLS.addDomain, { body: { host } })).ok.data;
  const body = { notes: `Renewed by ${mark}.`, tags: [mark] };
  await person.ask(CALLS.describeDomain, { params: { id }, body });
  const leaf = authority.issue({ dnsNames: [host] });
  await finishChecks(api, authority, answeredWith(leaf));
  await person.ask(CALLS.makeBadge, { params: { id } });
  const domains = [{ id, label: `Shop of ${mark}` }];
  await person.ask(CALLS.saveStatusPage, { body: { title: mark, slug: `page-of-${mark}`, domains } });
  await person.ask(CALLS.sendFeedback, { body: { title: 'feedback', message: `From ${mark}` } });

  const monitor = await store.db
    .selectFrom('monitors')
    .select('id')
    .where('host', '=', host)
    .executeTakeFirst();
  await insertIncidents(store.db, [
    {
      account_id: person.id,
      id: `incident of ${mark}`,
      monitor_id: monitor?.id ?? '',
      started_at: now,
      confirmed_at: now,
      problem: 'down',
      fingerprint: '',
      recovered: 1,
      facts: '{}',
      ended_at: now,
      cause: 'timeout',
      message: `${mark} was down.`,
    },
  ]);
  const facts = JSON.stringify({ subject: `Root of ${mark}` });
  await store.db
    .insertInto('authorities')
    .values({
      id: `authority of ${mark}`,
      account_id: person.id,
      fingerprint: mark,
      created_at: now,
      der: new Uint8Array(8),
      facts,
    })
    .execute();
  const alert = {
    id: `alert of ${mark}`,
    account_id: person.id,
    monitor_id: monitor?.id ?? '',
    created_at: now,
    kind: 'expiry' as const,
    step: 'critical' as const,
    severity: 'critical' as const,
    fingerprint: leaf.fingerprint,
    incident_id: null,
    facts: JSON.stringify({
      certificate: { fingerprint: leaf.fingerprint, notBefore: now, notAfter: now, role: 'leaf', name: host },
      asOf: now,
      message: null,
      fix: null,
      successor: null,
      startedAt: now,
      endedAt: null,
    }),
  };
  await store.db.insertInto('alerts').values(alert).execute();
  const outbox = {
    attempts: 0,
    unanswered: 0,
    next_attempt_at: now,
    created_at: now,
    state: 'waiting' as const,
  };
  await store.db
    .insertInto('deliveries')
    .values({
      ...outbox,
      id: `delivery of ${mark}`,
      account_id: person.id,
      alert_id: alert.id,
      channel: 'email',
      channel_key: 'email',
      dedupe_key: mark,
      message_id: `<${mark}@certlantern>`,
    })
    .execute();
  const [claimed] = await claimDueDeliveries(store, { now, limit: 9, leaseMs: 1, claimedBy: 'test' });
  if (claimed) await settleDelivery(store, { ...claimed, outcome: 'delivered', detail: `250 ${mark}`, now });
  await liveAlerting(api, person);
  const mail = { recipient: person.email, now };
  await store.db.transaction().execute(async (trx) => {
    const content = { kind: 'reset_password' as const, url: `https://x/#secret-of-${mark}`, expiresAt: now };
    await enqueueMail(trx, { accountId: person.id, ...mail, content });
    await enqueueMail(trx, { accountId: null, ...mail, content: { kind: 'password_changed' } });
  });
  await store.db
    .insertInto('subscriptions')
    .values({
      id: `sub_${mark}`,
      account_id: person.id,
      customer_id: `ctm_${mark}`,
      price_id: 'pri_1',
      status: 'active',
      told_at: now,
      created_at: now,
    })
    .execute();
  await store.db
    .insertInto('payment_events')
    .values({
      id: `evt_${mark}`,
      account_id: person.id,
      type: 'subscription.created',
      occurred_at: now,
      received_at: now,
      outcome: 'applied',
    })
    .execute();
  await store.db
    .insertInto('trials')
    .values({ address_hash: `hash of ${mark}`, account_id: person.id, started_at: now })
    .execute();
}

/** Stores channels of several kinds, each with a secret, and alert settings. */
async function liveAlerting({ store, clock }: TestApi, person: Person): Promise<void> {
  const now = clock.now();
  const mark = person.name.toLowerCase();
  const secret = `secret-of-${mark}`;
  const configs: StoredChannelConfig[] = [
    { kind: 'email', address: `ops@${mark}.example` },
    {
      kind: 'webhook',
      url: `https://hooks.example.com/a/long/path/${secret}`,
      secrets: [{ secret, until: null }],
    },
    { kind: 'slack', url: `https://hooks.slack.com/services/${secret}` },
    { kind: 'telegram', bot_token: secret, chat_id: `@${mark}` },
    { kind: 'pagerduty', routing_key: secret, region: 'us' },
    { kind: 'ntfy', server: 'https://ntfy.sh', topic: mark, access_token: secret },
  ];
  for (const config of configs)
    await store.db
      .insertInto('channels')
      .values({
        id: `${config.kind} of ${mark}`,
        account_id: person.id,
        kind: config.kind,
        name: mark,
        config: JSON.stringify(config),
        confirm_hash: `${config.kind} secret-of-${mark}`,
        created_at: now,
      })
      .execute();
  await createCalendarFeed(store, { accountId: person.id, token: secret, now });
  const mine = { accountId: person.id, monitorId: null };
  await addMaintenance(store, {
    ...mine,
    note: `Switch of ${mark}`,
    max: 50,
    now,
    window: { startsAt: now, endsAt: now + 1_000, repeats: 'never' },
  });
  await setUnsubscribed(store, { ...mine, channelKey: 'email' }, { choice: 'all', now });
}

describeEachDatabase('The data export', (open) => {
  it('is a JSON file with all data of the account', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await live(api, alice);
    const name = () =>
      `attachment; filename="certlantern-export-${new Date(api.clock.now()).toISOString().slice(0, 10)}.json"`;
    const before = name();
    const { headers, ok } = await alice.ask(CALLS.exportData);
    const data = ok as unknown as Export;
    expect(headers.get('content-disposition')).toBeOneOf([before, name()]);
    expect(headers.get('content-type')).toContain('application/json');
    expect(headers.get('cache-control')).toBe('no-store');

    expect(data.about.exported_at).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(data.profile).toMatchObject({
      email: alice.email,
      full_name: 'Alice',
      email_verified: true,
      had_trial: true,
      plan: 'free',
      time_zone: null,
    });
    expect(data.sign_in).toEqual([
      expect.objectContaining({ provider: 'built-in', password: true, totp: false, passkeys: [], oidc: [] }),
    ]);
    expect(data.sessions).toMatchObject([{ address: '198.51.100.7', browser: 'Unknown browser' }]);
    const [domain] = data.domains;
    expect(domain).toMatchObject({
      host: 'shop.alice.example.com',
      notes: 'Renewed by alice.',
      tags: ['alice'],
      check_every_minutes: 1440,
      active: true,
      certificates: [{ role: 'leaf', facts: { subject: expect.any(String) as string } }],
      checks: [{ reached: true, uptime: 'up', checks: 1 }],
      evidence: [{ observation: expect.anything() as unknown }],
      last_checks: [{ state: 'up' }],
      verdicts: [{ verdict: { trusted: true } }],
      protocol: 'https',
      uptime: 'up',
      incidents: [{ cause: 'timeout', message: 'alice was down.' }],
    });
    expect(data.authorities).toMatchObject([{ facts: { subject: 'Root of alice' } }]);
    expect(data.alerts).toMatchObject([
      {
        host: 'shop.alice.example.com',
        step: 'critical',
        deliveries: [{ state: 'delivered', attempts: [{ attempt: 1, outcome: 'delivered' }] }],
      },
    ]);
    const kinds = data.mails.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'verify_email').toSorted()).toEqual([
      'feedback',
      'password_changed',
      'reached_you',
      'reset_password',
    ]);
    const places = data.channels.map(({ kind, leads_to: place }) => `${kind} ${place}`);
    expect(places.toSorted()).toEqual([
      'email ops@alice.example',
      'ntfy ntfy.sh/alice',
      'pagerduty …lice',
      'slack hooks.slack.com …lice',
      'telegram chat @alice',
      'webhook https://hooks.example.com/a/long/path…',
    ]);
    expect(data.unsubscriptions).toMatchObject([{ channel_key: 'email', monitor_id: null }]);
    expect(data.maintenance).toMatchObject([{ note: 'Switch of alice', repeats: 'never' }]);
    expect(data.calendars).toMatchObject([{ read_at: null }]);
    expect(data.status_pages).toMatchObject([
      { slug: 'page-of-alice', enabled: 0, domains: [{ label: 'Shop of alice' }] },
    ]);
    expect(data.badges).toHaveLength(1);
    expect(data.feedback).toMatchObject([{ message: 'From alice', premium: false }]);
    expect(data.subscriptions).toMatchObject([{ id: 'sub_alice', status: 'active' }]);
    expect(data.payment_events).toMatchObject([{ id: 'evt_alice', outcome: 'applied' }]);
  });

  it('has no data of other accounts and no secrets', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    await live(api, alice);
    await live(api, charlie);
    const text = JSON.stringify(await exportOf(alice));
    for (const stranger of ['charlie', charlie.id]) expect(text.toLowerCase()).not.toContain(stranger);
    const secrets = await Promise.all([
      api.store.db.selectFrom('sessions').select(['access_hash', 'refresh_hash']).execute(),
      api.store.db.selectFrom('account').select('password').execute(),
      api.store.db.selectFrom('trials').select('address_hash').execute(),
    ]);
    const hashes = secrets.flat().flatMap((row) => Object.values(row));
    expect(hashes.length).toBeGreaterThan(6);
    for (const secret of hashes) expect(text).not.toContain(secret);
    expect(text).not.toContain('secret-of');
    expect(text).not.toMatch(/lease_|(?:access|refresh|address)_hash/);
    expect((await exportOf(charlie)).domains.map(({ host }) => host)).toEqual(['shop.charlie.example.com']);
  });

  it('contains each row of a long list once', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const now = api.clock.now();
    await api.store.db.transaction().execute(async (trx) => {
      for (let mail = 0; mail < 450; mail++)
        await enqueueMail(trx, {
          accountId: alice.id,
          recipient: alice.email,
          content: { kind: 'password_changed' },
          // Rows with the same time lie on both sides of a page's end.
          now: now + Math.floor(mail / 150),
        });
    });
    const { mails } = await exportOf(alice);
    expect(new Set(mails.map(({ id }) => id)).size).toBe(mails.length);
    expect(mails.filter(({ kind }) => kind === 'password_changed')).toHaveLength(450);
  });

  it('has at most the newest 1,000 check runs of a domain, and no run older than 90 days', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await live(api, alice);
    const { first_at: _, ...run } = await api.store.db
      .selectFrom('check_runs')
      .selectAll()
      .executeTakeFirstOrThrow();
    const now = api.clock.now();
    const runs = Array.from({ length: 1_100 }, (__, index) => {
      const at = now + index;
      return { ...run, number: index + 2, first_at: at, last_at: at };
    });
    for (let start = 0; start < 1_100; start += 50)
      await api.store.db
        .insertInto('check_runs')
        .values(runs.slice(start, start + 50))
        .execute();
    const [domain] = (await exportOf(alice)).domains;
    expect(domain?.checks).toHaveLength(1_000);
    expect(domain?.checks[0]).toMatchObject({ last_at: new Date(now + 1_099).toISOString() });

    await api.store.db
      .updateTable('check_runs')
      .set({ last_at: now - 91 * 86_400_000 })
      .execute();
    expect((await exportOf(alice)).domains[0]?.checks).toEqual([]);
  });

  it('is limited to ten downloads an hour', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    for (let time = 0; time < 10; time++) expect((await alice.ask(CALLS.exportData)).status).toBe(200);
    expect((await alice.ask(CALLS.exportData)).problem.code).toBe('too_many_requests');
    expect((await charlie.ask(CALLS.exportData)).status).toBe(200);
  });
});
