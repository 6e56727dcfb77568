import type {
  CertificateOptions,
  MintedAuthority,
  MintedCertificate,
} from '../../scripts/local-peers/mint.ts';
import type { TlsPeerOptions } from '../../scripts/local-peers/tls-server.ts';

/** The name under which clients reach a scenario that names no other. */
export const HOST = 'odd.example';

/** The only roots of the tests that the clients trust. */
export interface Roots {
  ecdsa: MintedAuthority;
  rsa: MintedAuthority;
}

/** A server with one oddity. */
export interface Scenario {
  /** What is odd about it. */
  name: string;
  /** Default: `HOST`. */
  host?: string;
  /** Returns the certificates that the server sends, leaf first. */
  mint: (roots: Roots) => readonly MintedCertificate[];
  tls?: Pick<TlsPeerOptions, 'minVersion' | 'maxVersion' | 'ciphers' | 'staple'>;
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
