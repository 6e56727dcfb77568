import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { mintAuthority, type MintedCertificate } from '../kit/certificates/mint.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks, refusedByPolicy } from './finish-checks.ts';
import { startApi } from './test-api.ts';
import { DAY_MS } from '../../contract/durations.ts';

const authority = mintAuthority({ commonName: 'Test Root', organization: 'Test Authority' });
const REFUSED_HOSTS = [
  '',
  '   ',
  'http://',
  'gopher://example.com',
  'file:///etc/passwd',
  'localhost',
  'printer',
  'nas.local',
  '127.0.0.1',
  '0x7f.1',
  '2130706433',
  '10.0.0.1:443',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[fe80::1%eth0]',
  '169.254.169.254',
  'example.com:0',
  'example.com:65536',
  'exa mple.com',
  '-dash.example.com',
  `${'a'.repeat(64)}.example.com`,
  'example..com',
  'https://a\\@b.example.com',
  'example.com\u0000',
  '\r\nHost: internal',
  "x'; drop table monitors; --",
  '$(reboot).example.com',
  '<script>alert(1)</script>',
];
const add = (person: Person, host: string) => person.ask(CALLS.addDomain, { body: { host } });

describeAnyDatabase('A lookup before adding', (open) => {
  it('names the domain that the account already has, and says whether the name is in DNS', async () => {
    const known: Record<string, boolean> = { 'shop.example.com': true, 'shpo.example.com': false };
    const api = await startApi(open, { isInDns: async ({ host }) => known[host] ?? null });
    const { alice, bob } = await api.cast();
    const look = async (person: Person, host: string) =>
      (await person.ask(CALLS.lookUpHost, { query: { host } })).ok.data;
    const { id } = (await add(alice, 'shop.example.com:8443')).ok.data;
    const shop = { display_name: 'shop.example.com:8443', in_dns: true };
    expect(await look(alice, 'https://Shop.Example.com:8443/cart')).toEqual({ ...shop, domain_id: id });
    expect(await look(bob, 'shop.example.com:8443')).toEqual({ ...shop, domain_id: null });
    expect(await look(alice, 'shop.example.com')).toMatchObject({ domain_id: null, in_dns: true });
    expect(await look(alice, 'shpo.example.com')).toMatchObject({ domain_id: null, in_dns: false });
    expect((await look(alice, 'silent.example.com')).in_dns).toBeNull();
  });

  it('refuses hosts that cannot be tracked, and answers 429 after 60 lookups in a minute', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const look = (host: string) => alice.ask(CALLS.lookUpHost, { query: { host } });
    expect((await look('nas.local')).problem.code).toBe('invalid_host');
    for (let times = 1; times < 60; times += 1) expect((await look('shop.example.com')).status).toBe(200);
    expect((await look('shop.example.com')).status).toBe(429);
  });
});

describeAnyDatabase('Domains', (open) => {
  it('are returned with the result of their first check when it finishes in time', async () => {
    const api = await startApi(open, { timing: { firstCheckMs: 20_000 } });
    const { alice, charlie } = await api.cast();
    const notAfter = Math.floor(api.clock.now() / 1000) * 1000 + 5 * DAY_MS;
    const leaf = authority.issue({
      commonName: 'shop.example.com',
      dnsNames: ['shop.example.com'],
      notBefore: new Date(notAfter - 90 * DAY_MS),
      notAfter: new Date(notAfter),
    });
    const unsubscribe = api.store.signals.subscribe((signal) => {
      if (signal.topic === 'due') void finishChecks(api, authority, answeredWith(leaf));
    });
    const added = (await add(alice, ' https://Shop.Example.com/cart ')).ok.data;
    unsubscribe();

    expect(added).toMatchObject({
      hostname: 'shop.example.com',
      port: 443,
      display_name: 'shop.example.com',
      state: 'critical',
      subject: 'shop.example.com',
      issuer: 'Test Root',
      authority_name: 'Test Authority',
      authority_full_dn: 'CN=Test Root,O=Test Authority',
      expiry_date: new Date(notAfter).toISOString(),
      fingerprint: leaf.fingerprint,
      is_revoked: false,
      revocation: { state: 'unknown', source: null, checked_at: null },
      trusted: true,
      unreachable: null,
      checking: false,
      check_every_minutes: 1440,
    });
    const params = { id: added.id };
    expect((await alice.ask(CALLS.domainHistory, { params })).ok.data).toMatchObject([
      { fingerprint: leaf.fingerprint, subject: 'shop.example.com', sans: ['shop.example.com'] },
    ]);
    expect((await alice.ask(CALLS.domainSummary)).ok.data).toMatchObject({
      total: 1,
      counts: { critical: 1, ok: 0 },
      expiries: [{ id: added.id, hostname: 'shop.example.com', state: 'critical', count: 1 }],
    });
    expect((await charlie.ask(CALLS.domainSummary)).ok.data.expiries).toEqual([]);
  });

  it('are returned as pending when the first check takes longer', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const { data } = (await add(alice, 'slow.example.com:8443')).ok;
    expect(data).toMatchObject({
      port: 8443,
      display_name: 'slow.example.com:8443',
      state: 'pending',
      checking: true,
    });
    expect(data).toMatchObject({ issuer: null, expiry_date: null, last_checked_at: null, trusted: null });
    expect((await charlie.ask(CALLS.listDomains)).ok.total).toBe(0);
  });

  it('are returned at once, as pending, if the client prefers not to wait', async () => {
    const api = await startApi(open, { timing: { firstCheckMs: 3_600_000 } });
    const { alice } = await api.cast();
    const answer = await alice.ask(CALLS.addDomain, {
      body: { host: 'soon.example.com' },
      headers: { prefer: 'return=representation, respond-async; wait=0' },
    });
    expect(answer.ok.data).toMatchObject({ state: 'pending', checking: true });
    expect(answer.headers.get('preference-applied')).toBe('respond-async');
  });

  it('are not added if their address turns out to be refused at the first check', async () => {
    const api = await startApi(open, { timing: { firstCheckMs: 20_000 } });
    const { alice, charlie } = await api.cast();
    const unsubscribe = api.store.signals.subscribe((signal) => {
      if (signal.topic === 'due') void finishChecks(api, authority, refusedByPolicy);
    });
    const { problem } = await add(alice, '192.0.2.10');
    unsubscribe();
    expect(problem).toMatchObject({
      status: 422,
      code: 'host_refused',
      detail: 'The address policy of this server does not allow checking this host.',
    });
    for (const person of [alice, charlie]) expect((await person.ask(CALLS.listDomains)).ok.total).toBe(0);
  });

  it('show that the address policy refuses them if a later check finds only refused addresses', async () => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    const { id } = (await add(charlie, '192.0.2.10')).ok.data;
    await finishChecks(api, authority, refusedByPolicy);
    const [domain] = (await charlie.ask(CALLS.listDomains)).ok.data;
    expect(domain).toMatchObject({ id, state: 'unread', findings: [], checking: false });
    expect(domain?.unreachable).toMatchObject({
      stage: 'policy',
      message: 'The address policy of this server does not allow checking this host.',
    });
  });

  it('are refused with one sentence if the host is not public or not valid', async () => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    for (const host of REFUSED_HOSTS) {
      const { problem } = await add(charlie, host);
      expect([host, problem.status, problem.code]).toEqual([host, 422, 'invalid_host']);
      expect(problem.detail).toMatch(/^[A-Z].{10,}$/);
    }
    expect((await charlie.ask(CALLS.listDomains)).ok.total).toBe(0);
  });

  it('are refused if the request body is invalid', async () => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    for (const body of [
      undefined,
      '',
      '{',
      'null',
      '[]',
      '"example.com"',
      {},
      { host: 1 },
      { host: ['example.com'] },
      { host: 'x'.repeat(2049) },
    ])
      expect((await charlie.ask(CALLS.addDomain, { body })).problem).toMatchObject({
        code: 'invalid_request',
      });
    const headers = { 'content-type': 'text/plain' };
    const plain = await charlie.ask(CALLS.addDomain, { body: '{"host":"example.com"}', headers });
    expect(plain.problem.code).toBe('invalid_request');
  });

  it('are unique per account, in any spelling of the host', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    expect((await add(alice, 'bücher.example')).ok.data).toMatchObject({
      hostname: 'xn--bcher-kva.example',
      display_name: 'bücher.example',
    });
    for (const host of ['XN--BCHER-KVA.EXAMPLE.', 'https://bücher.example:443/x?y#z']) {
      const { problem } = await add(alice, host);
      expect(problem).toMatchObject({ status: 409, code: 'domain_exists' });
      expect(problem.detail).toContain('bücher.example');
    }
    expect((await add(alice, 'bücher.example:8443')).status).toBe(200);
    expect((await add(charlie, 'bücher.example')).status).toBe(200);
  });

  it('are limited to three on the Free plan, even with concurrent requests', async () => {
    const api = await startApi(open);
    const { alice, bob, charlie } = await api.cast();
    const hosts = Array.from({ length: 10 }, (_, index) => `host-${index}.example.com`);
    const answers = await Promise.all(hosts.map((host) => add(alice, host)));
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
      ...Array(3).fill(200),
      ...Array(7).fill(402),
    ]);
    expect(answers.find((answer) => answer.status === 402)?.problem.code).toBe('limit_reached');
    expect((await alice.ask(CALLS.listDomains)).ok.total).toBe(3);

    expect(
      (await Promise.all(hosts.map((host) => add(bob, host)))).every(({ status }) => status === 200),
    ).toBe(true);
    expect((await add(charlie, 'host-0.example.com')).status).toBe(200);
  });

  it('can be checked every 10, 15 or 60 minutes on Premium only', async () => {
    const api = await startApi(open);
    const { alice, bob, charlie } = await api.cast();
    const set = async (person: Person, minutes: string, owner = person) => {
      const { data } = (await owner.ask(CALLS.listDomains)).ok;
      const params = { id: data[0]?.id ?? '' };
      return person.ask(CALLS.setFrequency, { params, query: { check_frequency: minutes } });
    };
    for (const person of [alice, bob])
      expect((await add(person, 'shop.example.com')).ok.data.check_every_minutes).toBe(1440);
    for (const minutes of ['10', '15', '60']) {
      expect((await set(alice, minutes)).problem).toMatchObject({ status: 402, code: 'premium_required' });
      expect((await set(bob, minutes)).ok.data.check_every_minutes).toBe(Number(minutes));
      expect((await set(charlie, minutes, alice)).status).toBe(404);
    }
    expect((await set(alice, '1440')).ok.data.check_every_minutes).toBe(1440);
    for (const minutes of ['0', '-10', '11', '1e1', '10.5', 'abc', ''])
      expect([minutes, (await set(bob, minutes)).status]).toEqual([minutes, minutes === '1e1' ? 200 : 400]);
  });

  it('can be listed in pages, sorted and filtered, and no parameter injects SQL', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    for (const host of ['a.example.com', 'b.example.com', 'c.other.example']) {
      api.clock.advance(1_000);
      await add(alice, host);
    }
    const hosts = async (query: Record<string, string>) =>
      (await alice.ask(CALLS.listDomains, { query })).ok.data.map((domain) => domain.hostname);

    expect(await hosts({})).toEqual(['c.other.example', 'b.example.com', 'a.example.com']);
    expect(await hosts({ page: '2' })).toEqual([]);
    expect(await hosts({ q: 'EXAMPLE.COM' })).toEqual(['b.example.com', 'a.example.com']);
    expect(await hosts({ status: 'pending', sort: 'soonest' })).toHaveLength(3);
    expect(await hosts({ status: 'expired' })).toEqual([]);
    for (const q of ["'", '%', '_', "' or 1=1 --", '\\', '"', 'example.com%'])
      expect([q, await hosts({ q })]).toEqual([q, []]);

    for (const query of [
      { sort: 'host; drop table monitors' },
      { sort: '(select 1)' },
      { status: "ok' or '1'='1" },
      { page: '0' },
      { page: '1.5' },
      { page: '-1' },
      { page: '99999999999' },
      { q: 'x'.repeat(254) },
      { q: '\u0000' },
    ] as Record<string, string>[])
      expect([query, (await alice.ask(CALLS.listDomains, { query })).status]).toEqual([query, 400]);
    expect((await charlie.ask(CALLS.listDomains, { query: { q: 'example' } })).ok.data).toEqual([]);
  });

  it('have the same state in the list, the status filter and the summary', async () => {
    const api = await startApi(open);
    const { bob, charlie } = await api.cast();
    const daysLeft = { expired: -1, critical: 7.5, soon: 14.5, ok: 15.5 };
    const leaves = new Map<string, MintedCertificate>();
    for (const [state, days] of Object.entries(daysLeft)) {
      const host = `${state}.example.com`;
      const notAfter = new Date(api.clock.now() + days * DAY_MS);
      const notBefore = new Date(notAfter.getTime() - 90 * DAY_MS);
      leaves.set(host, authority.issue({ dnsNames: [host], notBefore, notAfter }));
      await add(bob, host);
    }
    await finishChecks(api, authority, (monitor) => {
      const leaf = leaves.get(monitor.host);
      return leaf ? answeredWith(leaf)(monitor) : refusedByPolicy(monitor);
    });

    const { counts, expiries } = (await bob.ask(CALLS.domainSummary)).ok.data;
    for (const state of Object.keys(daysLeft)) {
      const { data } = (await bob.ask(CALLS.listDomains, { query: { status: state } })).ok;
      expect(data).toMatchObject([{ hostname: `${state}.example.com`, state }]);
      expect(counts).toMatchObject({ [state]: 1 });
    }
    expect(expiries.map((expiry) => expiry.state)).toEqual(Object.keys(daysLeft));
    // Here, only certificates that expire soon have a start of validity.
    expect(expiries.map((expiry) => expiry.valid_from !== null)).toEqual([false, true, true, false]);
    const soonest = (await bob.ask(CALLS.listDomains, { query: { sort: 'soonest' } })).ok.data;
    expect(soonest.map((domain) => domain.state)).toEqual(Object.keys(daysLeft));
    expect((await charlie.ask(CALLS.domainSummary)).ok.data.total).toBe(0);
  });

  it('are checked on request, at most six times a minute', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const params = { id: (await add(alice, 'shop.example.com')).ok.data.id };
    const leaf = authority.issue({ dnsNames: ['shop.example.com'] });
    await finishChecks(api, authority, answeredWith(leaf));
    expect(await finishChecks(api, authority, answeredWith(leaf))).toBe(0);

    const asked = await alice.ask(CALLS.checkDomain, { params });
    expect(asked).toMatchObject({ status: 202, ok: { data: { checking: true, state: 'ok' } } });
    expect(await finishChecks(api, authority, answeredWith(leaf))).toBe(1);
    for (let more = 0; more < 5; more++)
      expect((await alice.ask(CALLS.checkDomain, { params })).status).toBe(202);
    expect((await alice.ask(CALLS.checkDomain, { params })).problem.code).toBe('too_many_requests');
    expect((await charlie.ask(CALLS.checkDomain, { params })).status).toBe(404);
    api.clock.advance(60_000);
    expect((await alice.ask(CALLS.checkDomain, { params })).status).toBe(202);
  });

  it('are not found after their owner removes them', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const { data } = (await add(alice, 'shop.example.com')).ok;
    const params = { id: data.id };
    expect((await charlie.ask(CALLS.removeDomain, { params })).status).toBe(404);
    expect((await alice.ask(CALLS.removeDomain, { params })).ok.data).toEqual(data);
    expect((await alice.ask(CALLS.removeDomain, { params })).status).toBe(404);
    expect((await alice.ask(CALLS.domainHistory, { params })).status).toBe(404);
    expect((await alice.ask(CALLS.listDomains)).ok.data).toEqual([]);
  });
});
