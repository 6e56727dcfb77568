import { nothing, objectIdentifier, printableString, sequence, set } from '../kit/certificates/der-writer.ts';
import {
  type CertificateOptions,
  type MintedAuthority,
  type MintedCertificate,
  mintAuthority,
} from '../kit/certificates/mint.ts';
import { pssKey, pssParameters } from '../kit/certificates/pss.ts';
import type { Peer, TlsPeerOptions } from '../kit/peers/tls-server.ts';

/** The name under which clients reach a scenario that names no other. */
export const HOST = 'odd.example';

/** The only roots of the tests that the clients trust. */
export interface Roots {
  ecdsa: MintedAuthority;
  rsa: MintedAuthority;
  /** Roots with one oddity, by its description. */
  odd: ReadonlyMap<string, MintedAuthority>;
  /** Port of `startIssuerServer`. */
  issuerPort: number;
}

/** Mints the roots. `issuerPort`: that of `startIssuerServer`; needed by scenarios whose intermediates clients have to fetch. */
export function mintRoots(issuerPort = 0): Roots {
  const odd = Object.entries(ODD_ROOTS).map(
    ([name, options]) => [name, mintAuthority({ commonName: `Root: ${name}`, ...options })] as const,
  );
  return {
    ecdsa: mintAuthority({ commonName: 'ECDSA Root' }),
    rsa: mintAuthority({ commonName: 'RSA Root', key: 'RSA-2048' }),
    odd: new Map(odd),
    issuerPort,
  };
}

const UNKNOWN = { oid: '1.3.6.1.4.1.99999.1', value: nothing() };
const oddName = (text: string) => sequence(set(sequence(objectIdentifier('2.5.4.3'), printableString(text))));
const YEAR_MS = 365 * 86_400_000;

const ODD_ROOTS: Readonly<Record<string, CertificateOptions>> = {
  'RSA-1024': { key: 'RSA-1024' },
  'RSA-2047': { key: 'RSA-2047' },
  'P-521': { key: 'P-521' },
  'signed with SHA-1': { hash: 'sha1' },
  'with a corrupt signature': { corruptSignature: true },
  'for anyExtendedKeyUsage': { extendedKeyUsage: ['any'] },
  'for clientAuth': { extendedKeyUsage: ['clientAuth'] },
  'for serverAuth': { extendedKeyUsage: ['serverAuth'] },
  'with path length 300': { pathLength: 300 },
  'with path length 0': { pathLength: 0 },
  'without basicConstraints': { basicConstraints: null },
  'that is no CA': { certificateAuthority: false },
  'without keyUsage': { keyUsage: null },
  'that may not sign certificates': { keyUsage: ['digitalSignature'] },
  'that has expired': { notBefore: Date.now() - 2 * YEAR_MS, notAfter: Date.now() - YEAR_MS },
  'that permits another name': { permitted: { dns: ['other.example'] } },
  'with an explicit FALSE': { extraExtensions: [{ ...UNKNOWN, critical: false }] },
  'with an unknown critical extension': { extraExtensions: [{ ...UNKNOWN, critical: true }] },
  'of version 1': { editFields: (fields) => fields.slice(1, -1) },
  'with serial number 0': { serialNumber: 0n },
  'with a PrintableString with @': { subjectDer: oddName('a@b') },
  'with proxyCertInfo': {
    extraExtensions: [
      { oid: '1.3.6.1.5.5.7.1.14', value: sequence(sequence(objectIdentifier('1.3.6.1.5.5.7.21.1'))) },
    ],
  },
  'with an RSA-PSS key': { ...pssKey(null), pss: {} },
  'with an RSA-PSS key for salts of 20 bytes': { ...pssKey(pssParameters({ saltBytes: 20 })), pss: {} },
  'without key identifiers': { keyIdentifiers: null },
};

/** A server with one oddity. */
export interface Scenario {
  /** What is odd about it. */
  name: string;
  /** Default: `HOST`. */
  host?: string;
  /** Returns the certificates that the server sends, leaf first. */
  mint?: (roots: Roots) => readonly MintedCertificate[];
  /** Starts the server, if it is another one than a TLS server with these certificates. Exactly one of the two is set. */
  start?: (roots: Roots) => Promise<Peer>;
  /** Whether only the daily posture check shows the oddity. */
  needsPosture?: true;
  tls?: Pick<
    TlsPeerOptions,
    | 'minVersion'
    | 'maxVersion'
    | 'ciphers'
    | 'staple'
    | 'ecdhCurve'
    | 'sigalgs'
    | 'ALPNProtocols'
    | 'http2'
    | 'requestCert'
    | 'dhparam'
  >;
  /** Returns the OCSP response that the server staples. */
  staple?: (leaf: MintedCertificate, issuer: MintedCertificate) => Buffer;
}

/** Returns a scenario whose leaf is odd; an intermediate signs it and is sent. */
export function leafScenario(name: string, odd: CertificateOptions, more: Partial<Scenario> = {}): Scenario {
  const { host = HOST } = more;
  return {
    name,
    mint: ({ ecdsa }) => withChain(ecdsa.intermediate().issue({ dnsNames: [host], ...odd })),
    ...more,
  };
}

/** Returns a scenario whose intermediate is odd. */
export function intermediateScenario(
  name: string,
  odd: CertificateOptions,
  leaf: CertificateOptions = {},
): Scenario {
  return {
    name,
    mint: ({ ecdsa }) => withChain(ecdsa.intermediate(odd).issue({ dnsNames: [HOST], ...leaf })),
  };
}

/** Returns what a correct server sends. */
export const withChain = (leaf: MintedCertificate): MintedCertificate[] => [leaf, ...leaf.chain];
