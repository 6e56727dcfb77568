import { createPrivateKey, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type KeyChoice, mintAuthority, mintKey } from '../../../tests/kit/certificates/mint.ts';
import {
  extension,
  type FlightOptions,
  type FlightPart,
  framed,
  message,
  number,
  refusalOf,
  startClient,
  vector,
} from '../../../tests/kit/peers/tls13-flight.ts';
import { ephemeralKey, sharedSecret } from './ephemeral-key.ts';
import { CONTENT } from './record-layer.ts';

const root = mintAuthority();
const leaf = root.issue({ dnsNames: ['site.test'] });
const other = root.issue({ dnsNames: ['site.test'] });
const keyOf = ({ keyPem }: { keyPem: string }): KeyObject => createPrivateKey(keyPem);
const start = () => startClient(leaf);

/** Returns why the client refuses a flight, or null if it accepts the flight. */
function refusal(more: Partial<FlightOptions>): string | null {
  const { client, answer } = start();
  return refusalOf(client, framed(answer({ chain: [leaf.der, root.der], ...more })));
}

describe('Our TLS 1.3 client', () => {
  it.each([0x1301, 0x1302, 0x1303])('completes a handshake with cipher suite %i', (cipher) => {
    const { client, answer } = start();
    const flight = answer({ cipher, chain: [leaf.der, root.der] });
    client.push(framed(flight));
    expect(client.proof?.chain.map((der) => Buffer.from(der))).toEqual([leaf.der, root.der]);
    expect(client.push(flight.application.seal(CONTENT.applicationData, Buffer.from('hello')))).toEqual([
      Buffer.from('hello'),
    ]);
  });

  it.each<[KeyChoice, number]>([
    ['P-256', 0x0403],
    ['P-384', 0x0503],
    ['P-521', 0x0603],
    ['RSA-2048', 0x0804],
    ['RSA-2048', 0x0805],
    ['RSA-2048', 0x0806],
    ['Ed25519', 0x0807],
    ['Ed448', 0x0808],
  ])('accepts the proof of a key %s by scheme %i, and no signature of another key', (choice, scheme) => {
    const mine = root.issue({ dnsNames: ['site.test'], key: choice });
    const chain = [mine.der];
    expect(refusal({ chain, key: keyOf(mine), scheme })).toBeNull();
    const stranger = mintKey(choice).privateKey;
    expect(refusal({ chain, key: stranger, scheme })).toBe('invalid: signature of CertificateVerify');
  });

  it.each<[string, KeyChoice, number]>([
    ['PKCS #1', 'RSA-2048', 0x0401],
    ['RSA-PSS for keys that are restricted to it', 'RSA-2048', 0x0809],
    ['the curve of another key', 'P-384', 0x0403],
    ['the key type of another key', 'P-256', 0x0804],
    ['ECDSA with SHA-1', 'P-256', 0x0203],
    ['ML-DSA, which was not offered', 'P-256', 0x0905],
  ])('refuses a proof by %s', (_name, choice, scheme) => {
    const mine = root.issue({ dnsNames: ['site.test'], key: choice });
    expect(refusal({ chain: [mine.der], key: keyOf(mine), scheme })).toMatch(/^invalid: signature scheme/);
  });

  const wrongPart = (part: FlightPart, usual: (bytes: Buffer) => Buffer) => ({ replace: { [part]: usual } });
  const flipped =
    (at: number) =>
    (usual: Buffer): Buffer => {
      const bytes = Buffer.from(usual);
      const index = at < 0 ? bytes.length + at : at;
      bytes[index] = (bytes[index] ?? 0) ^ 1;
      return bytes;
    };
  const hello = (change: (fields: Buffer) => void) =>
    wrongPart('serverHello', (usual) => {
      const bytes = Buffer.from(usual);
      change(bytes);
      return bytes;
    });
  const certificates = (...entries: readonly Buffer[]) =>
    wrongPart('certificate', () => message(11, vector(1), vector(3, ...entries)));
  const entry = (...extensions: readonly Buffer[]): Buffer =>
    Buffer.concat([vector(3, leaf.der), vector(2, ...extensions)]);
  const encrypted = (...extensions: readonly Buffer[]) =>
    wrongPart('encryptedExtensions', () => message(8, vector(2, ...extensions)));
  const alpn = (...names: readonly string[]): Buffer =>
    extension(16, vector(2, ...names.map((name) => vector(1, Buffer.from(name)))));
  const retry = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex');

  it.each<[string, string, Partial<FlightOptions>]>([
    ['a Finished with one wrong bit', 'invalid: Finished', wrongPart('finished', flipped(-1))],
    [
      'a Finished that is too short',
      'invalid: Finished',
      wrongPart('finished', (usual) => message(20, usual.subarray(4, -1))),
    ],
    ['an empty Finished', 'invalid: Finished', wrongPart('finished', () => message(20))],
    [
      'a signature with one wrong bit',
      'invalid: signature of CertificateVerify',
      wrongPart('certificateVerify', flipped(-1)),
    ],
    [
      'a certificate of another key',
      'invalid: signature of CertificateVerify',
      { chain: [other.der], key: keyOf(leaf) },
    ],
    [
      'a ServerHello of TLS 1.2',
      'older_version: no supported_versions',
      { helloExtensions: () => extension(23) },
    ],
    [
      'a ServerHello without extensions',
      'older_version: no extensions',
      wrongPart('serverHello', (usual) => message(2, usual.subarray(4, 4 + 70))),
    ],
    [
      'an older legacy_version',
      'older_version: legacy_version',
      hello((bytes) => bytes.writeUInt16BE(0x0302, 4)),
    ],
    ['a HelloRetryRequest', 'hello_retry: HelloRetryRequest', hello((bytes) => void retry.copy(bytes, 6))],
    ['another session id', 'invalid: legacy_session_id_echo', wrongPart('serverHello', flipped(40))],
    ['compression', 'invalid: legacy_compression_method', wrongPart('serverHello', flipped(73))],
    ['a cipher suite that was not offered', 'invalid: cipher suite', { cipher: 0x1304 }],
    ['a cipher suite of TLS 1.2', 'invalid: cipher suite', { cipher: 0xc02b }],
    [
      'a selected version other than TLS 1.3',
      'invalid: supported_versions',
      { helloExtensions: ({ share }) => Buffer.concat([extension(43, number(0x0303, 2)), share]) },
    ],
    ['no key share', 'unexpected: extensions', { helloExtensions: ({ version }) => version }],
    [
      'an extension twice',
      'invalid: extension that occurs twice',
      { helloExtensions: ({ version, share }) => Buffer.concat([version, share, version]) },
    ],
    [
      'a pre_shared_key that was not offered',
      'unexpected: extensions',
      {
        helloExtensions: ({ version, share }) => Buffer.concat([version, share, extension(41, number(0, 2))]),
      },
    ],
    [
      'a key share of another group',
      'invalid: group of the key share',
      {
        helloExtensions: ({ version }) =>
          Buffer.concat([version, extension(51, number(0x0017, 2), vector(2, Buffer.alloc(65, 4)))]),
      },
    ],
    [
      'a key share that is too short',
      'invalid: length of the key share',
      {
        helloExtensions: ({ version }) =>
          Buffer.concat([version, extension(51, number(0x001d, 2), vector(2, Buffer.alloc(31, 4)))]),
      },
    ],
    [
      'a key share of zeros',
      'invalid: key share',
      {
        helloExtensions: ({ version }) =>
          Buffer.concat([version, extension(51, number(0x001d, 2), vector(2, Buffer.alloc(32)))]),
      },
    ],
    ['a protocol that was not offered', 'invalid: protocol that was not offered', encrypted(alpn('h3'))],
    ['two protocols', 'malformed: bytes are left', encrypted(alpn('h2', 'http/1.1'))],
    ['no protocol in ALPN', 'malformed: bytes are missing', encrypted(alpn())],
    ['ALPN twice', 'invalid: extension that occurs twice', encrypted(alpn('h2'), alpn('h2'))],
    ['an extension that was not offered', 'unexpected: extension', encrypted(extension(0x1234))],
    ['an extension at the wrong place', 'unexpected: extension', encrypted(extension(51))],
    ['a server name', 'invalid: server_name', encrypted(extension(0, Buffer.of(0)))],
    [
      'bytes after the extensions',
      'malformed: bytes are left',
      wrongPart('encryptedExtensions', () => message(8, vector(2), Buffer.of(0))),
    ],
    [
      'a certificate_request_context',
      'invalid: certificate_request_context',
      wrongPart('certificate', () => message(11, vector(1, Buffer.of(1)), vector(3, entry()))),
    ],
    ['no certificate', 'invalid: no certificate', certificates()],
    [
      'an empty certificate',
      'malformed: empty certificate',
      certificates(Buffer.concat([vector(3), vector(2)])),
    ],
    [
      'a certificate that cannot be parsed',
      'malformed: certificate',
      certificates(entry(), Buffer.concat([vector(3, Buffer.from('3003020101', 'hex')), vector(2)])),
    ],
    [
      'timestamps that were not asked for',
      'unexpected: extension of a certificate',
      certificates(entry(extension(18))),
    ],
    [
      'a staple of another type',
      'invalid: status_type',
      certificates(entry(extension(5, Buffer.of(2), vector(3, Buffer.of(1))))),
    ],
    [
      '257 certificates',
      'too_large: number of certificates',
      certificates(...Array<Buffer>(257).fill(Buffer.concat([vector(3, Buffer.of(1)), vector(2)]))),
    ],
  ])('refuses %s', (_name, reason, more) => {
    expect(refusal(more)).toBe(reason);
  });

  it('reads the ALPN protocol, and only the OCSP response of the leaf', () => {
    const staple = (text: string) => extension(5, Buffer.of(1), vector(3, Buffer.from(text)));
    const { client, answer } = start();
    const list = [
      entry(staple('of the leaf')),
      Buffer.concat([vector(3, root.der), vector(2, staple('other'))]),
    ];
    client.push(
      framed(
        answer({
          replace: {
            encryptedExtensions: () =>
              message(8, vector(2, extension(0), extension(10, Buffer.of(0)), alpn('h2'))),
            certificate: () => message(11, vector(1), vector(3, ...list)),
          },
        }),
      ),
    );
    expect(client.proof?.alpn).toBe('h2');
    expect(Buffer.from(client.proof?.staple ?? []).toString()).toBe('of the leaf');
  });
});

describe('The X25519 key pair of our TLS 1.3 client', () => {
  it('is replaced after a minute', () => {
    const now = 10 ** 9;
    const first = ephemeralKey(now);
    expect(first.share).toHaveLength(32);
    expect(ephemeralKey(now + 59_999)).toBe(first);
    const second = ephemeralKey(now + 60_000);
    expect(second.share).not.toEqual(first.share);
    expect(sharedSecret(first, second.share)).toEqual(sharedSecret(second, first.share));
  });
});
