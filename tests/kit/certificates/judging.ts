import { judge } from '../../../server/core/judge/judge.ts';
import type {
  AddressObservation,
  FailedObservation,
  HandshakeObservation,
  Observation,
} from '../../../server/core/observation.ts';
import { describeVerdict } from '../../../server/core/report/describe-finding.ts';
import type { Verdict } from '../../../server/core/verdict.ts';
import { createTrustStore } from '../../../server/pki/trust-store.ts';
import { type CertificateOptions, mintAuthority, type MintedCertificate } from './mint.ts';
import { HANDSHAKES_ONLY, MODERN_TLS } from '../product/observation.ts';

export const DAY = 86_400_000;
export const NOW = Date.UTC(2026, 10, 20, 14, 30);
export const HOST = 'pay.fjord.example';
export const ENDPOINT = { host: HOST, port: 443, protocol: 'https' } as const;
export const longValidity = { notBefore: NOW - 1000 * DAY, notAfter: NOW + 3000 * DAY };
export const currentOptions = {
  dnsNames: [HOST],
  notBefore: NOW - 30 * DAY,
  notAfter: NOW + 60 * DAY,
  timestamps: [NOW - 30 * DAY],
};

export const root = mintAuthority({ commonName: 'Fjord Root', ...longValidity });
export const trustStore = createTrustStore([root.der]);
export const intermediate = root.intermediate({ commonName: 'Fjord CA 1', ...longValidity });

/** Issues a certificate for `HOST`, valid by default. */
export const issue = (options: CertificateOptions = {}) =>
  intermediate.issue({ ...currentOptions, ...options });
/** Returns the certificates that a correctly configured server sends. */
export const withChain = (leaf: MintedCertificate) => [leaf, ...leaf.chain];

export function handshakeWith(
  presented: readonly { der: Uint8Array }[],
  changes: Partial<HandshakeObservation> = {},
): HandshakeObservation {
  return {
    ...MODERN_TLS,
    address: '192.0.2.1',
    family: 4,
    presentedChain: presented.map(({ der }) => new Uint8Array(der)),
    durationMs: 12,
    ...changes,
  };
}

export function failedAddress(changes: Partial<FailedObservation> = {}): FailedObservation {
  return {
    address: '192.0.2.9',
    family: 4,
    outcome: 'failed',
    stage: 'connect',
    reason: 'timeout',
    tlsAlert: null,
    detail: null,
    durationMs: 5_000,
    ...changes,
  };
}

export function observation(
  addresses: AddressObservation[],
  changes: Partial<Observation> = {},
): Observation {
  return {
    ...HANDSHAKES_ONLY,
    endpoint: ENDPOINT,
    observedAt: NOW,
    durationMs: 40,
    resolution: { ok: true, addresses: addresses.map(({ address }) => address) },
    addresses,
    ...changes,
  };
}

/** Returns the verdict on a server that sends this leaf with its chain, if clients trust `root`. */
export const judged = (
  leaf: MintedCertificate,
  changes?: Partial<Observation>,
  previous?: Verdict | null,
  now?: number,
): Verdict => judgedAddresses([handshakeWith(withChain(leaf))], changes, previous, now);

/** Returns the verdict on a host with these observed addresses, if clients trust `root`. */
export const judgedAddresses = (
  addresses: readonly AddressObservation[],
  changes: Partial<Observation> = {},
  previous: Verdict | null = null,
  now = NOW,
): Verdict => judge(observation([...addresses], changes), now, trustStore, previous);

/** Returns the verdict on `ENDPOINT` with findings and failure in words. */
export const inWords = (verdict: Verdict) => describeVerdict(verdict, ENDPOINT);

/**
 * Returns the strings in which a lower-case word follows a space. Sentences have such a word; codes, numbers, dates and
 * fingerprints do not.
 */
export function sentencesIn(value: unknown): string[] {
  if (typeof value === 'string') return / [a-z]/.test(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(sentencesIn) : [];
}
