import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Protocol } from '../../contract/protocols.ts';
import type { FailedObservation } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { keep, PATIENT, runInSteps } from '../kit/peers/loopback.ts';
import { alerting, closing, type RawPeer, resetting, silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import { startScriptedPeer } from '../kit/peers/scripted-peer.ts';
import { startTlsServer, type TlsPeerOptions } from '../kit/peers/tls-server.ts';
import { TALKS } from './starttls-talks.ts';

const certificate = mintAuthority().issue({ dnsNames: ['site.test'] });
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const loopback = { resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }) };

const raw = async (behave: (socket: Socket) => void): Promise<RawPeer> => keep(await startRawPeer(behave));
const tlsPeer = async (options?: TlsPeerOptions) => keep(await startTlsServer({ '*': certificate }, options));

/** Time limits for servers that stay silent, ms. */
const SILENT = { handshake: 200, dialogue: { greetingMs: 200, dialogueMs: 200 } };
const BRIEF = { ...SILENT, modeStep: 400 };

interface Setting {
  resolver?: typeof loopback;
  timeouts?: Partial<typeof BRIEF & { silence: number; slow: number }>;
  isNew?: boolean;
  onSlow?: () => void;
}

/** Returns why the check of its only address failed. Moves a stopped clock past the time limits of the check. */
async function failure(
  port: number,
  protocol: Protocol,
  { resolver = loopback, timeouts, ...options }: Setting = {},
): Promise<Pick<FailedObservation, 'stage' | 'reason' | 'scheme'>> {
  const limits = { ...PATIENT, modeStep: PATIENT.handshake, ...timeouts };
  const probe = createProbe({ resolver, policy, sources: NO_SOURCES, now: Date.now, timeouts: limits });
  const { addresses } = await runInSteps(() =>
    probe.observe(
      { host: 'site.test', port, protocol },
      {
        signal: new AbortController().signal,
        trustStore: createTrustStore([]),
        withPosture: false,
        ...options,
      },
    ),
  );
  const [seen] = addresses;
  if (seen?.outcome !== 'failed') throw new Error('The check did not fail.');
  const { stage, reason, scheme } = seen;
  return { stage, reason, scheme };
}

describe('STARTTLS at a port that speaks TLS at once', () => {
  it.each([
    ['smtp', 'smtps'],
    ['imap', 'imaps'],
    ['pop3', 'pop3s'],
    ['ftp', 'ftps'],
    ['nntp', 'nntps'],
  ] as const)('is recognised if the server stays silent: %s becomes %s', async (protocol, scheme) => {
    const { port } = await tlsPeer();
    const said = await failure(port, protocol, { timeouts: { ...SILENT, handshake: PATIENT.handshake } });
    expect(said).toEqual({ stage: 'starttls', reason: 'expects_tls', scheme });
  });

  it.each([
    ['xmpp', 'xmpps'],
    ['xmpp-server', 'xmpps-server'],
    ['ldap', 'ldaps'],
  ] as const)(
    'is recognised if the server ends the connection at our text: %s becomes %s',
    async (protocol, scheme) => {
      const { port } = await tlsPeer();
      expect(await failure(port, protocol)).toEqual({
        stage: 'starttls',
        reason: 'expects_tls',
        scheme,
      });
    },
  );

  it('is recognised although the server requires a client certificate', async () => {
    const { port } = await tlsPeer({
      requestCert: true,
      rejectUnauthorized: true,
      ca: certificate.certificatePem,
    });
    expect(await failure(port, 'ldap')).toMatchObject({ reason: 'expects_tls', scheme: 'ldaps' });
  });

  it.each([
    ['smtp', silent, 'greeting_timeout'],
    ['ldap', closing, 'closed'],
    ['ldap', resetting, 'reset'],
  ] as const)(
    'is not assumed of a broken %s server, after one more connection: %o',
    async (protocol, behave, reason) => {
      const peer = await raw(behave);
      expect(await failure(peer.port, protocol, { timeouts: BRIEF })).toMatchObject({ reason });
      expect(peer.accepted()).toBe(2);
    },
  );

  it.each([
    ['smtp', '220 hello\r\n', 'timeout'],
    ['smtp', '220', 'greeting_timeout'],
    ['smtp', '421 too many\r\n', 'server_refused'],
    ['smtp', '* OK\r\n', 'wrong_protocol'],
  ] as const)(
    'causes no further connection to a server that says something: %s, %j',
    async (protocol, words, reason) => {
      const peer = await raw((socket) => {
        socket.resume();
        socket.write(words);
      });
      expect(await failure(peer.port, protocol, { timeouts: BRIEF })).toMatchObject({ reason });
      expect(peer.accepted()).toBe(1);
    },
  );

  it('is recognised while the check still waits for a greeting, if the endpoint is new', async () => {
    const { port } = await tlsPeer();
    const said = await failure(port, 'smtp', { timeouts: { silence: 100 }, isNew: true });
    expect(said).toEqual({ stage: 'starttls', reason: 'expects_tls', scheme: 'smtps' });
  });

  it('is tested beside the dialogue with a new server that greets late, and the greeting counts', async () => {
    const { promise: isTried, resolve: markTried } = Promise.withResolvers<void>();
    const peer = await raw((socket) => {
      void isTried.then(() => socket.end('421 too many\r\n'));
      socket.once('data', () => markTried());
    });
    const said = await failure(peer.port, 'smtp', { timeouts: { silence: 100, modeStep: 400 }, isNew: true });
    expect(said).toMatchObject({ reason: 'server_refused' });
    expect(peer.accepted()).toBe(2);
  });

  it('is not tested beside the dialogue with a server that was checked before', async () => {
    const { promise: isSlow, resolve: onSlow } = Promise.withResolvers<void>();
    const peer = await raw((socket) => {
      socket.resume();
      void isSlow.then(() => socket.end('421 too many\r\n'));
    });
    const said = await failure(peer.port, 'smtp', { timeouts: { silence: 50, slow: 300 }, onSlow });
    expect(said).toMatchObject({ reason: 'server_refused' });
    expect(peer.accepted()).toBe(1);
  });

  it('causes no further connection for a protocol without direct TLS', async () => {
    const peer = await raw(silent);
    expect(await failure(peer.port, 'sieve', { timeouts: BRIEF })).toMatchObject({
      reason: 'greeting_timeout',
    });
    expect(peer.accepted()).toBe(1);
  });
});

describe('Direct TLS at a port that starts in plain text', () => {
  const greeting = (protocol: Protocol): string | Buffer => {
    const [step] = TALKS.find((talk) => talk.protocol === protocol)?.steps ?? [];
    if (step === undefined || !('sends' in step)) throw new Error(`${protocol} has no greeting.`);
    return step.sends;
  };

  it.each(['smtp', 'imap', 'pop3', 'ftp', 'nntp', 'sieve', 'mysql'] as const)(
    'is recognised by the greeting, on any port: %s',
    async (protocol) => {
      const { port } = await raw((socket) => {
        socket.resume();
        socket.write(greeting(protocol));
      });
      expect(await failure(port, 'tls')).toEqual({
        stage: 'handshake',
        reason: 'not_tls',
        scheme: protocol,
      });
    },
  );

  it.each([
    ['220 (vsFTPd 3.0.3)\r\n', 'ftp'],
    ['220 site.test Cyrus LMTP 3.6.1 server ready\r\n', 'lmtp'],
    ['220 site.test ready\r\n', 'smtp'],
    ['201 site.test posting prohibited\r\n', 'nntp'],
    ['* PREAUTH\r\n', 'imap'],
  ])('names the protocol that the greeting %j begins', async (words, scheme) => {
    const { port } = await raw((socket) => {
      socket.resume();
      socket.write(words);
    });
    expect(await failure(port, 'tls')).toMatchObject({ reason: 'not_tls', scheme });
  });

  it.each([
    ['ldap', TALKS.find(({ server }) => server === 'OpenLDAP')],
    ['ldap', TALKS.find(({ server }) => server.startsWith('Active Directory'))],
  ] as const)('is recognised by the answer to a request of %s, on any port: %o', async (scheme, talk) => {
    const answer = talk?.steps.at(-1);
    const { port } = await raw((socket) =>
      socket.once('data', (bytes) => {
        if (bytes[0] === 0x16) socket.end();
        else socket.write(answer !== undefined && 'sends' in answer ? answer.sends : '');
      }),
    );
    expect(await failure(port, 'tls', { timeouts: { modeStep: BRIEF.modeStep } })).toMatchObject({
      reason: 'not_tls',
      scheme,
    });
  });

  it.each([
    ['jabber:client', 'xmpp'],
    ['jabber:server', 'xmpp-server'],
  ])('is recognised by the stream error of an XMPP server, on any port: %s', async (namespace, scheme) => {
    const { port } = await raw((socket) =>
      socket.once('data', () => {
        socket.end(
          `<?xml version='1.0'?><stream:stream xmlns:stream='http://etherx.jabber.org/streams' version='1.0' xmlns='${namespace}'>` +
            "<stream:error><not-well-formed xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>",
        );
      }),
    );
    expect(await failure(port, 'tls', { timeouts: { modeStep: BRIEF.modeStep } })).toMatchObject({
      reason: 'not_tls',
      scheme,
    });
  });

  it('is not assumed of a server with an unknown greeting, or that is silent in plain text', async () => {
    const ssh = await raw((socket) => {
      socket.resume();
      socket.write('SSH-2.0-OpenSSH_9.2\r\n');
    });
    expect(await failure(ssh.port, 'tls')).toMatchObject({ reason: 'not_tls', scheme: undefined });
    expect(ssh.accepted()).toBe(2);
    const web = await raw((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    expect(await failure(web.port, 'tls', { timeouts: { modeStep: BRIEF.modeStep } })).toMatchObject({
      reason: 'not_tls',
      scheme: undefined,
    });
  });

  it('causes no further connection to a server that is down, silent or ends the handshake with an alert', async () => {
    for (const [behave, reason] of [
      [silent, 'timeout'],
      [alerting(40), 'tls_alert'],
    ] as const) {
      const peer = await raw(behave);
      expect(await failure(peer.port, 'tls', { timeouts: BRIEF })).toMatchObject({ reason });
      // An alert makes the check try old TLS versions too.
      expect(peer.accepted()).toBe(reason === 'timeout' ? 1 : 2);
    }
  });

  it('is not assumed of an https address', async () => {
    const peer = await raw((socket) => {
      socket.resume();
      socket.write('220 mail.test ESMTP\r\n');
    });
    expect(await failure(peer.port, 'https')).toMatchObject({ reason: 'not_tls', scheme: undefined });
    expect(peer.accepted()).toBe(1);
  });
});

describe('Direct TLS at the usual port of a protocol whose client speaks first', () => {
  it.each([
    ['ldap', 3268],
    ['postgres', 5432],
    ['xmpp', 5222],
    ['xmpp-server', 5269],
  ] as const)('is recognised by the dialogue of %s', async (protocol, port) => {
    // Other processes do not use this address.
    const host = `127.78.${(process.pid >> 8) & 255}.${process.pid & 255 || 1}`;
    const steps = TALKS.find((talk) => talk.protocol === protocol)?.steps ?? [];
    keep(await startScriptedPeer(steps, { certificate, at: { host, port } }));
    const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: [host] }) };
    expect(await failure(port, 'tls', { resolver })).toEqual({
      stage: 'handshake',
      reason: 'not_tls',
      scheme: protocol,
    });
  });
});
