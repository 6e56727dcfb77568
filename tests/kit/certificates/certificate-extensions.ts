import { addressBytes } from './address-bytes.ts';
import {
  boolean,
  ia5String,
  integer,
  namedBits,
  objectIdentifier,
  octetString,
  sequence,
  tagged,
} from './der-writer.ts';

export interface RawExtension {
  oid: string;
  /** If absent, the extension omits the field, as DER requires of the default (X.690 §11.5). */
  critical?: boolean;
  /** DER of the extension's value, which is the content of extnValue. */
  value: Uint8Array;
}

/** Name constraints by type of name (RFC 5280 §4.2.1.10). */
export interface Subtrees {
  dns?: readonly string[];
  /** Address ranges in CIDR notation. */
  ip?: readonly string[];
  email?: readonly string[];
  /** DER of a Name. */
  directory?: readonly Uint8Array[];
}

const KEY_USAGE_BITS = {
  digitalSignature: 0,
  nonRepudiation: 1,
  keyEncipherment: 2,
  dataEncipherment: 3,
  keyAgreement: 4,
  keyCertSign: 5,
  cRLSign: 6,
  encipherOnly: 7,
  decipherOnly: 8,
} as const;
export type KeyUsage = keyof typeof KEY_USAGE_BITS;

const PURPOSES: Record<string, string> = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  any: '2.5.29.37.0',
};

export function extensionDer({ oid, critical, value }: RawExtension): Buffer {
  const field = critical === undefined ? [] : [boolean(critical)];
  return sequence(objectIdentifier(oid), ...field, octetString(value));
}

export function basicConstraints(
  ca: boolean,
  pathLength: number | undefined,
  critical: boolean,
): RawExtension {
  const fields = [
    ...(ca ? [boolean(true)] : []),
    ...(pathLength === undefined ? [] : [integer(BigInt(pathLength))]),
  ];
  return { oid: '2.5.29.19', critical, value: sequence(...fields) };
}

export function keyUsage(usages: readonly KeyUsage[]): RawExtension {
  return { oid: '2.5.29.15', critical: true, value: namedBits(usages.map((usage) => KEY_USAGE_BITS[usage])) };
}

/** Encodes extendedKeyUsage (RFC 5280 §4.2.1.12). `purposes` are keys of `PURPOSES` or dotted OIDs. */
export function extendedKeyUsage(purposes: readonly string[]): RawExtension {
  return {
    oid: '2.5.29.37',
    value: sequence(...purposes.map((purpose) => objectIdentifier(PURPOSES[purpose] ?? purpose))),
  };
}

export function subjectAltName(
  dnsNames: readonly string[],
  ipAddresses: readonly string[],
  critical: boolean,
): RawExtension {
  const names = [
    ...dnsNames.map((name) => tagged(2, false, Buffer.from(name, 'utf8'))),
    ...ipAddresses.map((address) => tagged(7, false, addressBytes(address))),
  ];
  return { oid: '2.5.29.17', ...(critical && { critical }), value: sequence(...names) };
}

export function subjectKeyIdentifier(identifier: Uint8Array): RawExtension {
  return { oid: '2.5.29.14', value: octetString(identifier) };
}

export function authorityKeyIdentifier(identifier: Uint8Array): RawExtension {
  return { oid: '2.5.29.35', value: sequence(tagged(0, false, identifier)) };
}

export function authorityInformationAccess(
  caIssuersUrls: readonly string[],
  ocspUrls: readonly string[],
): RawExtension {
  const access = (method: string, url: string): Buffer => sequence(objectIdentifier(method), uri(url));
  return {
    oid: '1.3.6.1.5.5.7.1.1',
    value: sequence(
      ...ocspUrls.map((url) => access('1.3.6.1.5.5.7.48.1', url)),
      ...caIssuersUrls.map((url) => access('1.3.6.1.5.5.7.48.2', url)),
    ),
  };
}

export function crlDistributionPoints(urls: readonly string[]): RawExtension {
  const points = urls.map((url) => sequence(tagged(0, true, tagged(0, true, uri(url)))));
  return { oid: '2.5.29.31', value: sequence(...points) };
}

/** Encodes one policy, domain-validated (CA/Browser Forum 2.23.140.1.2.1), with a CPS qualifier for each URL. */
export function certificatePolicies(cpsUrls: readonly string[]): RawExtension {
  const qualifiers = cpsUrls.map((url) => sequence(objectIdentifier('1.3.6.1.5.5.7.2.1'), ia5String(url)));
  const policy = sequence(objectIdentifier('2.23.140.1.2.1'), sequence(...qualifiers));
  return { oid: '2.5.29.32', value: sequence(policy) };
}

/** Encodes made-up timestamps of Certificate Transparency logs (RFC 6962 §3.3), whose signatures do not verify. */
export function certificateTimestamps(instants: readonly number[]): RawExtension {
  return timestampExtension(
    instants.map((at) => timestampEntry({ logId: Buffer.alloc(32, 7), at, signature: Buffer.alloc(8, 1) })),
  );
}

export const EMBEDDED_TIMESTAMPS = '1.3.6.1.4.1.11129.2.4.2';

/** Encodes SCTs as an extension of a certificate, or with another OID of an OCSP response. */
export function timestampExtension(entries: readonly Uint8Array[], oid = EMBEDDED_TIMESTAMPS): RawExtension {
  return { oid, value: octetString(vector(Buffer.concat(entries.map((entry) => vector(entry))))) };
}

export interface TimestampFields {
  version?: number;
  logId: Uint8Array;
  at: number | bigint;
  extensions?: Uint8Array;
  /** Numbers of the hash and the signature algorithm (RFC 5246 §7.4.1.4.1). Default: SHA-256 and ECDSA. */
  algorithms?: readonly [number, number];
  signature: Uint8Array;
}

/** Encodes one SCT (RFC 6962 §3.2). */
export function timestampEntry(fields: TimestampFields): Buffer {
  const { version = 0, logId, at, extensions = Buffer.alloc(0), algorithms = [4, 3], signature } = fields;
  return Buffer.concat([
    Buffer.from([version]),
    logId,
    bigEndian(BigInt(at), 8),
    vector(extensions),
    Buffer.from(algorithms),
    vector(signature),
  ]);
}

/** Encodes a TLS vector (RFC 8446 §3.4) with a length of two octets, or of as many as given. */
export function vector(content: Uint8Array, octets = 2): Buffer {
  return Buffer.concat([bigEndian(BigInt(content.length), octets), content]);
}

export function bigEndian(value: bigint, octets: number): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * octets, '0'), 'hex');
}

export function nameConstraints(permitted: Subtrees, excluded: Subtrees): RawExtension {
  const parts = [permitted, excluded].map((subtrees, index) => {
    const bases = subtreeBases(subtrees);
    return bases.length === 0 ? Buffer.alloc(0) : tagged(index, true, ...bases.map((base) => sequence(base)));
  });
  return { oid: '2.5.29.30', critical: true, value: sequence(...parts) };
}

function subtreeBases({ dns = [], ip = [], email = [], directory = [] }: Subtrees): Buffer[] {
  return [
    ...email.map((name) => tagged(1, false, Buffer.from(name))),
    ...dns.map((name) => tagged(2, false, Buffer.from(name))),
    ...directory.map((name) => tagged(4, true, name)),
    ...ip.map((cidr) => tagged(7, false, addressAndMask(cidr))),
  ];
}

function addressAndMask(cidr: string): Buffer {
  const [address = '', prefix = '0'] = cidr.split('/');
  const bytes = addressBytes(address);
  const mask = Buffer.alloc(bytes.length);
  for (let bit = 0; bit < Number(prefix); bit++) mask[bit >> 3] = (mask[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return Buffer.concat([bytes, mask]);
}

function uri(url: string): Buffer {
  return tagged(6, false, Buffer.from(url, 'utf8'));
}
