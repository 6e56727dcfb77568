import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import type { Observation } from '../../server/core/observation.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks, refusedByPolicy } from './finish-checks.ts';
import { startApi } from './test-api.ts';
import { DAY_MS } from '../../contract/durations.ts';
import type { Monitor } from '../../server/store/monitors/monitor-row.ts';

const root = mintAuthority({ commonName: 'Test Root' });
const issuing = root.intermediate({ commonName: 'Test Issuing' });
const leaf = issuing.issue({ dnsNames: ['shop.example.com'], notAfter: Date.now() + 80 * DAY_MS });
const renewed = issuing.issue({
  dnsNames: ['shop.example.com', 'www.example.com'],
  notAfter: Date.now() + 89 * DAY_MS,
});

const add = async (person: Person) =>
  (await person.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } })).ok.data.id;
const domainOf = async (person: Person, id: string) =>
  (await person.ask(CALLS.domain, { params: { id } })).ok.data;
const reportOf = async (person: Person, id: string) =>
  (await person.ask(CALLS.domainReport, { params: { id } })).ok.data;

/** Returns an observation of a server that sent only its leaf, so that the intermediate was fetched. */
const completed = (monitor: Monitor): Observation => ({
  ...answeredWith(leaf)(monitor),
  authorities: [{ der: issuing.der, source: 'fetched', url: 'http://ca.example/issuing.der' }],
});

describeAnyDatabase('The report of a domain', (open) => {
  it('is empty before the first check, and not found by other accounts', async () => {
    const { alice, charlie } = await (await startApi(open)).cast();
    const id = await add(alice);
    expect(await reportOf(alice, id)).toMatchObject({
      checked_at: null,
      findings: [],
      addresses: [],
      path: [],
      chain_pem: null,
      posture: null,
      transparency: null,
      markdown: expect.stringContaining('# shop.example.com'),
    });
    const stranger = await charlie.ask(CALLS.domainReport, { params: { id } });
    expect(stranger.problem.code).toBe('not_found');
  });

  it('has the findings with a fix, the chain to serve, the certification path and the IP addresses', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice);
    await finishChecks(api, root, completed);

    const report = await reportOf(alice, id);
    const incomplete = report.findings.find(({ code }) => code === 'incomplete_chain');
    expect(incomplete).toMatchObject({
      message: expect.stringContaining('Test Issuing'),
      fix: expect.stringContaining('Send this file'),
      command: expect.stringMatching(/openssl|curl/),
      attachment: 'chain',
      addresses: ['192.0.2.10'],
    });
    expect(report.chain_pem).toBe(leaf.certificatePem + issuing.certificatePem);
    expect(report.path.map(({ name, role, source }) => [name, role, source])).toEqual([
      ['shop.example.com', 'leaf', 'sent'],
      ['Test Issuing', 'intermediate', 'fetched'],
      ['Test Root', 'anchor', 'trust_store'],
    ]);
    expect(report.addresses).toEqual([
      {
        address: '192.0.2.10',
        server: null,
        family: 4,
        fingerprint: leaf.fingerprint,
        expiry_date: expect.any(String),
        tls_version: 'TLSv1.3',
        group: 'X25519',
        alpn: 'h2',
        response_ms: 5,
        failure: null,
        is_ours: false,
      },
    ]);
    expect(report.markdown).toContain('# shop.example.com');
    expect(report.markdown).toContain(issuing.certificatePem.trim());
    // Fetched certificates are not part of the history.
    const history = (await alice.ask(CALLS.domainHistory, { params: { id } })).ok.data;
    expect(history.map(({ fingerprint }) => fingerprint)).toEqual([leaf.fingerprint]);
  });

  it('has the certificate timestamps, and says why they are not judged', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice);
    const at = Date.UTC(2026, 10, 1, 12, 30);
    const logged = issuing.issue({ dnsNames: ['shop.example.com'], timestamps: [at] });
    await finishChecks(api, root, answeredWith(logged));
    const { transparency, markdown } = await reportOf(alice, id);
    expect(transparency).toEqual({
      timestamps: [
        {
          log_id: Buffer.alloc(32, 7).toString('base64'),
          log: null,
          operator: null,
          at: '2026-11-01T12:30:00.000Z',
          delivery: 'certificate',
          clients: [],
        },
      ],
      unreadable: 0,
      policies: [],
      note: expect.stringContaining('no valid path'),
    });
    expect(markdown).toContain('## Certificate Transparency');
  });

  it('begins with the reason why the host is unreachable, and says since when it is down', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice);
    const resolution = { ok: false, stage: 'dns', reason: 'name_not_found', detail: null } as const;
    const look = async () => {
      await api.store.db.updateTable('monitors').set({ next_check_at: 0 }).execute();
      await finishChecks(api, root, (monitor) => ({
        ...answeredWith(leaf)(monitor),
        resolution,
        addresses: [],
      }));
      return { report: await reportOf(alice, id), domain: await domainOf(alice, id) };
    };

    const first = await look();
    expect(first.report.findings).toMatchObject([
      {
        code: 'unreachable',
        severity: 'warning',
        command: expect.stringContaining('dig shop.example.com A'),
      },
    ]);
    expect(first.report.findings[0]?.message).toBe(first.domain.unreachable?.message);
    expect(first.domain.findings).toEqual([]);
    const confirmed = await look();
    expect(confirmed.report.findings).toMatchObject([{ severity: 'critical', fix: expect.any(String) }]);
    expect(confirmed.report.markdown).toContain(
      '### Critical: shop.example.com has no public address in DNS.',
    );
    expect(confirmed.report.markdown).toContain('## Uptime\n\nDown since ');
  });

  it('lists an HTTP error before faults of the certificate', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice);
    for (const _ of ['first', 'second']) {
      await api.store.db.updateTable('monitors').set({ next_check_at: 0 }).execute();
      await finishChecks(api, root, (monitor) => ({
        ...completed(monitor),
        http: { outcome: 'answered', address: '192.0.2.10', method: 'HEAD', status: 503, durationMs: 4 },
      }));
    }
    const { findings, markdown } = await reportOf(alice, id);
    expect(findings.map(({ code }) => code)).toEqual(['down', 'incomplete_chain']);
    expect(findings[0]).toMatchObject({
      message: 'shop.example.com answered with the error 503.',
      command: 'curl -ksSI --max-time 20 https://shop.example.com/',
    });
    expect(markdown).toContain('### Critical: shop.example.com answered with the error 503.');
  });

  it('does not reveal the address that a refused name resolves to', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice);
    await finishChecks(api, root, refusedByPolicy);
    const { findings, markdown } = await reportOf(alice, id);
    expect(findings).toMatchObject([
      { message: 'The address policy of this server does not allow checking this host.' },
    ]);
    expect(markdown).not.toContain('has an address');
  });

  it('says that addresses were not checked if our server has no IPv6 or no IPv4', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const id = await add(alice);
    await finishChecks(api, root, (monitor) => {
      const seen = answeredWith(leaf)(monitor);
      const untried = { outcome: 'failed' as const, stage: 'connect' as const, tlsAlert: null, detail: null };
      const address = { address: '2001:db8::1', family: 6 as const, durationMs: 0 };
      const addresses = [
        ...seen.addresses,
        { ...untried, ...address, reason: 'no_route_here' as const },
        {
          ...untried,
          ...address,
          address: '192.0.2.7',
          family: 4 as const,
          reason: 'no_route_here' as const,
        },
        { ...untried, ...address, address: '2001:db8::2', reason: 'refused' as const },
      ];
      return { ...seen, addresses };
    });
    const { addresses } = await reportOf(alice, id);
    expect(addresses.map(({ failure, is_ours: isOurs }) => [failure, isOurs])).toEqual([
      [null, false],
      ['was not checked: our server has no IPv6', true],
      ['was not checked: our server has no IPv4', true],
      ['refused the connection', false],
    ]);
  });

  it('compares two certificates of the domain’s history', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const id = await add(alice);
    await finishChecks(api, root, answeredWith(leaf));
    await api.store.db.updateTable('monitors').set({ next_check_at: 0 }).execute();
    await finishChecks(api, root, answeredWith(renewed));
    const compare = (person: Person, from: string, to: string) =>
      person.ask(CALLS.historyDiff, { params: { id }, query: { from, to } });
    expect((await compare(alice, leaf.fingerprint, renewed.fingerprint)).ok.data).toMatchObject({
      names_added: ['www.example.com'],
      names_lost: [],
      issuer: null,
      key: null,
      same_key: false,
    });
    expect((await compare(alice, renewed.fingerprint, leaf.fingerprint)).ok.data).toMatchObject({
      names_added: [],
      names_lost: ['www.example.com'],
    });
    for (const refused of [
      await compare(charlie, leaf.fingerprint, renewed.fingerprint),
      await compare(alice, leaf.fingerprint, root.fingerprint),
      await compare(alice, 'none', leaf.fingerprint),
    ])
      expect(refused.problem.code).toBe('not_found');
  });
});
