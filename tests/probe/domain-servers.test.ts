import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { judge } from '../../server/core/judge/judge.ts';
import type { Observation } from '../../server/core/observation.ts';
import { reportMarkdown } from '../../server/core/report/report.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { type DnsServer, type SrvEntry, startDnsServer } from '../kit/peers/dns-server.ts';
import { keep } from '../kit/peers/loopback.ts';
import { type RawPeer, startRawPeer } from '../kit/peers/raw-peers.ts';
import { startScriptedPeer } from '../kit/peers/scripted-peer.ts';
import { startTlsServer, type TlsPeerOptions } from '../kit/peers/tls-server.ts';
import { GOODBYES } from './goodbyes.ts';
import { observeTyped } from './observe-typed.ts';
import { STREAM_START, TALKS, xmppStream } from './starttls-talks.ts';

const root = mintAuthority();
const issuer = root.intermediate();
const chat = issuer.issue({ dnsNames: ['chat.test'] });
const other = issuer.issue({ dnsNames: ['xmpp1.test'] });
let names: DnsServer;

beforeAll(async () => {
  names = await startDnsServer();
});
afterAll(() => names.stop());
beforeEach(() => {
  names.questions.length = 0;
  names.entries.clear();
  names.entries.set('xmpp1.test', { addresses: ['127.0.0.1'] });
});

function record(label: string, ...srv: SrvEntry[]): void {
  names.entries.set(`${label}._tcp.chat.test`, { srv });
}

/** Starts an XMPP server that offers STARTTLS to clients that ask for chat.test. */
async function chatServer(namespace = 'jabber:client', certificate = chat) {
  const [, ...rest] = TALKS.find(({ protocol }) => protocol === 'xmpp')?.steps ?? [];
  const asked: string[] = [];
  const peer = keep(
    await startScriptedPeer([xmppStream(namespace, 'chat.test'), ...rest], {
      certificate,
      insideTls: [
        xmppStream(namespace, 'chat.test'),
        { sends: `${STREAM_START}<stream:features/>` },
        ...GOODBYES.xmpp.steps,
      ],
      onServerName: (name) => asked.push(name),
    }),
  );
  return { ...peer, asked };
}

async function directServer(options: TlsPeerOptions) {
  return keep(await startTlsServer({ '*': chat }, options));
}

async function refusingPeer(): Promise<RawPeer> {
  return keep(await startRawPeer((socket) => socket.destroy()));
}

const observe = (address: string, typed?: Parameters<typeof observeTyped>[2]) =>
  observeTyped(names, address, typed);

const verdictOf = (seen: Observation) =>
  judge(seen, Date.now(), createTrustStore([root.der], { arePublic: false }));
const reportOf = (seen: Observation): string =>
  reportMarkdown({
    endpoint: seen.endpoint,
    verdict: verdictOf(seen),
    facts: null,
    chainPem: null,
    uptime: { state: null, downSince: null, cause: null, percent: null, windowDays: null },
    now: Date.now(),
  });

describe('A check of an XMPP domain without a port', () => {
  it('connects to the server that DNS names, asks it for the domain, and verifies the domain', async () => {
    const server = await chatServer();
    record('_xmpp-client', { target: 'xmpp1.test', port: server.port });
    const seen = await observe('xmpp://chat.test');
    expect(seen).toMatchObject({
      endpoint: { host: 'chat.test', port: 5222, protocol: 'xmpp' },
      resolution: { ok: true, addresses: ['127.0.0.1'] },
      addresses: [
        {
          address: '127.0.0.1',
          outcome: 'handshake',
          server: { name: 'xmpp1.test', port: server.port, isDirect: false },
        },
      ],
    });
    expect([server.unexpected, server.asked]).toEqual([[], ['chat.test']]);
    expect(verdictOf(seen)).toMatchObject({ trusted: true, findings: [] });
    expect(reportOf(seen)).toContain(`| \`127.0.0.1:${server.port}\` of \`xmpp1.test\` |`);
  });

  it('asks other servers in their own namespace for xmpp-server', async () => {
    const server = await chatServer('jabber:server');
    record('_xmpp-server', { target: 'xmpp1.test', port: server.port });
    expect(await observe('xmpp-server://chat.test')).toMatchObject({ addresses: [{ outcome: 'handshake' }] });
    expect(server.unexpected).toEqual([]);
  });

  it('does not accept a certificate for the name of the server instead of the domain', async () => {
    const server = await chatServer('jabber:client', other);
    record('_xmpp-client', { target: 'xmpp1.test', port: server.port });
    const seen = await observe('xmpp://chat.test');
    expect(verdictOf(seen)).toMatchObject({ trusted: false, findings: [{ code: 'name_mismatch' }] });
    expect(reportOf(seen)).toContain(
      `openssl s_client -connect 127.0.0.1:${server.port} -servername chat.test -starttls xmpp -xmpphost chat.test`,
    );
  });

  it('checks every server, with STARTTLS or direct TLS, and names the one that fails', async () => {
    const [server, direct, broken] = [
      await chatServer(),
      await directServer({ ALPNProtocols: ['xmpp-client'] }),
      await refusingPeer(),
    ];
    record(
      '_xmpp-client',
      { target: 'xmpp1.test', port: server.port, priority: 1 },
      { target: 'xmpp1.test', port: broken.port, priority: 3 },
      { target: 'gone.test', port: 5222, priority: 4 },
    );
    record('_xmpps-client', { target: 'xmpp1.test', port: direct.port, priority: 2 });
    const seen = await observe('xmpp://chat.test');
    expect(seen.addresses).toMatchObject([
      { outcome: 'handshake', server: { isDirect: false }, alpn: null },
      { outcome: 'handshake', server: { isDirect: true }, alpn: 'xmpp-client' },
      { outcome: 'failed', stage: 'starttls', server: { port: broken.port } },
      { outcome: 'failed', stage: 'dns', reason: 'name_not_found', address: 'gone.test' },
    ]);
    expect(direct.serverNames).toEqual(['chat.test']);
    const { trusted, findings } = verdictOf(seen);
    expect(trusted).toBe(true);
    expect(findings.map(({ code, addresses }) => [code, addresses])).toEqual([
      ['address_unreachable', [`127.0.0.1:${broken.port}`]],
      ['address_unreachable', ['gone.test:5222']],
    ]);
    expect(reportOf(seen)).toContain(`-connect gone.test:5222 -servername chat.test -starttls xmpp`);
  });

  it.each([
    ['that negotiates no ALPN', {}, 1],
    ['that ends the handshake because it knows other names only', { ALPNProtocols: ['h2'] }, 2],
  ])('reads the certificate of a direct TLS server %s', async (_, options, connections) => {
    const direct = await directServer(options);
    record('_xmpps-client', { target: 'xmpp1.test', port: direct.port });
    const seen = await observe('xmpps://chat.test');
    expect(seen.addresses).toMatchObject([{ outcome: 'handshake', alpn: null }]);
    expect(direct.accepted()).toBe(connections);
    expect(verdictOf(seen)).toMatchObject({ trusted: true, findings: [] });
  });

  it('uses the host and the usual port if there are no records, even if direct TLS is declined', async () => {
    names.entries.set('chat.test', { addresses: ['127.0.0.9'] });
    record('_xmpps-client', { target: '', port: 0 });
    expect(await observe('xmpp://chat.test')).toMatchObject({
      resolution: { ok: true, addresses: ['127.0.0.9'] },
      addresses: [{ address: '127.0.0.9', stage: 'connect', reason: 'refused' }],
    });
    expect(names.questions.slice(0, 2).toSorted()).toEqual([
      'SRV _xmpp-client._tcp.chat.test',
      'SRV _xmpps-client._tcp.chat.test',
    ]);
  });

  it('fails without a connection if the domain declines the service', async () => {
    names.entries.set('chat.test', { addresses: ['127.0.0.1'] });
    record('_xmpp-client', { target: '', port: 0 });
    const seen = await observe('xmpp://chat.test');
    expect(seen).toMatchObject({ resolution: { ok: false, reason: 'service_declined' }, addresses: [] });
    expect(reportOf(seen)).toContain('dig _xmpp-client._tcp.chat.test SRV; ');
  });

  it('fails with the error of the name servers if they cannot answer for the records, although the host has an address', async () => {
    names.entries.set('chat.test', { addresses: ['127.0.0.1'] });
    names.entries.set('_xmpp-client._tcp.chat.test', { answer: 'servfail' });
    expect(await observe('xmpp://chat.test')).toMatchObject({
      resolution: { ok: false, reason: 'dns_failed', detail: 'ESERVFAIL' },
    });
  });

  it('never connects to forbidden addresses or to ports of databases, whatever the records say', async () => {
    names.entries.set('inside.test', { addresses: ['10.0.0.7'] });
    record('_xmpp-client', { target: 'inside.test', port: 5222 }, { target: 'xmpp1.test', port: 3306 });
    expect(await observe('xmpp://chat.test')).toMatchObject({
      resolution: { ok: false, stage: 'dns', reason: 'name_not_found' },
      addresses: [],
    });
  });

  it.each([
    ['decline the service', { target: '', port: 0 }],
    ['name a port of databases', { target: 'xmpp1.test', port: 3306 }],
    ['name a local host', { target: 'xmpp.internal', port: 5222 }],
  ])('finds no address if %s and the host has only forbidden addresses', async (_, srv) => {
    names.entries.set('chat.test', { addresses: ['10.0.0.7'] });
    record('_xmpp-client', srv);
    expect(await observe('xmpp://chat.test')).toMatchObject({
      resolution: { ok: false, stage: 'dns', reason: 'name_not_found', detail: null },
      addresses: [],
    });
  });

  it('connects once to a place that several records lead to', async () => {
    const server = await chatServer();
    const twin = { target: 'twin.test', port: server.port };
    names.entries.set('twin.test', { addresses: ['127.0.0.1'] });
    record('_xmpp-client', { target: 'xmpp1.test', port: server.port, weight: 2 }, twin, twin);
    expect((await observe('xmpp://chat.test')).addresses).toMatchObject([{ server: { name: 'xmpp1.test' } }]);
    expect(server.asked).toEqual(['chat.test']);
  });

  it('checks at most 20 addresses, and the first one of each server', async () => {
    const many = Array.from({ length: 20 }, (_, index) => `127.0.1.${index + 1}`);
    names.entries.set('many.test', { addresses: many });
    record(
      '_xmpp-client',
      { target: 'many.test', port: 1, priority: 1 },
      { target: 'xmpp1.test', port: 1, priority: 2 },
    );
    const { addresses } = await observe('xmpp://chat.test');
    expect(addresses).toHaveLength(20);
    expect(addresses.slice(0, 2)).toMatchObject([{ address: '127.0.1.1' }, { address: '127.0.0.1' }]);
  });
});

describe('A check of an XMPP host with a port or a place to connect to', () => {
  it.each([
    ['xmpp://chat.test:5222', {}],
    ['xmpp://chat.test', { connect_to: 'chat.test' }],
    ['xmpps://chat.test:5223', {}],
    ['chat.test:5269', {}],
    ['xmpp://chat.test:5555', {}],
    ['xmpp://127.0.0.9', {}],
  ])('does not look up servers in DNS: %s %j', async (address, typed) => {
    names.entries.set('chat.test', { addresses: ['127.0.0.9'] });
    for (const label of ['_xmpp-client', '_xmpps-client', '_xmpp-server', '_xmpps-server'])
      record(label, { target: 'xmpp1.test', port: 1 });
    const { addresses } = await observe(address, typed);
    expect(addresses).toMatchObject([{ address: '127.0.0.9', stage: 'connect' }]);
    expect(addresses[0]).not.toHaveProperty('server');
    expect(names.questions.filter((question) => question.startsWith('SRV'))).toEqual([]);
  });
});
