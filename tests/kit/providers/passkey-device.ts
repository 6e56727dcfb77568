import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const FLAGS = { userPresent: 1, userVerified: 4, backupEligible: 8, attested: 64 };

/** The parts of `PublicKeyCredentialCreationOptionsJSON` and `…RequestOptionsJSON` that a device reads. */
interface Options {
  challenge: string;
  rp?: { id?: string };
  rpId?: string;
}

interface PasskeyDevice {
  /** Answers navigator.credentials.create(). */
  create(options: object): { id: string; type: 'public-key'; response: object };
  /** Answers navigator.credentials.get() with the passkey created last. */
  get(options: object): { id: string; type: 'public-key'; response: object };
}

/** Creates a platform authenticator with a P-256 key and no attestation (WebAuthn level 3), in a browser at `origin`. */
export function createPasskeyDevice(
  origin: string,
  { verifiesUser = true, id = randomBytes(32) }: { verifiesUser?: boolean; id?: Buffer } = {},
): PasskeyDevice {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let counter = 0;

  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authenticatorData = (rpId: string, flags: number, attested = Buffer.alloc(0)) => {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(++counter);
    const every = flags | FLAGS.userPresent | FLAGS.backupEligible | (verifiesUser ? FLAGS.userVerified : 0);
    const rpIdHash = createHash('sha256').update(rpId).digest();
    return Buffer.concat([rpIdHash, Buffer.from([every]), counted, attested]);
  };
  const credential = (response: Record<string, unknown>) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key' as const,
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
    response,
  });

  return {
    create(options) {
      const { challenge, rp } = options as Options;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)]);
      const authData = authenticatorData(rp?.id ?? '', FLAGS.attested, attested);
      return credential({
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: Buffer.concat([
          cborHead(5, 3),
          cborText('fmt'),
          cborText('none'),
          cborText('attStmt'),
          cborHead(5, 0),
          cborText('authData'),
          cborBytes(authData),
        ]).toString('base64url'),
        transports: ['internal'],
      });
    },
    get(options) {
      const { challenge, rpId } = options as Options;
      const data = authenticatorData(rpId ?? '', 0);
      const client = clientData('webauthn.get', challenge);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return credential({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      });
    },
  };
}

/** Encodes an EC2 key for ES256 (RFC 9052). */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const negative = (value: number) => cborHead(1, -1 - value);
  return Buffer.concat([
    cborHead(5, 5),
    cborHead(0, 1),
    cborHead(0, 2),
    cborHead(0, 3),
    negative(-7),
    negative(-1),
    cborHead(0, 1),
    negative(-2),
    cborBytes(Buffer.from(x, 'base64url')),
    negative(-3),
    cborBytes(Buffer.from(y, 'base64url')),
  ]);
}

/** Encodes the first bytes of an item with a length or value below 65,536 (RFC 8949 §3). */
function cborHead(major: number, value: number): Buffer {
  const type = major << 5;
  if (value < 24) return Buffer.from([type | value]);
  if (value < 256) return Buffer.from([type | 24, value]);
  return Buffer.from([type | 25, value >> 8, value & 255]);
}
const cborText = (text: string) => Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)]);
const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(2, bytes.length), bytes]);
