import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import { createMetrics } from '../../server/telemetry/metrics.ts';
import { mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi, type TestApi } from './test-api.ts';

const authority = mintAuthority({ commonName: 'Orchard Root' });
const HOSTS = ['a.shop.example', 'b.shop.example', 'c.shop.example'];

const wildcard = (from: number, until: number) =>
  authority.issue({
    commonName: '*.shop.example',
    dnsNames: ['*.shop.example', 'shop.example'],
    notBefore: new Date(from),
    notAfter: new Date(until),
  });

async function addHosts(api: TestApi, person: Person, served: MintedCertificate): Promise<string[]> {
  const ids: string[] = [];
  for (const host of HOSTS) ids.push((await person.ask(CALLS.addDomain, { body: { host } })).ok.data.id);
  await finishChecks(api, authority, answeredWith(served));
  return ids;
}

describeAnyDatabase('The certificates of an account', (open) => {
  it('are each listed once with all their domains, as JSON and CSV, and only to their own account', async () => {
    const api = await startApi(open);
    const { bob, charlie } = await api.cast();
    const now = api.clock.now();
    const ids = await addHosts(api, bob, wildcard(now - 30 * DAY_MS, now + 60 * DAY_MS));
    const list = (await bob.ask(CALLS.listCertificates)).ok;
    expect(list).toMatchObject({
      total: 1,
      next_cursor: null,
      data: [
        {
          subject: '*.shop.example',
          display_name: '*.shop.example',
          names: ['*.shop.example', 'shop.example'],
          issuer: 'Orchard Root',
          state: 'ok',
          domain_count: 3,
          domains: HOSTS.map((host, index) => ({ id: ids[index], hostname: host, display_name: host })),
        },
      ],
    });
    const { expiries } = (await bob.ask(CALLS.domainSummary)).ok.data;
    expect(expiries).toMatchObject([
      { id: ids[0], count: 3, certificate_count: 1, fingerprint: list.data[0]?.fingerprint },
    ]);
    const planned = (await bob.ask(CALLS.previewAlerts, { body: { steps: ['14d'] } })).ok.data;
    expect(planned.alerts.map((alert) => [alert.step, alert.domain_count])).toEqual([
      ['14d', 3],
      ['expired', 3],
    ]);
    expect(planned.more).toBe(0);
    const text = await (await bob.send('/api/certificate/export')).text();
    const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
    expect(data).toMatchObject([
      { subject: '*.shop.example', state: 'ok', domains: HOSTS.join(' '), domain_count: '3' },
    ]);
    expect((await charlie.ask(CALLS.listCertificates)).ok).toMatchObject({
      data: [],
      total: 0,
      next_cursor: null,
    });
    const params = { fingerprint: list.data[0]?.fingerprint ?? '' };
    expect((await charlie.ask(CALLS.certificateStory, { params })).status).toBe(404);
  });

  it('are marked in the CSV file if all of their domains are paused, and then have no problem there, as on the page', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const now = api.clock.now();
    // Does not cover the name of any domain.
    const wrong = authority.issue({ dnsNames: ['other.example'], notAfter: new Date(now + 60 * DAY_MS) });
    const ids = await addHosts(api, bob, wrong);
    const marks = async () => {
      const text = await (await bob.send('/api/certificate/export')).text();
      const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
      return data.map(({ problem, paused }) => [problem, paused]);
    };
    expect(await marks()).toEqual([['wrong_name', 'false']]);
    for (const id of ids) await bob.ask(CALLS.pauseDomain, { params: { id } });
    expect(await marks()).toEqual([['', 'true']]);
  });

  it('show which domains already serve a renewed certificate and which do not', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const now = api.clock.now();
    const before = wildcard(now - 60 * DAY_MS, now + 5 * DAY_MS);
    const after = wildcard(now, now + 90 * DAY_MS);
    await addHosts(api, bob, before);
    const change = async (isRenewed: (host: string) => boolean) => {
      api.clock.advance(MINUTE_MS);
      await api.store.db.updateTable('monitors').set({ next_check_at: api.clock.now() }).execute();
      await finishChecks(api, authority, (monitor) =>
        answeredWith(isRenewed(monitor.host) ? after : before)(monitor),
      );
    };
    await change((host) => host !== 'b.shop.example');
    const [renewed] = (await bob.ask(CALLS.listCertificates, { query: { sort: 'domains' } })).ok.data;
    const params = { fingerprint: renewed?.fingerprint ?? '' };
    const partly = (await bob.ask(CALLS.certificateStory, { params })).ok.data;
    expect([partly.done, partly.total]).toEqual([2, 3]);
    expect(partly.domains.map(({ hostname, is_done }) => [hostname, is_done])).toEqual([
      ['b.shop.example', false],
      ['a.shop.example', true],
      ['c.shop.example', true],
    ]);
    // The tests' network has one address for each host.
    expect(partly.domains.map(({ addresses }) => addresses.map(({ serves }) => serves))).toEqual(
      partly.domains.map(({ serves }) => [serves]),
    );
    expect(partly.versions.map(({ domain_count: count }) => count)).toEqual([2, 1]);

    await change(() => true);
    const wholly = (await bob.ask(CALLS.certificateStory, { params })).ok.data;
    expect([wholly.done, wholly.total]).toEqual([3, 3]);
    // The domain that changed last comes first.
    expect(wholly.domains[0]?.hostname).toBe('b.shop.example');
    expect((await bob.ask(CALLS.listCertificates)).ok.total).toBe(1);
    const former = wholly.versions[1]?.fingerprint ?? '';
    const story = (await bob.ask(CALLS.certificateStory, { params: { fingerprint: former } })).ok.data;
    expect(story).toMatchObject({ certificate: null, done: 3, total: 3 });
  });

  it('cannot be read with a cursor of another sort order or an invalid fingerprint', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const now = api.clock.now();
    await addHosts(api, bob, wildcard(now - DAY_MS, now + 60 * DAY_MS));
    await bob.ask(CALLS.addDomain, { body: { host: 'other.example' } });
    await finishChecks(api, authority, answeredWith(authority.issue({ commonName: 'other.example' })));
    const first = (await bob.ask(CALLS.listCertificates, { query: { limit: '1' } })).ok;
    expect([first.data.length, first.total]).toEqual([1, 2]);
    const cursor = first.next_cursor ?? '';
    const next = (await bob.ask(CALLS.listCertificates, { query: { limit: '1', cursor } })).ok;
    expect(next.data[0]?.fingerprint).not.toBe(first.data[0]?.fingerprint);
    expect(next.next_cursor).toBeNull();
    expect((await bob.ask(CALLS.listCertificates, { query: { sort: 'name', cursor } })).status).toBe(400);
    const params = { fingerprint: '../list' };
    expect((await bob.ask(CALLS.certificateStory, { params })).status).not.toBe(200);
  });
});

describeAnyDatabase('A certificate that domains should serve', (open) => {
  const later = (now: number) => wildcard(now - DAY_MS, now + 80 * DAY_MS);

  it('is expected on every domain that it names or on the given hosts, and raises no incident if they serve it in time', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const now = api.clock.now();
    const ids = await addHosts(api, bob, wildcard(now - 30 * DAY_MS, now + 60 * DAY_MS));
    const renewed = later(now);
    const { data } = (
      await bob.ask(CALLS.expectCertificate, {
        body: { pem: `${renewed.certificatePem}${renewed.chainPem}` },
      })
    ).ok;
    expect(data).toMatchObject({
      subject: '*.shop.example',
      domain_count: 3,
      waiting_count: 3,
      waiting: HOSTS.map((hostname) => ({ hostname })),
    });
    expect(Math.round((Date.parse(data.due_at) - now) / MINUTE_MS)).toBe(60);
    const hosts = ['B.shop.example'];
    const one = await bob.ask(CALLS.expectCertificate, { body: { pem: renewed.certificatePem, hosts } });
    expect(one.ok.data).toMatchObject({ domain_count: 1, waiting_count: 1 });

    const alertsOf = async (id = '') => (await bob.ask(CALLS.domainAlerts, { params: { id } })).ok.data;
    api.clock.advance(5 * MINUTE_MS);
    await api.store.db.updateTable('monitors').set({ next_check_at: api.clock.now() }).execute();
    await finishChecks(api, authority, answeredWith(renewed));
    api.clock.advance(2 * MINUTE_MS);
    await api.store.db.updateTable('monitors').set({ next_check_at: api.clock.now() }).execute();
    await finishChecks(api, authority, answeredWith(renewed));
    for (const id of ids) expect((await alertsOf(id)).incidents).toEqual([]);
  });

  it('is also expected on domains that serve it already, because another IP address may serve an old one', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const served = later(api.clock.now());
    await addHosts(api, bob, served);
    const { data } = (await bob.ask(CALLS.expectCertificate, { body: { pem: served.certificatePem } })).ok;
    expect(data).toMatchObject({ domain_count: 3, waiting_count: 0, waiting: [] });
    const pending = () =>
      api.store.db
        .selectFrom('incident_members')
        .select('id')
        .where('problem', '=', 'not_deployed')
        .execute();
    expect(await pending()).toHaveLength(3);
    await api.store.db.updateTable('monitors').set({ next_check_at: api.clock.now() }).execute();
    await finishChecks(api, authority, answeredWith(served));
    expect(await pending()).toEqual([]);
  });

  it('raises one alert for all domains that serve another certificate at the deadline; the latest announcement sets the deadline', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const now = api.clock.now();
    const old = wildcard(now - 30 * DAY_MS, now + 60 * DAY_MS);
    const ids = await addHosts(api, bob, old);
    const pem = later(now).certificatePem;
    // Two announcements: the deadline of the second one applies.
    for (const minutes of [600, 5]) {
      const by = new Date(now + minutes * MINUTE_MS).toISOString();
      void (await bob.ask(CALLS.expectCertificate, { body: { pem, by } })).ok;
    }
    api.clock.advance(6 * MINUTE_MS);
    await finishChecks(api, authority, answeredWith(old));
    for (const id of ids)
      expect((await bob.ask(CALLS.domainAlerts, { params: { id } })).ok.data).toMatchObject({
        incidents: [{ problem: 'not_deployed' }],
        sent: [{ event: 'certificate.not_deployed' }],
      });
    const alerts = await api.store.db
      .selectFrom('alerts')
      .select('step')
      .where('kind', '=', 'not_deployed')
      .execute();
    expect(alerts).toEqual([{ step: 'opened' }]);
  });

  it('is refused while a domain already waits for five certificates; the answer names the domain', async () => {
    const metrics = createMetrics();
    const api = await startApi(open, { telemetry: { metrics, tracer: null } });
    const { bob } = await api.cast();
    const now = api.clock.now();
    await addHosts(api, bob, wildcard(now - 30 * DAY_MS, now + 60 * DAY_MS));
    const announce = () => bob.ask(CALLS.expectCertificate, { body: { pem: later(now).certificatePem } });
    for (let count = 0; count < 5; count++) void (await announce()).ok;
    const { status, problem } = await announce();
    expect([status, problem?.code]).toEqual([409, 'too_many_expectations']);
    expect(problem?.detail).toContain('a.shop.example waits for 5 other certificates');
    expect(await metrics.registry.metrics()).toContain(
      'certlantern_limit_reached_total{limit="LIMIT_EXPECTATIONS_PER_DOMAIN"} 1',
    );
  });

  it('is refused with a private key, after its expiry, without a matching domain, more than 30 days ahead or without Premium', async () => {
    const api = await startApi(open);
    const { bob, charlie } = await api.cast();
    const now = api.clock.now();
    const pem = later(now).certificatePem;
    const refused = async (person: Person, body: { pem: string; by?: string; hosts?: string[] }) => {
      const { status, problem } = await person.ask(CALLS.expectCertificate, { body });
      return [status, problem?.code, problem?.detail];
    };
    const key = `${pem}${later(now).keyPem}`;
    expect(await refused(bob, { pem: key })).toEqual([
      422,
      'invalid_certificate',
      expect.stringContaining('private key'),
    ]);
    expect((await refused(bob, { pem: 'none' })).slice(0, 2)).toEqual([422, 'invalid_certificate']);
    expect(
      (await refused(bob, { pem: wildcard(now - 90 * DAY_MS, now - 1_000).certificatePem }))[2],
    ).toContain('expired');
    expect((await refused(bob, { pem }))[2]).toContain('no domain');
    const by = new Date(now + 31 * DAY_MS).toISOString();
    expect((await refused(bob, { pem, by }))[2]).toContain('30 days');
    await addHosts(api, charlie, later(now));
    expect((await refused(charlie, { pem })).slice(0, 2)).toEqual([402, 'premium_required']);
  });
});
