import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { OWN_MAIL } from '../../contract/channel.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { setUnsubscribed } from '../../server/store/mail/unsubscriptions.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi, type TestApi } from './test-api.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';

const authority = mintAuthority();
const DEFAULTS = { channels: null, steps: null, quiet_hours: null, muted: [] };
const NIGHT = { from_minute: 22 * 60, to_minute: 7 * 60, critical_always: true };

const account = async (person: Person) => (await person.ask(CALLS.accountAlerts)).ok.data;
const changeAccount = (person: Person, body: object) => person.ask(CALLS.changeAccountAlerts, { body });
const domain = async (person: Person, id: string) =>
  (await person.ask(CALLS.domainAlerts, { params: { id } })).ok.data;
const changeDomain = (person: Person, id: string, body: object) =>
  person.ask(CALLS.changeDomainAlerts, { params: { id }, body });
const preview = (person: Person, body: object) => person.ask(CALLS.previewAlerts, { body });

/** Adds a domain. Its certificate is valid for 90 days in all and expires in `days`. */
async function watch(
  api: TestApi,
  person: Person,
  daysLeft = 60,
  host = 'shop.example.com',
): Promise<string> {
  const { id } = (await person.ask(CALLS.addDomain, { body: { host } })).ok.data;
  const now = api.clock.now();
  const leaf = authority.issue({
    dnsNames: [host],
    notBefore: new Date(now - (90 - daysLeft) * DAY_MS),
    notAfter: new Date(now + daysLeft * DAY_MS),
  });
  await finishChecks(api, authority, answeredWith(leaf));
  return id;
}

const nextChecks = async ({ store }: TestApi) =>
  store.db.selectFrom('monitors').select(['id', 'next_check_at']).orderBy('id').execute();

describeAnyDatabase('The alert settings of an account', (open) => {
  it('are the defaults until the account changes them, and are then stored', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    expect(await account(alice)).toEqual({
      settings: DEFAULTS,
      time_zone: null,
      calendar: null,
      digest: { enabled: false, next_at: null },
    });
    const settings = { channels: null, steps: ['30d', '10%'], quiet_hours: NIGHT, muted: ['uptime'] };
    expect((await changeAccount(alice, { settings })).ok.data.settings).toEqual(settings);
    expect((await account(alice)).settings).toEqual(settings);
    expect((await account(bob)).settings).toEqual(DEFAULTS);
    expect((await changeAccount(alice, {})).ok.data.settings).toEqual(settings);
  });

  it('keep fields that a change omits, even with concurrent changes', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const change = async (settings: object) => (await changeAccount(bob, { settings })).ok.data.settings;
    await change({ channels: [OWN_MAIL] });
    await change({ steps: ['30d'] });
    const kept = { ...DEFAULTS, channels: [OWN_MAIL], steps: ['30d'] };
    expect(await change({ muted: ['uptime'] })).toEqual({ ...kept, muted: ['uptime'] });
    expect(await change({ steps: null })).toEqual({ ...kept, steps: null, muted: ['uptime'] });
    await Promise.all([
      changeAccount(bob, { digest: true }),
      ...[{ channels: null }, { steps: ['7d'] }, { quiet_hours: NIGHT }, { muted: [] }].map(change),
    ]);
    expect(await account(bob)).toMatchObject({
      settings: { channels: null, steps: ['7d'], quiet_hours: NIGHT, muted: [] },
      digest: { enabled: true },
    });
  });

  it('reject invalid steps, hours and events, and drop channels of other accounts', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const config = { kind: 'webhook', url: 'https://hooks.example.com/' };
    const { key } = (await bob.ask(CALLS.addChannel, { body: { config } })).ok.data.channel;
    for (const wrong of [
      ['0d'],
      ['400d'],
      ['51%'],
      ['1h'],
      [],
      ['7d', '7d'],
      Array.from({ length: 9 }, (_, i) => `${i + 1}d`),
    ])
      expect((await changeAccount(alice, { settings: { ...DEFAULTS, steps: wrong } })).status).toBe(400);
    const quiet = { ...NIGHT, to_minute: NIGHT.from_minute };
    for (const wrong of [{ quiet_hours: quiet }, { muted: ['expiry'] }, { muted: ['revoked'] }])
      expect((await changeAccount(alice, { settings: { ...DEFAULTS, ...wrong } })).status).toBe(400);
    const settings = { ...DEFAULTS, channels: ['email', key] };
    expect((await changeAccount(alice, { settings })).ok.data.settings.channels).toEqual(['email']);
    expect((await changeAccount(bob, { settings })).ok.data.settings.channels).toEqual(['email', key]);
  });

  it('allow a weekly digest on Premium only, sent on Monday in the account’s time zone', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    expect((await changeAccount(alice, { digest: true })).problem.code).toBe('premium_required');
    expect((await changeAccount(alice, { digest: false })).status).toBe(200);
    await bob.ask(CALLS.setTimeZone, { body: { time_zone: 'Asia/Tokyo' } });
    const { digest } = (await changeAccount(bob, { digest: true })).ok.data;
    expect(digest.enabled).toBe(true);
    const local = new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo', weekday: 'long' });
    expect(local.format(new Date(digest.next_at ?? 0))).toBe('Monday');
    expect((await changeAccount(bob, { digest: false })).ok.data.digest.enabled).toBe(false);
  });
});

describeAnyDatabase('The alert settings of an account with 5,000 domains', (open) => {
  it('allow twenty changes of steps an hour, because each change triggers checks', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const monitor = (index: number) => ({
      id: `${index}`,
      account_id: alice.id,
      host: `host${index}.example`,
      port: 443,
      check_every_minutes: 1440,
      created_at: 1,
      next_check_at: 1,
      revoked: 0,
      active: 1,
    });
    for (let from = 0; from < 5_000; from += 1_000)
      await api.store.db
        .insertInto('monitors')
        .values(Array.from({ length: 1_000 }, (_, index) => monitor(from + index)))
        .execute();
    const set = async (changes: object) =>
      (await changeAccount(alice, { settings: { ...DEFAULTS, ...changes } })).status;
    for (let time = 1; time <= 20; time++) expect(await set({ steps: [`${time}d`] })).toBe(200);
    expect(await set({ steps: ['21d'] })).toBe(429);
    expect(await set({ steps: ['20d'], quiet_hours: NIGHT })).toBe(200);
    expect((await changeAccount(alice, { settings: { quiet_hours: null } })).status).toBe(200);
  });
});

describeAnyDatabase('The alerts of a domain', (open) => {
  it('are planned from its certificate, with step, date and severity', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const alerts = await domain(alice, await watch(api, alice, 60));
    expect(alerts).toMatchObject({
      incidents: [],
      sent: [],
      own: {},
      effective: DEFAULTS,
      unsubscribed: [],
      quiet_until: null,
    });
    expect(alerts.planned.map(({ step, label, severity }) => [step, label, severity])).toEqual([
      ['renewal_overdue', 'renewal overdue', 'warning'],
      ['warning', '14 days before', 'warning'],
      ['critical', '7 days before', 'critical'],
      ['three_days', '3 days before', 'critical'],
      ['one_day', '1 day before', 'critical'],
      ['expired', 'when it expires', 'critical'],
    ]);
    const [, warning] = alerts.planned;
    const left = Date.parse(warning?.expiry_date ?? '') - Date.parse(warning?.at ?? '');
    expect(left).toBe(14 * DAY_MS);
    expect(warning).toMatchObject({ display_name: 'shop.example.com', certificate_name: null });
  });

  it('are listed after being queued, with their incident and delivery state', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const id = await watch(api, alice, 5);
    const { incidents, sent, planned } = await domain(alice, id);
    expect(incidents).toMatchObject([
      {
        problem: 'expiry',
        title: 'shop.example.com expires in 5 days',
        ended_at: null,
        acknowledged_at: null,
        snoozed_until: null,
      },
    ]);
    expect(sent).toMatchObject([
      {
        event: 'certificate.expiring',
        severity: 'critical',
        title: 'shop.example.com expires in 5 days',
        deliveries: [{ channel_key: 'email', state: 'waiting', domain: { id } }],
      },
    ]);
    expect(planned.map(({ step }) => step)).toEqual(['three_days', 'one_day', 'expired']);
    expect((await charlie.ask(CALLS.domainAlerts, { params: { id } })).problem.code).toBe('not_found');
  });

  it('are held during quiet hours and show when they will be sent', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const minute = Math.floor((api.clock.now() % DAY_MS) / 60_000);
    const quiet_hours = {
      from_minute: (minute + 1_440 - 60) % 1_440,
      to_minute: (minute + 120) % 1_440,
      critical_always: false,
    };
    await changeAccount(alice, { settings: { ...DEFAULTS, quiet_hours } });
    const { sent, quiet_until } = await domain(alice, await watch(api, alice, 5));
    const [delivery] = sent[0]?.deliveries ?? [];
    expect(delivery?.state).toBe('held');
    expect(delivery?.next_attempt_at).toBe(quiet_until);
    const waits = Date.parse(delivery?.next_attempt_at ?? '') - api.clock.now();
    expect(waits).toBeGreaterThan(HOUR_MS);
    expect(waits).toBeLessThanOrEqual(120 * 60_000);
  });

  it('are sent earlier if quiet hours are shortened or removed', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const minute = Math.floor((api.clock.now() % DAY_MS) / 60_000);
    const quiet = (minutes: number, critical_always = false) => ({
      from_minute: (minute + 1_440 - 60) % 1_440,
      to_minute: (minute + minutes) % 1_440,
      critical_always,
    });
    const set = (quiet_hours: object | null) =>
      changeAccount(alice, { settings: { ...DEFAULTS, quiet_hours } });
    await set(quiet(600));
    const id = await watch(api, alice, 5);
    const checkedNext = await nextChecks(api);
    const waits = async () => {
      const [delivery] = (await domain(alice, id)).sent[0]?.deliveries ?? [];
      return Math.ceil((Date.parse(delivery?.next_attempt_at ?? '') - api.clock.now()) / 60_000);
    };
    expect(await waits()).toBeGreaterThan(590);
    await set(quiet(60));
    expect([await waits()]).toEqual([expect.toSatisfy((left: number) => left > 50 && left <= 60)]);
    // The domain has quiet hours of its own, so the account's quiet hours do not matter for its alerts.
    await changeDomain(alice, id, { quiet_hours: quiet(120) });
    await set(null);
    expect(await waits()).toBeGreaterThan(110);
    await changeDomain(alice, id, {});
    expect(await waits()).toBeLessThanOrEqual(0);
    // The settings still allow alerts about the same events, so no check is needed.
    expect(await nextChecks(api)).toEqual(checkedNext);
  });

  it('are released if they are critical and the quiet hours are changed to let critical alerts through', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const minute = Math.floor((api.clock.now() % DAY_MS) / 60_000);
    const quiet_hours = {
      from_minute: (minute + 1_440 - 60) % 1_440,
      to_minute: (minute + 600) % 1_440,
      critical_always: false,
    };
    await changeAccount(alice, { settings: { ...DEFAULTS, quiet_hours } });
    const [critical, warning] = [await watch(api, alice, 5), await watch(api, alice, 12, 'www.example.com')];
    await changeAccount(alice, {
      settings: { ...DEFAULTS, quiet_hours: { ...quiet_hours, critical_always: true } },
    });
    const state = async (id: string) => (await domain(alice, id)).sent[0]?.deliveries[0]?.state;
    expect([await state(critical), await state(warning)]).toEqual(['waiting', 'held']);
  });

  it('can have settings of their own: alert steps on Premium only, the rest on every plan', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const [ofAlice, ofBob] = [await watch(api, alice), await watch(api, bob)];
    expect((await changeDomain(alice, ofAlice, { steps: ['30d'] })).problem.code).toBe('premium_required');
    const quiet = (await changeDomain(alice, ofAlice, { quiet_hours: NIGHT, muted: ['uptime'] })).ok.data;
    expect(quiet.own).toEqual({ quiet_hours: NIGHT, muted: ['uptime'] });
    expect(quiet.effective).toEqual({ ...DEFAULTS, quiet_hours: NIGHT, muted: ['uptime'] });
    const own = (await changeDomain(bob, ofBob, { steps: ['45d', '10%'] })).ok.data;
    expect(own.planned.map(({ step, label }) => [step, label])).toEqual([
      ['45d', '45 days before'],
      ['10%', '10% of its lifetime left'],
      ['expired', 'when it expires'],
    ]);
    expect((await changeDomain(bob, ofBob, {})).ok.data.own).toEqual({});
    expect((await changeDomain(bob, ofAlice, { muted: ['uptime'] })).problem.code).toBe('not_found');
    expect((await domain(alice, ofAlice)).own).toEqual({ quiet_hours: NIGHT, muted: ['uptime'] });
  });

  it('keep the domain’s own steps stored but unused after Premium ends, and use them again when Premium returns', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const id = await watch(api, bob);
    await changeDomain(bob, id, { steps: ['45d'] });
    await grantPremium(api.store, bob.id, { grant: null, now: api.clock.now() });
    expect(await domain(bob, id)).toMatchObject({ own: { steps: ['45d'] }, effective: { steps: null } });
    // Other settings can be changed beside the stored steps, and the steps removed; new steps are refused.
    expect((await changeDomain(bob, id, { steps: ['45d'], muted: ['uptime'] })).status).toBe(200);
    expect((await changeDomain(bob, id, { steps: ['44d'] })).problem.code).toBe('premium_required');
    await grantPremium(api.store, bob.id, { grant: { endsAt: null }, now: api.clock.now() });
    expect((await domain(bob, id)).effective.steps).toEqual(['45d']);
  });

  it('cannot have an empty channel list, and go to all channels if the chosen ones belong to another account', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const id = await watch(api, bob);
    const settings = { ...DEFAULTS, channels: [] };
    for (const refused of [
      await bob.ask(CALLS.changeAccountAlerts, { body: { settings } }),
      await changeDomain(bob, id, { channels: [] }),
    ])
      expect([refused.status, refused.problem.code]).toEqual([400, 'invalid_request']);
    // A channel of another account, or a removed one, is ignored. If no other is left, all channels get alerts.
    const foreign = { ...DEFAULTS, channels: ['nobodys'] };
    await bob.ask(CALLS.changeAccountAlerts, { body: { settings: foreign } });
    expect((await bob.ask(CALLS.accountAlerts)).ok.data.settings.channels).toBeNull();
    expect((await changeDomain(bob, id, { channels: ['nobodys'] })).ok.data.own).toEqual({});
    expect((await changeDomain(bob, id, { channels: null })).ok.data.own).toEqual({ channels: null });
  });

  it('are not planned while the domain is paused or every recipient has unsubscribed', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await watch(api, alice);
    const subject = { accountId: alice.id, channelKey: OWN_MAIL, monitorId: id };
    await setUnsubscribed(api.store, subject, { choice: 'all', now: api.clock.now() });
    expect(await domain(alice, id)).toMatchObject({ is_told: false, planned: [] });
    await setUnsubscribed(api.store, subject, { choice: 'none', now: api.clock.now() });
    const told = await domain(alice, id);
    expect([told.is_told, told.planned.length]).toEqual([true, 6]);
    await alice.ask(CALLS.pauseDomain, { params: { id } });
    expect((await domain(alice, id)).planned).toEqual([]);
  });
});

describeAnyDatabase('The preview of alert steps', (open) => {
  it('lists the alerts for a certificate that is not renewed, and changes no settings', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const id = await watch(api, alice, 60);
    const { alerts, more } = (await preview(alice, { domain_id: id, steps: ['30d', '2d'] })).ok.data;
    expect(alerts.map(({ step }) => step)).toEqual(['30d', '2d', 'expired']);
    expect(more).toBe(0);
    expect((await domain(alice, id)).planned).toHaveLength(6);
    const foreign = await preview(charlie, { domain_id: id, steps: ['30d'] });
    expect(foreign.problem.code).toBe('not_found');
  });

  it('the preview of an account lists the first 20 alerts of all domains and counts the rest within 90 days', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const ids = [];
    for (let count = 0; count < 9; count++)
      ids.push(await watch(api, bob, 60 + count, `shop-${count}.example.com`));
    await watch(api, bob, 200, 'later.example.com');
    // The domain keeps its own steps. Alerts after 90 days are not counted.
    await changeDomain(bob, ids[8] ?? '', { steps: ['1d'] });
    const { alerts, more } = (await preview(bob, { steps: ['14d', '7d'] })).ok.data;
    expect([alerts.length, more]).toEqual([20, 8 * 3 + 2 - 20]);
    expect(alerts.map(({ at }) => at)).toEqual(alerts.map(({ at }) => at).toSorted());
    expect(alerts[0]).toMatchObject({ domain_id: ids[0], step: '14d' });
  });

  it('delays alerts by quiet hours, except critical ones', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await watch(api, alice, 60);
    const { alerts: loud } = (await preview(alice, { domain_id: id, steps: ['20d'] })).ok.data;
    const minute = Math.floor((Date.parse(loud[0]?.at ?? '') % DAY_MS) / 60_000);
    const quiet_hours = {
      from_minute: minute,
      to_minute: (minute + 60) % 1_440,
      critical_always: true,
    };
    const { alerts } = (await preview(alice, { domain_id: id, steps: ['20d'], quiet_hours })).ok.data;
    expect(Date.parse(alerts[0]?.at ?? '')).toBeGreaterThan(Date.parse(loud[0]?.at ?? ''));
    // Critical alerts ignore these quiet hours.
    expect(alerts.at(-1)?.at).toBe(loud.at(-1)?.at);
  });
});
