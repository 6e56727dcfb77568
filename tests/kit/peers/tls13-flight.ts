import { constants, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { sentExtensions, writeHello } from '../../../server/probe/hello/client-hello.ts';
import { usualHello } from '../../../server/probe/hello/hello-shapes.ts';
import { Tls13Client } from '../../../server/probe/tls13/client.ts';
import { type EphemeralKey, ephemeralKey, sharedSecret } from '../../../server/probe/tls13/ephemeral-key.ts';
import { CIPHER_SUITES, KeySchedule } from '../../../server/probe/tls13/key-schedule.ts';
import { CONTENT, RecordCipher } from '../../../server/probe/tls13/record-layer.ts';
import { Surprise } from '../../../server/probe/tls13/wire.ts';

// The server's side of TLS 1.3 for tests. It is built from parts of our client, which are verified by the trace in RFC 8448.
// Each part of its first flight can be replaced by a wrong one.

export const number = (value: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
};
export const vector = (size: number, ...parts: readonly Uint8Array[]): Buffer => {
  const value = Buffer.concat(parts);
  return Buffer.concat([number(value.length, size), value]);
};
export const message = (type: number, ...parts: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.of(type), vector(3, ...parts)]);
export const extension = (type: number, ...parts: readonly Uint8Array[]): Buffer =>
  Buffer.concat([number(type, 2), vector(2, ...parts)]);
export const record = (type: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(type, 3, 3), vector(2, content)]);

export interface FlightOptions {
  /** The certificates, leaf first, and the private key of the leaf. */
  chain: readonly Uint8Array[];
  key: KeyObject;
  /** Cipher suite. Default: 0x1301 (TLS_AES_128_GCM_SHA256). */
  cipher?: number;
  /** Signature scheme. Default: ecdsa_secp256r1_sha256. */
  scheme?: number;
  /** Returns the content of the ServerHello's list of extensions. */
  helloExtensions?: (usual: { version: Buffer; share: Buffer }) => Buffer;
  /** Replacements for whole messages. */
  replace?: Partial<Record<FlightPart, (usual: Buffer) => Buffer>>;
}

export type FlightPart =
  'serverHello' | 'encryptedExtensions' | 'certificate' | 'certificateVerify' | 'finished';

export interface Flight {
  serverHello: Buffer;
  /** EncryptedExtensions, Certificate, CertificateVerify and Finished. */
  messages: Buffer[];
  /** Seals records: `handshake` with the keys of the handshake, `application` with those of the application data. */
  handshake: RecordCipher;
  application: RecordCipher;
  /** Returns another cipher with the keys of the handshake, for a further client with the same ClientHello. */
  handshakeAgain: () => RecordCipher;
}

const CONTEXT = Buffer.concat([Buffer.alloc(64, 0x20), Buffer.from('TLS 1.3, server CertificateVerify\0')]);
const X25519_SPKI_BYTES = 12;

/** Returns the first flight of a server that answers this ClientHello (a message without the header of its record). */
export function flightFor(hello: Buffer, clientShare: Buffer, options: FlightOptions): Flight {
  const { chain, key, cipher = 0x1301, scheme = 0x0403, helloExtensions, replace = {} } = options;
  const suite = CIPHER_SUITES.get(cipher) ?? CIPHER_SUITES.get(0x1301);
  if (suite === undefined) throw new Error('no cipher suite');
  const schedule = new KeySchedule(suite);
  const ephemeral = serverKey();
  const part = (name: FlightPart, usual: Buffer): Buffer => replace[name]?.(usual) ?? usual;

  const version = extension(43, number(0x0304, 2));
  const share = extension(51, number(0x001d, 2), vector(2, ephemeral.share));
  const sessionId = hello.subarray(38, 39 + (hello[38] ?? 0));
  const extensions = helloExtensions?.({ version, share }) ?? Buffer.concat([version, share]);
  const serverHello = part(
    'serverHello',
    message(
      2,
      number(0x0303, 2),
      Buffer.alloc(32, 7),
      sessionId,
      number(cipher, 2),
      Buffer.of(0),
      vector(2, extensions),
    ),
  );
  const transcript = [hello, serverHello];
  const hash = (): Buffer => schedule.transcriptHash(transcript);
  const secrets = schedule.handshakeSecrets(sharedSecret(ephemeral, clientShare), hash());
  const handshakeAgain = (): RecordCipher => new RecordCipher(suite, schedule.keysOf(secrets.server));

  const encryptedExtensions = part('encryptedExtensions', message(8, vector(2)));
  const entries = chain.map((der) => Buffer.concat([vector(3, der), vector(2)]));
  const certificate = part('certificate', message(11, vector(1), vector(3, ...entries)));
  transcript.push(encryptedExtensions, certificate);
  const signature = signatureOf(scheme, key, Buffer.concat([CONTEXT, hash()]));
  const certificateVerify = part('certificateVerify', message(15, number(scheme, 2), vector(2, signature)));
  transcript.push(certificateVerify);
  const finished = part('finished', message(20, schedule.verifyData(secrets.server, hash())));
  transcript.push(finished);
  const { server } = schedule.applicationSecrets(hash());
  const application = new RecordCipher(suite, schedule.keysOf(server));
  const messages = [encryptedExtensions, certificate, certificateVerify, finished];
  return { serverHello, messages, handshake: handshakeAgain(), application, handshakeAgain };
}

/** Returns the bytes of a flight as servers usually frame it: in two records, with the ChangeCipherSpec between them. */
export function framed({ serverHello, messages, handshake }: Flight): Buffer {
  return Buffer.concat([
    record(CONTENT.handshake, serverHello),
    record(CONTENT.changeCipherSpec, Buffer.of(1)),
    handshake.seal(CONTENT.handshake, Buffer.concat(messages)),
  ]);
}

function serverKey(): EphemeralKey {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  return { privateKey, share: spki.subarray(X25519_SPKI_BYTES) };
}

function signatureOf(scheme: number, key: KeyObject, signed: Buffer): Buffer {
  const hash = [null, null, null, null, 'sha256', 'sha384', 'sha512'][
    scheme >> 8 === 8 ? scheme & 0xf : scheme >> 8
  ];
  if (key.asymmetricKeyType?.startsWith('rsa') === true) {
    const padding = scheme >> 8 === 8 ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
    const pss = scheme >> 8 === 8 ? { saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
    return sign(hash ?? 'sha256', signed, { key, padding, ...pss });
  }
  return sign(key.asymmetricKeyType === 'ec' ? (hash ?? 'sha256') : null, signed, key);
}

/**
 * Starts a client, which has sent its ClientHello, and makes the answer of a server with this certificate. `again` returns
 * another client with the same ClientHello.
 */
export function startClient(leaf: { der: Uint8Array; keyPem: string }) {
  const key = ephemeralKey(0);
  const shape = usualHello(false);
  const target = { serverName: 'site.test', alpn: ['h2', 'http/1.1'], x25519Share: key.share };
  const hello = writeHello(shape, target).subarray(5);
  const offer = {
    sessionId: hello.subarray(39, 71),
    ciphers: shape.ciphers,
    signatures: shape.signatures,
    extensions: sentExtensions(shape, target),
    alpn: target.alpn,
  };
  const again = (): Tls13Client => new Tls13Client(hello, offer, key);
  const answer = (more: Partial<FlightOptions> = {}): Flight =>
    flightFor(hello, key.share, { chain: [leaf.der], key: createPrivateKey(leaf.keyPem), ...more });
  return { client: again(), answer, again };
}

/**
 * Returns the message of the `Surprise` with which the client refuses these bytes. Null if its handshake is complete,
 * `incomplete` if it waits for more.
 */
export function refusalOf(client: Tls13Client, bytes: Buffer): string | null {
  try {
    client.push(bytes);
    return client.proof === null ? 'incomplete' : null;
  } catch (error) {
    if (error instanceof Surprise) return error.message;
    throw error;
  }
}
