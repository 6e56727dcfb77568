import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assessUptime } from '../../server/core/check/uptime.ts';
import { judge } from '../../server/core/judge/judge.ts';
import type { Observation } from '../../server/core/observation.ts';
import { failureSentence } from '../../server/core/report/reach-finding.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { hasIpv6Loopback, keep } from '../kit/peers/loopback.ts';
import { startTlsServer, type TlsPeerOptions } from '../kit/peers/tls-server.ts';
import { observeTyped } from './observe-typed.ts';

const root = mintAuthority();
const shop = root.issue({ dnsNames: ['shop.test'] });
const other = root.issue({ dnsNames: ['other.test'], ipAddresses: ['192.0.2.7'] });

let names: DnsServer;

beforeAll(async () => {
  names = await startDnsServer({
    'shop.test': { addresses: ['127.66.0.1'] },
    'backend.test': { addresses: ['127.0.0.1'] },
    'both.test': { addresses: ['127.0.0.1', '::1'] },
    'private.test': { addresses: ['10.0.0.7'] },
    'half-private.test': { addresses: ['127.0.0.1', '10.0.0.7', 'fd00::7'] },
  });
});
afterAll(() => names.stop());

/**
 * Starts a server. It sends the certificate for `other.test` to clients that ask for this name, and the one for `shop.test`
 * to all others.
 */
async function site(options: TlsPeerOptions = {}) {
  const hosts: unknown[] = [];
  const peer = keep(
    await startTlsServer(
      { '*': shop, 'other.test': other },
      {
        serve(request, response) {
          hosts.push(`${request.method} ${request.headers.host}`);
          response.end();
        },
        ...options,
      },
    ),
  );
  return { ...peer, hosts };
}

const observe = (address: string, typed?: Parameters<typeof observeTyped>[2]) =>
  observeTyped(names, address, typed);

const verdictOf = (seen: Observation) =>
  judge(seen, Date.now(), createTrustStore([root.der], { arePublic: false }));

describe('A probe of an endpoint with a target', () => {
  it('connects where the target says, and sends the host as server name and in the request', async () => {
    const { port, serverNames, hosts } = await site();
    const seen = await observe('https://shop.test', { connect_to: `127.0.0.1:${port}` });
    expect(seen).toMatchObject({
      endpoint: { host: 'shop.test', port: 443, target: `{"connect_to":"127.0.0.1:${port}"}` },
      addresses: [{ address: '127.0.0.1', outcome: 'handshake' }],
      http: { outcome: 'answered', status: 200 },
    });
    expect({ serverNames, hosts }).toEqual({ serverNames: ['shop.test'], hosts: ['HEAD shop.test'] });
    expect(verdictOf(seen)).toMatchObject({ trusted: true, findings: [] });
  });

  it('resolves the name to connect to, and not the host', async () => {
    const { port } = await site();
    const seen = await observe('https://nowhere.test', { connect_to: `backend.test:${port}` });
    expect(seen.resolution).toEqual({ ok: true, addresses: ['127.0.0.1'] });
    const gone = await observe('https://shop.test', { connect_to: `nowhere.test:${port}` });
    expect(gone.resolution).toMatchObject({ ok: false, reason: 'name_not_found' });
  });

  it('sends another server name, or none, and still verifies the host', async () => {
    const { port, serverNames } = await site();
    const connect_to = `127.0.0.1:${port}`;
    const renamed = await observe('https://shop.test', { connect_to, server_name: 'other.test' });
    await observe('https://shop.test', { connect_to, server_name: 'none' });
    expect(serverNames).toEqual(['other.test', null]);
    expect(verdictOf(renamed)).toMatchObject({
      trusted: false,
      findings: [{ code: 'name_mismatch', facts: { expected: 'shop.test' } }],
    });
  });

  it.each(['other.test', '192.0.2.7'])('verifies the name or address to verify: %s', async (verify_name) => {
    const { port } = await site();
    const target = { connect_to: `127.0.0.1:${port}`, server_name: 'other.test', verify_name };
    expect(verdictOf(await observe('https://shop.test', target))).toMatchObject({ trusted: true });
    const wrong = await observe('https://shop.test', { connect_to: target.connect_to, verify_name });
    expect(verdictOf(wrong).findings).toMatchObject([{ facts: { expected: verify_name } }]);
  });

  it.each([
    ['10.0.0.7', 'address_refused'],
    ['private.test', 'name_not_found'],
  ])('makes no connection to %s if the address policy refuses that', async (connect_to, reason) => {
    expect(await observe('https://backend.test', { connect_to })).toMatchObject({
      resolution: { ok: false, reason },
      addresses: [],
    });
  });

  it.skipIf(!hasIpv6Loopback())('checks the addresses of one family only', async () => {
    const { port } = await site({ host: '::1' });
    const seen = await observe(`https://both.test:${port}`, { family: '6' });
    expect(seen.addresses).toMatchObject([{ address: '::1', outcome: 'handshake' }]);
    expect((await observe(`https://both.test:${port}`, { family: '4' })).addresses).toMatchObject([
      { address: '127.0.0.1', outcome: 'failed' },
    ]);
  });

  it('reports the host as down, and why, if the name has no address of the family', async () => {
    const seen = await observe('https://backend.test', { family: '6' });
    expect(assessUptime(seen)).toMatchObject({
      state: 'down',
      cause: {
        code: 'no_ipv6_addresses',
        message: 'backend.test (IPv6) has no public IPv6 address, and only IPv6 is to be checked.',
      },
    });
    const { failure } = verdictOf(seen);
    expect(failure && failureSentence(failure, 'backend.test')).toMatch(/has no public IPv6 address/);
  });

  it('notes addresses of the family that may not be checked, and reports a family without any others as missing', async () => {
    const { port } = await site();
    const four = await observe(`https://half-private.test:${port}`, { family: '4' });
    expect(four).toMatchObject({ addresses: [{ address: '127.0.0.1', outcome: 'handshake' }] });
    expect(four.resolution).toMatchObject({ ok: true, leftOut: 1 });
    expect(verdictOf(four).findings.map(({ code }) => code)).toContain('address_left_out');
    const six = await observe(`https://half-private.test:${port}`, { family: '6' });
    expect(six.resolution).toMatchObject({ ok: false, reason: 'no_ipv6_addresses' });
  });

  it('reports the host as down if a status is expected and the server demands a client certificate', async () => {
    const { port } = await site({ requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' });
    const host = `https://backend.test:${port}`;
    expect(assessUptime(await observe(host, {}))).toMatchObject({ state: 'up' });
    expect(assessUptime(await observe(host, { expected_status: '200' }))).toMatchObject({
      state: 'down',
      cause: { code: 'no_status' },
    });
  });

  it('reports the host as up only with an expected status, and tries GET if HEAD gets another status', async () => {
    const methods: unknown[] = [];
    const { port } = await site({
      serve(request, response) {
        methods.push(request.method);
        response.writeHead(request.method === 'HEAD' ? 404 : 401).end();
      },
    });
    const look = async (expected_status: string) =>
      assessUptime(await observe(`https://backend.test:${port}`, { expected_status }));
    expect(await look('200-299,401')).toMatchObject({ state: 'up' });
    expect(await look('404')).toMatchObject({ state: 'up' });
    expect(await look('200')).toMatchObject({
      state: 'down',
      cause: {
        code: 'unexpected_status',
        message: `backend.test:${port} (status 200) answered with the status 401 instead of 200.`,
      },
    });
    expect(methods).toEqual(['HEAD', 'GET', 'HEAD', 'HEAD', 'GET']);
  });
});
