import {
  type CertificateOptions,
  mintAuthority,
  type MintedAuthority,
  type MintedCertificate,
} from '../kit/certificates/mint.ts';
import type { Peer, TlsPeerOptions } from '../kit/peers/tls-server.ts';
import { mintOddRoots } from './anchors.ts';

/** Host name of a scenario that sets no `host`. */
export const HOST = 'odd.example';

/** The only roots of the tests that the clients trust. */
export interface Roots {
  ecdsa: MintedAuthority;
  rsa: MintedAuthority;
  /** Roots with one oddity each, by the description of the oddity. */
  odd: ReadonlyMap<string, MintedAuthority>;
  /** Port of the server that `startIssuerServer` has started. */
  issuerPort: number;
}

/** Mints the roots. `issuerPort` is the port of `startIssuerServer`, for scenarios whose intermediates clients have to fetch. */
export function mintRoots(issuerPort = 0): Roots {
  return {
    ecdsa: mintAuthority({ commonName: 'ECDSA Root' }),
    rsa: mintAuthority({ commonName: 'RSA Root', key: 'RSA-2048' }),
    odd: mintOddRoots(),
    issuerPort,
  };
}

/** A server with one oddity. */
export interface Scenario {
  /** What is odd about the server. */
  name: string;
  /** Host name of the server. Default: `HOST`. */
  host?: string;
  /** Returns the certificates that the server sends, leaf first. */
  mint?: (roots: Roots) => readonly MintedCertificate[];
  /** Starts the server, if it is more than a TLS server that sends certificates. Scenarios without `start` have `mint`. */
  start?: (roots: Roots) => Promise<Peer>;
  /** Set if only the daily posture check can find the fault. */
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

/** Returns a scenario with an odd leaf. An ordinary intermediate signs it and is sent. */
export function leafScenario(name: string, odd: CertificateOptions, more: Partial<Scenario> = {}): Scenario {
  const { host = HOST } = more;
  return {
    name,
    mint: ({ ecdsa }) => withChain(ecdsa.intermediate().issue({ dnsNames: [host], ...odd })),
    ...more,
  };
}

/** Returns a scenario with an odd intermediate. */
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

/** Returns the certificates that a correctly configured server sends. */
export const withChain = (leaf: MintedCertificate): MintedCertificate[] => [leaf, ...leaf.chain];
