import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  authorityInformationAccess,
  authorityKeyIdentifier,
  basicConstraints,
  certificatePolicies,
  certificateTimestamps,
  crlDistributionPoints,
  extendedKeyUsage,
  extensionDer,
  keyUsage,
  type KeyUsage,
  nameConstraints,
  type RawExtension,
  subjectAltName,
  subjectKeyIdentifier,
  type Subtrees,
} from './certificate-extensions.ts';
import {
  bitString,
  derNull,
  integer,
  objectIdentifier,
  printableString,
  sequence,
  set,
  tagged,
  time,
  utf8String,
} from './der-writer.ts';
import { pssAlgorithm, type PssOptions, pssSign } from './pss.ts';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';

export interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}
export type KeyChoice =
  | 'P-256'
  | 'P-384'
  | 'P-521'
  | 'secp256k1'
  | `RSA-${number}`
  | `RSA-PSS-${number}`
  | keyof typeof SIGNING_ALGORITHMS;
export type Hash = 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512';
export type Instant = number | Date;

export interface CertificateOptions {
  /** Attributes of the subject, written without escaping or checks. The subject omits those that are null or absent. */
  commonName?: string | null;
  organization?: string | null;
  organizationalUnit?: string | null;
  country?: string | null;
  /** DER of the subject, which replaces the four attributes above. */
  subjectDer?: Uint8Array;
  /** DER of the issuer name. Default: the signer's subject. */
  issuerDer?: Uint8Array;
  dnsNames?: readonly string[];
  ipAddresses?: readonly string[];
  notBefore?: Instant;
  notAfter?: Instant;
  serialNumber?: bigint;
  /** Kind of key to generate (default P-256), or an existing key pair for a renewal or cross-signed certificate. */
  key?: KeyChoice | KeyPair;
  /** Digest of the signature on this certificate. Default: SHA-256. */
  hash?: Hash;
  /** OID to write as the signature algorithm. Default: the OID that fits the signer's key and `hash`. */
  signatureOid?: string;
  /** Set to sign with RSASSA-PSS. The signer needs an RSA key, which its certificate may restrict to PSS. */
  pss?: PssOptions;
  certificateAuthority?: boolean;
  pathLength?: number;
  /** Null omits the extension, as it does for the next three. */
  basicConstraints?: null;
  keyUsage?: readonly KeyUsage[] | null;
  extendedKeyUsage?: readonly string[] | null;
  keyIdentifiers?: null;
  permitted?: Subtrees;
  excluded?: Subtrees;
  caIssuersUrls?: readonly string[];
  ocspUrls?: readonly string[];
  crlUrls?: readonly string[];
  cpsUrls?: readonly string[];
  /** Times at which made-up Certificate Transparency logs saw the certificate. Browsers demand some for certificates of public roots. */
  timestamps?: readonly Instant[];
  extraExtensions?: readonly RawExtension[];
  /** Flips one bit of the signature. */
  corruptSignature?: boolean;
  /** False omits the NULL that RFC 4055 §5 requires in the algorithm of RSA signatures. */
  withNull?: boolean;
  /** Changes the fields of TBSCertificate (RFC 5280 §4.1.2), each in DER, before they are signed. */
  editFields?: (fields: Buffer[]) => Uint8Array[];
}

export interface MintedCertificate {
  der: Buffer;
  certificatePem: string;
  keyPem: string;
  /** SHA-256 of the DER, lower-case hex. */
  fingerprint: string;
  serialNumber: bigint;
  /** The intermediates between this certificate and its root, nearest first. A correct server sends them after the leaf. */
  chain: readonly MintedCertificate[];
  chainPem: string;
  subjectDer: Buffer;
  key: KeyPair;
}

export interface MintedAuthority extends MintedCertificate {
  /** Mints an end-entity certificate. By default it is for serverAuth, and valid from an hour ago until in 90 days. */
  issue(options?: CertificateOptions): MintedCertificate;
  /** Mints a CA whose certificate this CA signs. */
  intermediate(options?: CertificateOptions): MintedAuthority;
}

/** Key types that also determine the signature algorithm: for each, the key type of node:crypto and the OID. */
const SIGNING_ALGORITHMS = {
  Ed25519: ['ed25519', '1.3.101.112'],
  Ed448: ['ed448', '1.3.101.113'],
  'ML-DSA-44': ['ml-dsa-44', '2.16.840.1.101.3.4.3.17'],
  'ML-DSA-65': ['ml-dsa-65', '2.16.840.1.101.3.4.3.18'],
  'ML-DSA-87': ['ml-dsa-87', '2.16.840.1.101.3.4.3.19'],
  'SLH-DSA-SHA2-128s': ['slh-dsa-sha2-128s', '2.16.840.1.101.3.4.3.20'],
} as const;

const DIGEST_OIDS: Record<'ec' | 'rsa', Record<Hash, string | null>> = {
  ec: {
    md5: null,
    sha1: '1.2.840.10045.4.1',
    sha256: '1.2.840.10045.4.3.2',
    sha384: '1.2.840.10045.4.3.3',
    sha512: '1.2.840.10045.4.3.4',
  },
  rsa: {
    md5: '1.2.840.113549.1.1.4',
    sha1: '1.2.840.113549.1.1.5',
    sha256: '1.2.840.113549.1.1.11',
    sha384: '1.2.840.113549.1.1.12',
    sha512: '1.2.840.113549.1.1.13',
  },
};

interface Signer {
  key: KeyPair;
  subjectDer: Buffer;
  /** The `chain` of the certificates that this authority issues: its own certificate and the intermediates above it; empty for a root. */
  chain: readonly MintedCertificate[];
}

/** Mints a self-signed root with a new key, unless `key` is given. Writes nothing to disk. */
export function mintAuthority(options: CertificateOptions = {}): MintedAuthority {
  return authority(mint(authorityDefaults({ commonName: 'Test Root', ...options }), null), true);
}

/** Mints a self-signed end-entity certificate. */
export function selfSigned(options: CertificateOptions = {}): MintedCertificate {
  return mint(leafDefaults(options), null);
}

/** Encodes a distinguished name with one attribute per RDN, in the order C, O, OU, CN. */
export function nameDer(
  parts: Pick<CertificateOptions, 'commonName' | 'organization' | 'organizationalUnit' | 'country'>,
): Buffer {
  const attribute = (
    oid: string,
    value: string | null | undefined,
    encode: (text: string) => Buffer,
  ): Buffer[] =>
    value === null || value === undefined ? [] : [set(sequence(objectIdentifier(oid), encode(value)))];
  return sequence(
    ...attribute('2.5.4.6', parts.country, printableString),
    ...attribute('2.5.4.10', parts.organization, utf8String),
    ...attribute('2.5.4.11', parts.organizationalUnit, utf8String),
    ...attribute('2.5.4.3', parts.commonName, utf8String),
  );
}

/** Generates a key pair. RSA takes 10 ms or more, the other kinds less than 1 ms. */
export function mintKey(choice: KeyChoice = 'P-256'): KeyPair {
  const signing = isSigningAlgorithm(choice) ? SIGNING_ALGORITHMS[choice][0] : null;
  // The types of generateKeyPairSync have one overload for each kind of key.
  if (signing !== null) return generateKeyPairSync(signing as 'ed25519');
  const modulusLength = Number(choice.split('-').at(-1));
  if (choice.startsWith('RSA-PSS')) return generateKeyPairSync('rsa-pss', { modulusLength });
  if (choice.startsWith('RSA')) return generateKeyPairSync('rsa', { modulusLength });
  return generateKeyPairSync('ec', { namedCurve: choice });
}

function isSigningAlgorithm(choice: KeyChoice): choice is keyof typeof SIGNING_ALGORITHMS {
  return Object.hasOwn(SIGNING_ALGORITHMS, choice);
}

function authority(certificate: MintedCertificate, isRoot: boolean): MintedAuthority {
  const { key, subjectDer } = certificate;
  const signer: Signer = { key, subjectDer, chain: isRoot ? [] : [certificate, ...certificate.chain] };
  return {
    ...certificate,
    issue: (options = {}) => mint(leafDefaults(options), signer),
    intermediate: (options = {}) =>
      authority(mint(authorityDefaults({ commonName: 'Test Intermediate', ...options }), signer), false),
  };
}

function authorityDefaults(options: CertificateOptions): CertificateOptions {
  return {
    organization: 'Certlantern Tests',
    notBefore: Date.now() - 365 * DAY_MS,
    notAfter: Date.now() + 3650 * DAY_MS,
    certificateAuthority: true,
    keyUsage: ['keyCertSign', 'cRLSign'],
    ...options,
  };
}

function leafDefaults(options: CertificateOptions): CertificateOptions {
  return {
    commonName: options.dnsNames?.[0] ?? null,
    notBefore: Date.now() - HOUR_MS,
    notAfter: Date.now() + 90 * DAY_MS,
    certificateAuthority: false,
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    ...options,
  };
}

function mint(options: CertificateOptions, signer: Signer | null): MintedCertificate {
  const key = typeof options.key === 'object' ? options.key : mintKey(options.key);
  const subjectDer = Buffer.from(options.subjectDer ?? nameDer(options));
  const { key: signingKey, subjectDer: signerName, chain } = signer ?? { key, subjectDer, chain: [] };
  const serialNumber = options.serialNumber ?? randomSerial();
  const der = signedDer(signingKey, options, (algorithm) => {
    const fields = [
      tagged(0, true, integer(2n)),
      integer(serialNumber),
      algorithm,
      Buffer.from(options.issuerDer ?? signerName),
      sequence(time(Number(options.notBefore)), time(Number(options.notAfter))),
      subjectDer,
      publicKeyInfo(key),
      tagged(3, true, sequence(...extensions(options, key, signingKey).map(extensionDer))),
    ];
    return sequence(...(options.editFields?.(fields) ?? fields));
  });
  return {
    serialNumber,
    der,
    certificatePem: pem(der),
    keyPem: key.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    fingerprint: createHash('sha256').update(der).digest('hex'),
    chain,
    chainPem: chain.map((link) => link.certificatePem).join(''),
    subjectDer,
    key,
  };
}

/**
 * Signs and returns the sequence that certificates, CRLs and OCSP responses share: `toBeSigned`, algorithm, signature, then
 * `more`.
 */
export function signedDer(
  key: KeyPair,
  {
    hash = 'sha256',
    corruptSignature = false,
    withNull = true,
    signatureOid,
    pss,
  }: Pick<CertificateOptions, 'hash' | 'corruptSignature' | 'withNull' | 'signatureOid' | 'pss'>,
  toBeSigned: (algorithm: Buffer) => Buffer,
  more: readonly Uint8Array[] = [],
): Buffer {
  const { digest, der } =
    pss === undefined ? signatureAlgorithm(key, hash, withNull) : { digest: hash, der: pssAlgorithm(pss) };
  const algorithm = signatureOid === undefined ? der : sequence(objectIdentifier(signatureOid));
  const body = toBeSigned(algorithm);
  const signature = pss === undefined ? sign(digest, body, key.privateKey) : pssSign(body, key, pss);
  if (corruptSignature) signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
  return sequence(body, algorithm, bitString(signature), ...more);
}

function extensions(options: CertificateOptions, key: KeyPair, signingKey: KeyPair): RawExtension[] {
  const {
    dnsNames = [],
    ipAddresses = [],
    caIssuersUrls = [],
    ocspUrls = [],
    crlUrls = [],
    cpsUrls = [],
  } = options;
  const isAuthority = options.certificateAuthority === true;
  const list: (RawExtension | false)[] = [
    options.basicConstraints !== null && basicConstraints(isAuthority, options.pathLength, true),
    options.keyUsage ? keyUsage(options.keyUsage) : false,
    options.extendedKeyUsage ? extendedKeyUsage(options.extendedKeyUsage) : false,
    options.keyIdentifiers !== null && subjectKeyIdentifier(keyIdentifier(key)),
    options.keyIdentifiers !== null && authorityKeyIdentifier(keyIdentifier(signingKey)),
    // The extension is critical if the subject is empty (RFC 5280 §4.2.1.6).
    dnsNames.length + ipAddresses.length > 0 &&
      subjectAltName(dnsNames, ipAddresses, nameDer(options).length === 2),
    (options.permitted !== undefined || options.excluded !== undefined) &&
      nameConstraints(options.permitted ?? {}, options.excluded ?? {}),
    caIssuersUrls.length + ocspUrls.length > 0 && authorityInformationAccess(caIssuersUrls, ocspUrls),
    crlUrls.length > 0 && crlDistributionPoints(crlUrls),
    cpsUrls.length > 0 && certificatePolicies(cpsUrls),
    options.timestamps !== undefined && certificateTimestamps(options.timestamps.map(Number)),
    ...(options.extraExtensions ?? []),
  ];
  return list.filter((extension) => extension !== false);
}

function signatureAlgorithm(
  { privateKey }: KeyPair,
  hash: Hash,
  withNull: boolean,
): { digest: Hash | null; der: Buffer } {
  const type = privateKey.asymmetricKeyType;
  const signing = Object.values(SIGNING_ALGORITHMS).find(([name]) => name === type);
  if (signing !== undefined) return { digest: null, der: sequence(objectIdentifier(signing[1])) };
  const family = type === 'rsa' ? 'rsa' : 'ec';
  const oid = DIGEST_OIDS[family][hash];
  if (oid === null) throw new Error(`no signature algorithm for ${family} with ${hash}`);
  const parameters = family === 'rsa' && withNull ? [derNull()] : [];
  return { digest: hash, der: sequence(objectIdentifier(oid), ...parameters) };
}

function publicKeyInfo(key: KeyPair): Buffer {
  return key.publicKey.export({ type: 'spki', format: 'der' });
}

export function keyIdentifier(key: KeyPair): Buffer {
  return createHash('sha1').update(publicKeyInfo(key)).digest();
}

export function randomSerial(): bigint {
  return BigInt(`0x4${randomBytes(15).toString('hex')}`);
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
