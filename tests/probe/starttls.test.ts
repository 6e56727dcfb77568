import type { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import type { Observation } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { keep, PATIENT, stopPeers } from '../kit/peers/loopback.ts';
import { floodingAtOnce, type RawPeer, resetting, silent, startRawPeer } from '../kit/peers/raw-peers.ts';
import {
  type ScriptedPeer,
  type ScriptedPeerOptions,
  startScriptedPeer,
  type Step,
} from '../kit/peers/scripted-peer.ts';
import { GOODBYES, goodbyeSteps } from './goodbyes.ts';
import { NONSENSE } from './starttls-nonsense.ts';
import { REFUSALS, type Talk, TALKS, xmppStream } from './starttls-talks.ts';
import type { Protocol } from '../../contract/protocols.ts';

const certificate = mintAuthority()
  .intermediate()
  .issue({ dnsNames: ['site.test'] });
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }) };

async function talking(steps: readonly Step[], options?: ScriptedPeerOptions): Promise<ScriptedPeer> {
  return keep(await startScriptedPeer(steps, options));
}

async function raw(behave: (socket: Socket) => void): Promise<RawPeer> {
  return keep(await startRawPeer(behave));
}

function observe(
  port: number,
  protocol: Protocol,
  {
    host = 'site.test',
    target = '',
    limitMs = PATIENT.check,
    replies,
    isOpen = true,
  }: {
    host?: string;
    target?: string;
    limitMs?: number;
    replies?: 'public' | 'all';
    isOpen?: boolean;
  } = {},
): Promise<Observation> {
  const dialogue = { greetingMs: limitMs, dialogueMs: limitMs };
  const timeouts = { ...PATIENT, dialogue, modeStep: Math.min(limitMs, 3_000) };
  // Loopback addresses are reachable only in a range that the operator opened. A test of public addresses therefore has to
  // say that they are in none.
  const reach = isOpen ? policy : { ...policy, opens: () => false };
  const probe = createProbe({ resolver, policy: reach, sources: NO_SOURCES, now: Date.now, timeouts });
  return probe.observe(
    { host, port, protocol, target },
    {
      signal: new AbortController().signal,
      trustStore: createTrustStore([]),
      withPosture: false,
      ...(replies && { replies }),
    },
  );
}

/** Returns the steps of a dialogue in which the server adds these words to its last message. */
function withLastWords({ steps }: Pick<Talk, 'steps'>, words: string): Step[] {
  const last = steps.findLastIndex((step) => 'sends' in step);
  return steps.map((step, index) =>
    index === last && 'sends' in step
      ? { sends: Buffer.concat([Buffer.from(step.sends), Buffer.from(words)]) }
      : step,
  );
}

const shaken = {
  addresses: [{ outcome: 'handshake', presentedChain: [certificate.der, expect.anything()] }],
};
const failed = (reason: string, detail: string | null = expect.toSatisfy(() => true)): object => ({
  addresses: [{ outcome: 'failed', stage: 'starttls', reason, detail, tlsAlert: null }],
});

describe.each(TALKS)('STARTTLS over $protocol with $server', ({ server, protocol, steps }) => {
  it('reads the certificate, whether the server sends large pieces or single bytes', async () => {
    for (const dripping of [false, true]) {
      const peer = await talking(steps, {
        certificate,
        dripping,
        insideTls: goodbyeSteps({ server, protocol, steps }, 'upgraded'),
      });
      expect(await observe(peer.port, protocol)).toMatchObject(shaken);
      expect(peer.unexpected).toEqual([]);
    }
  });

  it('fails as an injection if plaintext follows the positive answer', async () => {
    const { port } = await talking(withLastWords({ steps }, '250 and more\r\n'), { certificate });
    expect(await observe(port, protocol)).toMatchObject(failed('starttls_injection'));
  });

  it('fails as closed if the connection ends at any point', async () => {
    const words = steps.flatMap((step) => ('sends' in step ? [Buffer.from(step.sends).length] : []));
    const total = words.reduce((sum, length) => sum + length, 0);
    const cuts = Array.from({ length: 12 }, (_, index) => 1 + Math.floor((index * (total - 1)) / 12));
    for (const closesAfter of new Set(cuts.filter((cut) => cut < total))) {
      const { port } = await talking(steps, { closesAfter });
      expect(await observe(port, protocol)).toMatchObject(failed('closed'));
    }
  });
});

describe('STARTTLS that the server refuses', () => {
  it.each(REFUSALS)(
    'STARTTLS that the server refuses over $protocol with $server fails as $reason',
    async ({ protocol, steps, reason, code, text, isTemporary }) => {
      const { port } = await talking(steps);
      const { addresses } = await observe(port, protocol, { replies: 'all' });
      expect(addresses).toMatchObject([{ outcome: 'failed', stage: 'starttls', reason, detail: null }]);
      const [seen] = addresses;
      const answer = { code, text, isTemporary };
      const isSilent = code === null && text === null && reason === 'no_starttls';
      expect(seen?.outcome === 'failed' && seen.refusal).toEqual(isSilent ? undefined : answer);
    },
  );

  // Recorded from a Dovecot that cannot read its certificate.
  it.each([
    ['imap', 'Dovecot', '* BYE [UNAVAILABLE] TLS initialization failed.', 'BYE', true],
    ['pop3', 'Dovecot', '-ERR [SYS/TEMP] TLS initialization failed.', '-ERR', true],
    ['pop3', 'Dovecot', '-ERR [SYS/PERM] TLS initialization failed.', '-ERR', false],
    ['sieve', 'Pigeonhole', 'BYE "TLS initialization failed."', 'BYE', true],
  ] as const)(
    'STARTTLS over %s with %s fails as a refusal if it agrees and then sends %j',
    async (protocol, server, line, code, isTemporary) => {
      const talk = TALKS.find((one) => one.protocol === protocol && one.server === server) as Talk;
      const { port } = await talking(withLastWords(talk, `${line}\r\n`), { certificate });
      const { addresses } = await observe(port, protocol, { replies: 'all' });
      const text = expect.stringMatching(/TLS initialization failed\.?"?$/) as string;
      expect(addresses).toMatchObject([{ reason: 'server_refused', refusal: { code, text, isTemporary } }]);
    },
  );

  it('gives the text of a refusal as 200 printable characters at most, with other bytes escaped', async () => {
    const words = `4\\ \x1b[31m\xfc\u0000 ${'x'.repeat(300)}`;
    const { port } = await talking([{ sends: Buffer.from(`421 ${words}\r\n`, 'latin1') }]);
    const { addresses } = await observe(port, 'smtp', { replies: 'all' });
    const text = `4\\\\ \\x1b[31m\\xfc\\x00 ${'x'.repeat(200)}`.slice(0, 200);
    expect(addresses).toMatchObject([{ refusal: { code: '421', text, isTemporary: true } }]);
  });

  it.each([
    ['is not asked for', undefined, true],
    ['is in a range that the operator opened', 'public', true],
  ] as const)('withholds code and text of a refusal if it %s', async (_, replies, isOpen) => {
    const { port } = await talking([{ sends: '421 secret\r\n' }]);
    const { addresses } = await observe(port, 'smtp', { ...(replies && { replies }), isOpen });
    expect(addresses).toMatchObject([{ refusal: { code: null, text: null, isTemporary: true } }]);
    expect(JSON.stringify(addresses)).not.toMatch(/421|secret/);
  });

  it('gives code and text of a refusal at a public address to people who watch the endpoint', async () => {
    const { port } = await talking([{ sends: '421 hello\r\n' }]);
    const { addresses } = await observe(port, 'smtp', { replies: 'public', isOpen: false });
    expect(addresses).toMatchObject([{ refusal: { code: '421', text: 'hello', isTemporary: true } }]);
  });
});

describe('FTP', () => {
  it.each([334, 200])('goes on with TLS after the reply %i to AUTH TLS, and notes it', async (code) => {
    const steps = [{ sends: '220 hi\r\n' }, { expects: 'AUTH TLS\r\n' }, { sends: `${code} go on\r\n` }];
    const { port } = await talking(steps, { certificate, insideTls: GOODBYES.ftp.steps });
    expect(await observe(port, 'ftp')).toMatchObject({
      addresses: [{ outcome: 'handshake', startTlsCode: code }],
    });
  });
});

describe('STARTTLS with a server of another protocol', () => {
  it.each(NONSENSE)(
    'STARTTLS with a server of another protocol over $protocol fails as wrong_protocol: $server',
    async ({ protocol, steps }) => {
      const { port } = await talking(steps);
      expect(await observe(port, protocol)).toMatchObject(failed('wrong_protocol'));
    },
  );
});

describe('STARTTLS with an endless or silent server', () => {
  const endless: [Protocol, string][] = [
    ['smtp', '220-another line of the greeting\r\n'],
    ['ftp', '220-another line of the greeting\r\n'],
    ['nntp', 'x'],
    ['imap', '* OK '],
    ['pop3', '+OK '],
    ['sieve', '"SIEVE" "another capability"\r\n'],
    ['xmpp', '<'],
    ['ldap', '0'],
    ['mysql', '\x00'],
  ];
  it.each(endless)(
    'STARTTLS over %s fails at once if the server repeats %j endlessly',
    async (protocol, words) => {
      const { port } = await raw(floodingAtOnce(Buffer.from(words)));
      expect(await observe(port, protocol)).toMatchObject(failed('wrong_protocol'));
    },
  );

  it.each([...new Set(TALKS.map(({ protocol }) => protocol))])(
    'STARTTLS over %s fails at the deadline if the server is silent',
    async (protocol) => {
      const { port } = await raw(silent);
      // Clients of these protocols speak first, so the servers send no greeting.
      const speaksFirst = ['xmpp', 'xmpp-server', 'ldap', 'postgres'].includes(protocol);
      expect(await observe(port, protocol, { limitMs: 100 })).toMatchObject(
        failed(speaksFirst ? 'timeout' : 'greeting_timeout'),
      );
    },
  );

  it('STARTTLS over smtp fails at the same deadline if the server sends a line every 10 ms', async () => {
    const { port } = await raw((socket) => {
      const timer = setInterval(() => socket.write('220-wait\r\n'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    const observation = await observe(port, 'smtp', { limitMs: 200 });
    expect(observation).toMatchObject(failed('greeting_timeout'));
    expect(observation.durationMs).toBeGreaterThanOrEqual(199);
  });
});

describe('STARTTLS', () => {
  const smtp = TALKS[0] as Talk;

  it('fails as reset if the server resets the connection', async () => {
    const { port } = await raw((socket) => {
      socket.write('220 hi\r\n');
      resetting(socket);
    });
    expect(await observe(port, 'smtp')).toMatchObject(failed('reset', 'ECONNRESET'));
  });

  it('fails in the handshake if the server agrees but speaks no TLS', async () => {
    const { port } = await talking([
      ...smtp.steps,
      { expects: Buffer.from([0x16, 3, 1]) },
      { sends: '500 what\r\n' },
    ]);
    expect(await observe(port, 'smtp')).toMatchObject({
      addresses: [{ outcome: 'failed', stage: 'handshake', reason: 'not_tls' }],
    });
  });

  it('is not tried if the protocol is tls', async () => {
    const { port } = await talking(smtp.steps);
    expect(await observe(port, 'tls')).toMatchObject({
      addresses: [{ outcome: 'failed', stage: 'handshake', reason: 'not_tls' }],
    });
  });

  it('STARTTLS over XMPP sends an internationalised name in Unicode', async () => {
    const talk = TALKS.find(({ protocol }) => protocol === 'xmpp') as Talk;
    const withName = ([, ...rest]: Step[]): Step[] => [xmppStream('jabber:client', 'bücher.test'), ...rest];
    const peer = await talking(withName(talk.steps), {
      certificate,
      insideTls: withName(goodbyeSteps(talk, 'upgraded')),
    });
    expect(await observe(peer.port, 'xmpp', { host: 'xn--bcher-kva.test' })).toMatchObject(shaken);
    expect(peer.unexpected).toEqual([]);
  });

  it.each(['xmpp', 'xmpp-server'] as const)(
    'STARTTLS over %s names the domain to verify, in the stream and by SNI, if the server has another name',
    async (protocol) => {
      const talk = TALKS.find((one) => one.protocol === protocol) as Talk;
      const namespace = protocol === 'xmpp' ? 'jabber:client' : 'jabber:server';
      const served = vi.fn<(name: string) => void>();
      const withName = ([, ...rest]: Step[]): Step[] => [xmppStream(namespace, 'domain.test'), ...rest];
      const peer = await talking(withName(talk.steps), {
        certificate,
        insideTls: withName(goodbyeSteps(talk, 'upgraded')),
        onServerName: served,
      });
      const target = '{"verify_name":"domain.test"}';
      expect(await observe(peer.port, protocol, { target })).toMatchObject(shaken);
      expect(peer.unexpected).toEqual([]);
      expect(served.mock.calls).toEqual([['domain.test']]);
    },
  );

  it('leaves no timer, listener or socket behind', async () => {
    const open = (): number => process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate').length;
    const atFirst = open();
    const peers = await Promise.all([
      talking(smtp.steps, { certificate, insideTls: goodbyeSteps(smtp, 'upgraded') }),
      talking(smtp.steps.slice(0, 3)),
      raw(silent),
    ]);
    await Promise.all(peers.map(({ port }) => observe(port, 'smtp', { limitMs: 100 })));
    await stopPeers();
    await expect.poll(open).toBeLessThanOrEqual(atFirst);
  });
});
