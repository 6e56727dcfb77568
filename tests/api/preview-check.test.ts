import { createAdaptorServer } from '@hono/node-server';
import type { Server } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { claimPreviews } from '../../server/store/checks/preview-checks.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient } from '../kit/product/people.ts';
import { stopTimers } from '../kit/peers/loopback.ts';
import { silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import { listening, startTlsServer } from '../kit/peers/tls-server.ts';
import { type Rig, type RigOptions, startRig, until } from '../worker/rig.ts';
import { startApi } from './test-api.ts';
import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const OPEN = ['127.0.0.0/8', '::1/128'];
/** Spellings of addresses of this machine or its network that a person could try. */
const INTERNAL = [
  '127.0.0.1',
  'http://127.0.0.1/',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '１２７.０.０.１',
  'localhost',
  'printer.local',
  'metadata.google.internal',
  '169.254.169.254',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  'user@127.0.0.1',
  'https://example.com\\@127.0.0.1/',
];

interface WorldOptions {
  rig?: RigOptions;
  api?: Parameters<typeof startApi>[1];
}

/** Starts the API and a worker on one database and one clock. */
async function startWorld(open: () => Promise<Store>, { rig: rigOptions = {}, api = {} }: WorldOptions = {}) {
  const rig = await startRig(await open(), rigOptions);
  const policy = createAddressPolicy(rigOptions.allow ?? OPEN);
  const timing = { previewMs: MINUTE_MS, ...api.timing };
  const served = await startApi(async () => rig.store, {
    policy,
    clock: rig.clock,
    ...api,
    timing,
  });
  const look = (host: string, from = '198.51.100.7') =>
    createClient(served.sendFrom(from)).ask(CALLS.glance, { body: { host } });
  return { rig, look, served };
}

/** Starts a web server at the host's address; returns its port. */
async function startSite(rig: Rig, host: string, { certificate = rig.issue(host), status = 200 } = {}) {
  const site = await startTlsServer(
    { '*': certificate },
    { serve: (_request, response) => void response.writeHead(status).end() },
  );
  onTestFinished(() => site.stop());
  rig.reachable(host, true);
  return site.port;
}

const countRows = async (store: Store) => {
  const tables = [
    'monitors',
    'check_runs',
    'certificates',
    'verdicts',
    'glances',
    'favicons',
    'alerts',
  ] as const;
  const counted = tables.map(async (name) => (await store.db.selectFrom(name).selectAll().execute()).length);
  return (await Promise.all(counted)).reduce((sum, count) => sum + count, 0);
};

describeAnyDatabase('A preview check', (open) => {
  it('returns certificate, chain and IP addresses of the host, and stores nothing', async () => {
    const { rig, look } = await startWorld(open);
    const certificate = rig.issue('shop.fjord.example');
    const port = await startSite(rig, 'shop.fjord.example', { certificate });
    rig.worker.start();
    const seen = await look(` https://Shop.Fjord.example:${port}/cart `);
    const expiry = new Date(rig.clock.now() + 90 * DAY_MS).toISOString();
    expect(seen.ok.data).toMatchObject({
      hostname: 'shop.fjord.example',
      port,
      display_name: `shop.fjord.example:${port}`,
      state: 'ok',
      issuer: 'Rig R1',
      authority_name: 'Rig Trust',
      expiry_date: expiry,
      fingerprint: certificate.fingerprint,
      trusted: true,
      findings: [],
      unreachable: null,
      sans: ['shop.fjord.example'],
      sans_total: 1,
      chain: [{ issuer: 'Rig R1', expiry_date: expiry }, { subject: 'Rig R1' }],
      addresses: [{ address: '127.0.0.1', tls_version: 'TLSv1.3', failure: null }],
      checked_at: new Date(rig.clock.now()).toISOString(),
    });
    expect(seen.headers.get('cache-control')).toBe('no-store');
    expect(await countRows(rig.store)).toBe(0);
    promise('preview-checks');
  });

  it('reports an expired certificate and a certificate for another name', async () => {
    const { rig, look } = await startWorld(open);
    const now = rig.clock.now();
    rig.serve(
      'old.fjord.example',
      rig.issue('old.fjord.example', { notBefore: now - 90 * DAY_MS, notAfter: now - DAY_MS }),
    );
    rig.serve('wrong.fjord.example', rig.issue('right.fjord.example'));
    rig.worker.start();
    const old = (await look(`old.fjord.example:${rig.port}`)).ok.data;
    expect(old).toMatchObject({ state: 'expired', trusted: false, findings: [{ code: 'expired' }] });
    const wrong = (await look(`wrong.fjord.example:${rig.port}`)).ok.data;
    expect(wrong).toMatchObject({
      state: 'ok',
      trusted: false,
      revocation: { state: 'unknown' },
      revocation_sources: [],
      findings: [
        {
          code: 'name_mismatch',
          fix: expect.stringContaining('covers wrong.fjord.example, or'),
          command: expect.stringMatching(/^(openssl|curl) /),
        },
      ],
    });
  });

  it('returns the first hundred names of a certificate and their total number', async () => {
    const { rig, look } = await startWorld(open);
    const dnsNames = Array.from({ length: 150 }, (_, index) => `n${index}.fjord.example`);
    rig.serve('n0.fjord.example', rig.issue('n0.fjord.example', { dnsNames }));
    rig.worker.start();
    const { sans, sans_total } = (await look(`n0.fjord.example:${rig.port}`)).ok.data;
    expect([sans.length, sans_total]).toEqual([100, 150]);
  });

  it('returns the reason why a host is unreachable', async () => {
    const { rig, look } = await startWorld(open, { rig: { caps: { dns: 5_000, handshake: 100 } } });
    const mute = await startRawPeer(silent);
    onTestFinished(() => mute.stop());
    rig.dns.entries.set('mute.fjord.example', { addresses: ['127.0.0.1'] });
    rig.worker.start();
    expect((await look(`mute.fjord.example:${mute.port}`)).ok.data).toMatchObject({
      state: 'unread',
      trusted: null,
      unreachable: { stage: 'handshake', reason: 'timeout', message: expect.stringContaining('in time') },
      addresses: [{ tls_version: null, failure: 'did not answer in time' }],
    });
    expect((await look('nowhere.fjord.example')).ok.data.unreachable).toMatchObject({
      message: 'nowhere.fjord.example has no public address in DNS.',
    });
  });

  it('reports an https host that answers 503 although its certificate is fine', async () => {
    const { rig, look } = await startWorld(open);
    const host = `shop.fjord.example:${await startSite(rig, 'shop.fjord.example', { status: 503 })}`;
    rig.worker.start();
    expect((await look(`https://${host}`)).ok.data).toMatchObject({
      state: 'ok',
      trusted: true,
      unreachable: null,
      findings: [
        {
          code: 'down',
          severity: 'critical',
          message: `${host} answered with the error 503.`,
          fix: expect.stringContaining('The certificate is not the cause.'),
          command: expect.stringMatching(/^curl /),
        },
      ],
    });
  });

  it('waits longer than eight seconds for the greeting of a mail server, and then says that it answers slowly', async () => {
    const { rig, look } = await startWorld(open, { api: { timing: { previewMs: MINUTE_MS } } });
    const mute = await startRawPeer(silent);
    onTestFinished(() => mute.stop());
    rig.dns.entries.set('mail.fjord.example', { addresses: ['127.0.0.1'] });
    rig.worker.start();
    stopTimers();
    let isAnswered = false;
    const answer = look(`smtp://mail.fjord.example:${mute.port}`).finally(() => (isAnswered = true));
    await mute.connected;
    let passedMs = 0;
    await until(() => {
      vi.advanceTimersByTime(100);
      passedMs += isAnswered ? 0 : 100;
      return isAnswered;
    });
    expect(passedMs).toBeGreaterThan(8_000);
    expect((await answer).ok.data.unreachable).toMatchObject({
      stage: 'starttls',
      reason: 'slow_answers',
      message: `mail.fjord.example:${mute.port} answers slowly, and this check did not wait longer for it.`,
    });
  });

  it('answers 503 at its deadline if the host is slow, and leaves no row in the database', async () => {
    const { rig, look } = await startWorld(open, { api: { timing: { previewMs: 100 } } });
    const mute = await startRawPeer(silent);
    onTestFinished(() => mute.stop());
    rig.dns.entries.set('mute.fjord.example', { addresses: ['127.0.0.1'] });
    rig.worker.start();
    const { problem } = await look(`mute.fjord.example:${mute.port}`);
    expect(problem).toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('not ready in time'),
    });
    expect(await countRows(rig.store)).toBe(0);
  });

  it('never connects to an internal address, in any spelling or through DNS', async () => {
    const { rig, look } = await startWorld(open, { rig: { allow: [] } });
    const inside = await startRawPeer(silent);
    onTestFinished(() => inside.stop());
    const names = {
      'inside.fjord.example': ['127.0.0.1'],
      'both.fjord.example': ['10.0.0.1', '127.0.0.1'],
      'mapped.fjord.example': ['::ffff:127.0.0.1'],
      'cloud.fjord.example': ['169.254.169.254'],
    };
    for (const [name, addresses] of Object.entries(names)) rig.dns.entries.set(name, { addresses });
    rig.worker.start();

    for (const [index, host] of INTERNAL.entries()) {
      const { problem } = await look(withPort(host, inside.port), `203.0.113.${index}`);
      expect(problem, host).toMatchObject({ code: 'invalid_host', status: 422 });
    }
    for (const name of Object.keys(names)) {
      const { unreachable } = (await look(`${name}:${inside.port}`)).ok.data;
      expect(unreachable, name).toMatchObject({ stage: 'dns', reason: 'name_not_found' });
    }
    expect(inside.accepted()).toBe(0);
    expect(await countRows(rig.store)).toBe(0);
  });

  it('leaves out a forbidden address of a public host, and says so without naming the address', async () => {
    const { rig, look } = await startWorld(open, { rig: { allow: ['127.0.0.1/32'] } });
    const name = 'both.fjord.example';
    rig.serve(name, rig.issue(name));
    rig.dns.entries.set(name, { addresses: ['10.0.0.7', '127.0.0.1'] });
    rig.worker.start();
    const { data } = (await look(`${name}:${rig.port}`)).ok;
    expect(data).toMatchObject({
      trusted: true,
      addresses: [{ address: '127.0.0.1', failure: null }],
      findings: [
        {
          severity: 'note',
          message: 'One address was left out, because this server may not check it.',
          addresses: [],
        },
      ],
    });
    expect(JSON.stringify(data)).not.toContain('10.0.0.7');
  });

  it('is limited per address, per network and for all visitors together', async () => {
    const { rig, look } = await startWorld(open, { api: { timing: { previewMs: 0 } } });
    const many = async (count: number, from: string) => {
      const codes: string[] = [];
      for (let index = 0; index < count; index++)
        codes.push((await look('some.fjord.example', from)).problem.code);
      return codes.filter((code) => code === 'unavailable').length;
    };
    expect(await many(12, '198.51.100.1')).toBe(10);
    const { problem, headers } = await look('some.fjord.example', '198.51.100.1');
    expect(problem).toMatchObject({ code: 'too_many_requests', retry_after: 60 });
    expect(headers.get('retry-after')).toBe('60');
    // An IPv6 /64 counts as one address; its /48 has a separate limit.
    expect(await many(6, '2001:db8:7:1::1')).toBe(6);
    expect(await many(6, '2001:db8:7:1:ffff::2')).toBe(4);
    for (const network of [2, 3]) expect(await many(10, `2001:db8:7:${network}::1`)).toBe(10);
    expect(await many(1, '2001:db8:7:4::1')).toBe(0);

    for (let minute = 0; minute < 5; minute++) {
      rig.clock.advance(60_000);
      expect(await many(10, '198.51.100.1')).toBe(10);
    }
    rig.clock.advance(60_000);
    expect(await many(1, '198.51.100.1')).toBe(0);

    for (let person = 2; person < 8; person++) expect(await many(10, `198.51.${person}.1`)).toBe(10);
    expect((await look('some.fjord.example', '198.51.8.1')).problem.code).toBe('too_many_requests');
    expect(await many(1, '198.51.8.1')).toBe(0);
    // A request for an invalid host does not count towards the limit.
    expect((await look('', '198.51.9.1')).problem.code).toBe('invalid_host');
    promise('preview-checks');
  });

  it('is repeated by another worker after the first one was killed', async () => {
    const { rig, look } = await startWorld(open);
    rig.serve('shop.fjord.example', rig.issue('shop.fjord.example'));
    const looking = look(`shop.fjord.example:${rig.port}`);
    const asked = () => rig.store.db.selectFrom('glances').selectAll().execute();
    await until(async () => (await asked()).length === 1);
    const claim = () => claimPreviews(rig.store, { now: rig.clock.now(), limit: 9, leaseMs: 3_000 });
    expect(await claim()).toHaveLength(1);
    expect(await claim()).toEqual([]);
    expect(await rig.worker.runPreviews()).toBe(0);
    rig.clock.advance(3_001);
    expect(await rig.worker.runPreviews()).toBe(1);
    expect((await looking).ok.data.state).toBe('ok');
    expect(await asked()).toEqual([]);
  });

  it('is cancelled without a DNS query if its client disconnects before it starts', async () => {
    const { rig, served } = await startWorld(open);
    const server = createAdaptorServer({ fetch: (request, env) => served.fetch(request, env) });
    const peer = await listening(server as Server);
    onTestFinished(() => peer.stop());
    const leaving = new AbortController();
    const looking = fetch(`http://localhost:${peer.port}/api/try`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ host: 'shop.fjord.example' }),
      signal: leaving.signal,
    });
    await until(async () => (await countRows(rig.store)) === 1);
    leaving.abort();
    await expect(looking).rejects.toThrow('aborted');
    await until(async () => (await countRows(rig.store)) === 0);
    expect(rig.dns.questions).toEqual([]);
  });

  it('a preview check is deleted after a minute if its API process was killed', async () => {
    const { rig } = await startWorld(open);
    const row = { host: 'shop.fjord.example', port: 443, lease_expires_at: null, answer: null };
    const ages = [-60_001, 5_000, 15_000, 60_000];
    await rig.store.db
      .insertInto('glances')
      .values(ages.map((age) => ({ ...row, id: String(age), created_at: rig.clock.now() - age })))
      .execute();
    const claimed = await claimPreviews(rig.store, { now: rig.clock.now(), limit: 9, leaseMs: 1 });
    expect(claimed.map(({ id }) => id)).toEqual(['5000']);
    expect(await countRows(rig.store)).toBe(2);
    rig.clock.set(rig.clock.now() + 55_000);
    await rig.worker.runPreviews();
    expect(await countRows(rig.store)).toBe(0);
  });

  it('is available only if sign-up is open and the operator has not switched it off', async () => {
    for (const config of [{ signups: 'invite' }, { signups: 'closed' }, { tryIt: false }] as const) {
      const { rig, look, served } = await startWorld(open, { api: { config } });
      expect((await createClient(served.send).ask(CALLS.publicConfig)).ok.data.try_it).toBe(false);
      expect((await look('shop.fjord.example')).problem.code).toBe('not_found');
      expect(await countRows(rig.store)).toBe(0);
    }
  });
});

function withPort(host: string, port: number): string {
  return host.includes('/') ? host : `${host}:${port}`;
}
