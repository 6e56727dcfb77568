import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { exchange } from '../../server/egress/exchange.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { parseCertificateBundle } from '../../server/pki/certificate-bundle.ts';
import { tryParseCertificate } from '../../server/pki/certificate.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createCanaries } from '../../server/probe/canary.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { type DnsServer, startDnsServer } from '../kit/peers/dns-server.ts';
import { PATIENT, STOPPED, stopTimers } from '../kit/peers/loopback.ts';
import { mintAuthority, selfSigned } from '../kit/certificates/mint.ts';
import { startRawPeer } from '../kit/peers/raw-peers.ts';
import { startScriptedPeer, type Step } from '../kit/peers/scripted-peer.ts';
import { startTlsServer } from '../kit/peers/tls-server.ts';
import type { Protocol } from '../../contract/protocols.ts';
import { GOODBYES } from './goodbyes.ts';

const HEADERS = 16 * 1024;
const BODY = 64 * 1024;
const LINE = 8 * 1024;
const TALK = 64 * 1024;
const CERTIFICATE = 102_400;
const never = new AbortController().signal;
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const leaf = mintAuthority().issue({ dnsNames: ['cap.test'] });

let names: DnsServer;
beforeAll(async () => {
  names = await startDnsServer({ 'cap.test': { addresses: ['127.0.0.1'] } });
});
afterAll(() => names.stop());
const resolver = () => createResolver({ servers: [names.address], policy });

/** Returns a header section of exactly `bytes` bytes, including its empty line. */
function head(bytes: number, more = ''): string {
  const [start, end] = [`HTTP/1.1 200 OK\r\n${more}x: `, '\r\n\r\n'];
  return `${start}${'h'.repeat(bytes - start.length - end.length)}${end}`;
}

/** Sends this text after the first bytes of a request, in one piece or split in the middle. Keeps the connection open. */
function answering(text: string, split: boolean): (socket: Socket) => void {
  const bytes = Buffer.from(text, 'latin1');
  const middle = split ? bytes.length >> 1 : 0;
  return (socket) =>
    void socket.once('data', () => {
      socket.write(bytes.subarray(0, middle));
      setImmediate(() => socket.write(bytes.subarray(middle)));
    });
}

async function lookedAt(protocol: Protocol, port: number) {
  const probe = createProbe({
    resolver: resolver(),
    policy,
    now: Date.now,
    sources: NO_SOURCES,
    timeouts: PATIENT,
  });
  return probe.observe(
    { host: 'cap.test', port, protocol },
    { signal: never, trustStore: createTrustStore([]), withPosture: false },
  );
}

async function overTls(behave: (socket: Socket) => void): Promise<number> {
  const peer = await startTlsServer({ '*': leaf }, { manners: behave });
  onTestFinished(() => peer.stop());
  return peer.port;
}

async function plain(behave: (socket: Socket) => void): Promise<number> {
  const peer = await startRawPeer(behave);
  onTestFinished(() => peer.stop());
  return peer.port;
}

const fetched = async (text: string, split: boolean, longer: 'refuse' | 'cut' = 'refuse', maxBytes = BODY) =>
  exchange({
    url: new URL(`http://cap.test:${await plain(answering(text, split))}/`),
    resolver: resolver(),
    policy,
    signal: never,
    deadlineMs: 60_000,
    maxBytes,
    longer,
  });

describe.each([
  ['in one piece', false],
  ['in pieces', true],
])('Response headers received %s', (_, split) => {
  const interim = `HTTP/1.1 103 Early Hints\r\nlink: ${'l'.repeat(6_000)}\r\n\r\n`;

  it.each([HEADERS, HEADERS + 1])('with %i bytes do not hide the status from a probe', async (bytes) => {
    const { http } = await lookedAt('https', await overTls(answering(head(bytes), split)));
    expect(http).toMatchObject({ outcome: 'answered', status: 200 });
  });

  it.each([
    [HEADERS, { outcome: 'answered', status: 200 }],
    [HEADERS + 100, { outcome: 'failed', reason: 'too_large' }],
  ])('with %i bytes, the status at their end, make a probe return %j', async (bytes, expected) => {
    const last = 'HTTP/1.1 200 OK\r\n\r\n';
    const early = head(bytes - last.length).replace('200 OK', '103 Hi');
    const { http } = await lookedAt('https', await overTls(answering(early + last, split)));
    expect(http).toMatchObject(expected);
  });

  it.each([
    [HEADERS, { ok: true, status: 200 }],
    [HEADERS + 1, { ok: false, reason: 'too_large' }],
  ])('with %i bytes make the HTTP exchange return %j', async (bytes, expected) => {
    expect(await fetched(head(bytes, 'content-length: 0\r\n'), split)).toMatchObject(expected);
  });

  it.each([
    [HEADERS, { ok: true, status: 200 }],
    [HEADERS + 1, { ok: false, reason: 'too_large' }],
  ])(
    'with %i bytes, counting two interim responses, make the HTTP exchange return %j',
    async (bytes, expected) => {
      const text = interim.repeat(2) + head(bytes - 2 * interim.length, 'content-length: 0\r\n');
      expect(await fetched(text, split)).toMatchObject(expected);
    },
  );
});

describe.each([
  ['in one piece', false],
  ['in pieces', true],
])('A body received %s', (_, split) => {
  const chunked = (bytes: number): string =>
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n${'b'.repeat(bytes)}\r\n0\r\n\r\n`;
  const told = (bytes: number): string =>
    `HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n${'b'.repeat(bytes)}`;

  it.each([
    ['chunked', chunked],
    ['sent with Content-Length', told],
  ])('that is %s is accepted up to 64 kB', async (__, answer) => {
    const whole = await fetched(answer(BODY), split);
    expect(whole).toMatchObject({ ok: true });
    expect(whole.ok && whole.body.length).toBe(BODY);
    expect(await fetched(answer(BODY + 1), split)).toEqual({ ok: false, reason: 'too_large' });
    const cut = await fetched(answer(BODY + 1), split, 'cut');
    expect(cut.ok && cut.body.length).toBe(BODY);
  });

  it('is drained up to 64 kB by a probe; one byte more closes the connection', async () => {
    stopTimers();
    const closed: string[] = [];
    const sent: string[] = [];
    const probe = async (name: string, bytes: number) => {
      const answer = answering(`HTTP/1.1 200 OK\r\n\r\n${'b'.repeat(bytes)}`, split);
      const port = await overTls((socket) =>
        socket.once('data', (request: Buffer) => {
          if (request.toString('latin1').startsWith('HEAD')) return socket.end('HTTP/1.1 405 No\r\n\r\n');
          answer(socket);
          socket.emit('data', request);
          setImmediate(() => sent.push(name));
          return socket.once('end', () => closed.push(name));
        }),
      );
      return lookedAt('https', port);
    };
    const whole = probe('whole', BODY);
    await expect.poll(() => sent, STOPPED).toEqual(['whole']);
    const tooLong = probe('too long', BODY + 1);
    await expect.poll(() => closed, STOPPED).toEqual(['too long']);
    // The probe waits a second for the server to finish its body.
    vi.advanceTimersByTime(1_000);
    await expect.poll(() => closed, STOPPED).toEqual(['too long', 'whole']);
    await Promise.all([whole, tooLong]);
  });
});

describe('A STARTTLS dialogue', () => {
  const smtp = async (steps: Step[]) => {
    const peer = await startScriptedPeer(steps, { certificate: leaf, insideTls: GOODBYES.smtp.steps });
    onTestFinished(() => peer.stop());
    const { addresses } = await lookedAt('smtp', peer.port);
    return addresses[0];
  };
  const talk = (greeting: string, offer: string): Step[] => [
    { sends: greeting },
    { expects: 'EHLO [127.0.0.1]\r\n' },
    { sends: offer },
    { expects: 'STARTTLS\r\n' },
    { sends: '220 Go ahead\r\n' },
  ];
  const OFFER = '250-mail\r\n250 STARTTLS\r\n';
  const line = (bytes: number): string => `220 ${'g'.repeat(bytes - 5)}\r\n`;

  it.each([
    [LINE, { outcome: 'handshake' }],
    [LINE + 1, { outcome: 'failed', reason: 'wrong_protocol' }],
  ])('with a line of %i bytes leads to %j', async (bytes, expected) => {
    expect(await smtp(talk(line(bytes), OFFER))).toMatchObject(expected);
  });

  it.each([
    [TALK, { outcome: 'handshake' }],
    [TALK + 1, { outcome: 'failed', stage: 'starttls' }],
  ])('of %i bytes in total leads to %j', async (bytes, expected) => {
    const greeting = '220 mail\r\n';
    const rest = bytes - greeting.length - OFFER.length - '220 Go ahead\r\n'.length;
    const full = Array.from({ length: Math.floor(rest / 1_000) - 1 }, () => `250-${'c'.repeat(994)}\r\n`);
    const filled = full.join('');
    const last = `250-${'c'.repeat(rest - filled.length - 6)}\r\n`;
    expect(await smtp(talk(greeting, filled + last + OFFER))).toMatchObject(expected);
  });
});

describe('The limit for certificates', () => {
  /** Ed25519 keys are used because all their signatures have the same length. */
  const sized = (bytes: number): Uint8Array => {
    const issue = (length: number) => {
      const extraExtensions = [{ oid: '1.2.3.4', value: Buffer.alloc(length, 1) }];
      return selfSigned({ key: 'Ed25519', serialNumber: 5n, extraExtensions }).der;
    };
    return issue(bytes - (issue(CERTIFICATE - 1_000).length - (CERTIFICATE - 1_000)));
  };

  it('allows 102,400 bytes for each certificate', () => {
    expect([sized(CERTIFICATE).length, sized(CERTIFICATE + 1).length]).toEqual([
      CERTIFICATE,
      CERTIFICATE + 1,
    ]);
    expect(tryParseCertificate(sized(CERTIFICATE))).not.toBeNull();
    expect(tryParseCertificate(sized(CERTIFICATE + 1))).toBeNull();
  });

  it.each([256, 257])('keeps 256 certificates of a chain of %i', async (count) => {
    const chainPem = selfSigned({ key: 'Ed25519' }).certificatePem.repeat(count - 1);
    const peer = await startTlsServer({ '*': { ...leaf, chainPem } });
    onTestFinished(() => peer.stop());
    const { addresses } = await lookedAt('tls', peer.port);
    const [seen] = addresses;
    expect(seen?.outcome === 'handshake' && seen.presentedChain.length).toBe(256);
  });

  it('allows 32 certificates in a bundle from a CA’s address', () => {
    const bundle = (count: number): Buffer => Buffer.from(selfSigned().certificatePem.repeat(count));
    expect(parseCertificateBundle(bundle(32))).toHaveLength(32);
    expect(() => parseCertificateBundle(bundle(33))).toThrow('too many certificates');
  });

  it.each([
    [64 * 1024, 64 * 1024],
    [64 * 1024 + 1, 64 * 1024],
  ])('caps a staple of %i bytes at %i', async (bytes, kept) => {
    const peer = await startTlsServer(
      { '*': leaf },
      { staple: Buffer.alloc(bytes, 1), maxVersion: 'TLSv1.2' },
    );
    onTestFinished(() => peer.stop());
    const [seen] = (await lookedAt('tls', peer.port)).addresses;
    // OpenSSL itself refuses a staple of more than 64 kB minus the header of its message.
    if (seen?.outcome === 'handshake') expect(seen.staple?.length).toBe(kept);
    else expect(seen).toMatchObject({ stage: 'handshake', reason: 'too_large' });
  });
});

describe('The clock of a canary', () => {
  const now = Date.UTC(2027, 0, 1);
  const DATE = 'Date: Fri, 01 Jan 2027 00:00:00 GMT\r\n';

  it.each([
    [HEADERS, 0],
    [HEADERS + 1, null],
  ])('from a Date header that ends at byte %i gives an offset of %s ms', async (bytes, aheadMs) => {
    const start = 'HTTP/1.1 200 OK\r\nx: ';
    const text = `${start}${'h'.repeat(bytes - start.length - 2 - DATE.length)}\r\n${DATE}`;
    const canaries = createCanaries({
      hosts: [{ host: 'cap.test', port: await overTls(answering(`${text}y: z\r\n\r\n`, false)) }],
      resolver: resolver(),
      policy,
      now: () => now,
      timeoutMs: 60_000,
    });
    expect(await canaries?.probe(never)).toEqual([{ host: 'cap.test', isHealthy: true, aheadMs }]);
  });
});
