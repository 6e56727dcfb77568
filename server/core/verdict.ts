import type { Finding, FindingCode, KeyType, RevocationSource } from './finding.ts';
import type {
  CaaObservation,
  PostureObservation,
  ReachFailure,
  ReachStage,
  RegistrationObservation,
  RevocationProblem,
} from './observation.ts';

/** Why no certificate was read. */
export interface Failure {
  stage: ReachStage;
  reason: ReachFailure;
  detail: FailureDetail | null;
}

export type FailureDetail =
  | { kind: 'tls_alert'; alert: number }
  /** An address did show a certificate, but it cannot be parsed. */
  | { kind: 'unreadable_certificate' }
  /** Of a verdict that an older version stored in words. */
  | { kind: 'stored_words'; message: string };

/** A certificate whose expiry alerts announce. */
export interface ExpiringCertificate {
  fingerprint: string;
  notBefore: number;
  notAfter: number;
  role: 'leaf' | 'intermediate';
  /** Subject CN, else the first dNSName, else the subject's O, else the first 16 characters of the fingerprint. */
  name: string;
  /** The renewal window of its CA (RFC 9773), ms UTC; null if there is none. */
  renewalWindow: { start: number; end: number } | null;
}

/** A certificate that a verified source called revoked. It stays revoked, whatever later answers say. */
export interface RevokedCertificate {
  fingerprint: string;
  /** Issuer name and serial number, which identify a certificate even if it is encoded differently. */
  key: string;
  source: RevocationSource;
  /** When a check learned it, ms UTC. */
  at: number;
  revokedAt: number | null;
  /** RFC 5280 §5.3.1, as `keyCompromise`. */
  reason: string | null;
  role: 'leaf' | 'intermediate';
  name: string;
  notBefore: number;
  notAfter: number;
  /** Whether the last check that read a certificate found it on a path that clients need. */
  served: boolean;
}

/** One leaf that consecutive checks saw. */
export interface ServedPeriod {
  certificate: ExpiringCertificate;
  /** Time of the last of those checks, ms UTC. */
  at: number;
  /** How many checks. */
  checks: number;
}

/** What the last check that read a certificate knew. Checks that read none keep it. */
export interface LastSeen {
  at: number;
  leafFingerprint: string;
  /** The certificates to alert about: the leaves, and the intermediate that expires before them. */
  expiring: ExpiringCertificate[];
  findings: { code: FindingCode; fingerprint: string | null }[];
  revoked: RevokedCertificate[];
  /** The leaves of the last few checks, the current one last. They tell rotating servers from a replacement. */
  turns: ServedPeriod[];
}

export interface AddressVerdict {
  address: string;
  family: 4 | 6;
  /** Of the leaf; null when none was read. */
  fingerprint: string | null;
  notAfter: number | null;
  tlsVersion: string | null;
  /** The key exchange group by its usual name. */
  group: string | null;
  /** Connect and handshake. */
  durationMs: number;
  failure: { stage: ReachStage; reason: ReachFailure } | null;
}

/** One certificate of the path that was built, for display. */
export interface PathEntry {
  fingerprint: string;
  name: string;
  role: 'leaf' | 'intermediate' | 'anchor';
  notAfter: number;
  /** Where it came from: the server, our cache, its CA's address, or the trust store. */
  source: 'sent' | 'cache' | 'fetched' | 'trust_store';
}

export interface RevocationVerdict {
  /** `not_applicable`: too short-lived to be revoked, or marked so (RFC 9608). */
  state: 'unknown' | 'good' | 'revoked' | 'unavailable' | 'not_applicable';
  source: RevocationSource | null;
  /** When the source was read, ms UTC. */
  at: number | null;
  reason: string | null;
  revokedAt: number | null;
  /** Every source that was asked about the leaf. */
  sources: {
    source: RevocationSource;
    url: string | null;
    at: number;
    state: 'good' | 'revoked' | 'none';
    why: RevocationProblem | null;
    thisUpdate: number | null;
    nextUpdate: number | null;
  }[];
}

/** When the certificate that is shown should be renewed; instants in ms UTC. */
export interface RenewalVerdict {
  from: number;
  to: number;
  source: 'ari' | 'lifetime';
  /** Why the CA wants it replaced; null if it does not say. */
  explanationUrl: string | null;
  /** Since when the renewal is overdue; null if another address already shows the renewed certificate. */
  overdueAt: number | null;
}

export interface PostureVerdict {
  at: number;
  tlsVersions: PostureObservation['tlsVersions'];
  postQuantum: PostureObservation['postQuantum'];
  caa: CaaObservation;
  registration: RegistrationObservation;
  /** Leaves that only a handshake for one kind of signature showed. */
  alternates: { keyType: KeyType; address: string; certificate: ExpiringCertificate }[];
  /** Findings about the alternates. `Verdict.findings` includes them until the next posture check. */
  findings: Finding[];
}

/** What `judge` concludes from an observation at a given time. Plain JSON data, stored as codes and values. */
export interface Verdict {
  judgedAt: number;
  observedAt: number;
  /** At least one address answered with a certificate that could be read. */
  reached: boolean;
  /** The most telling reason; null if reached. */
  failure: Failure | null;
  addresses: AddressVerdict[];
  /** The leaf that expires first among the answering addresses. */
  leafFingerprint: string | null;
  /** The certificate that expires first on the path, the anchor left out. */
  limiting: ExpiringCertificate | null;
  /** Every finding, worst first. */
  findings: Finding[];
  /** Reached, and a client would accept what every answering address shows. */
  trusted: boolean;
  /** From the shown leaf to the anchor; empty if no path holds. */
  path: PathEntry[];
  /** Fingerprints of what the server should send, the leaf first and without the root; null if no path is known. */
  chainToServe: string[] | null;
  /** The path ends at a private authority. */
  hasOwnRoot: boolean;
  /** Of the shown leaf. */
  revocation: RevocationVerdict;
  /** null if no certificate was read. */
  renewal: RenewalVerdict | null;
  /** Of the last posture check, which may be a day old; null before the first. */
  posture: PostureVerdict | null;
  /** Tells a change of the trust store from a change of the site. */
  trustStoreHash: string;
  lastSeen: LastSeen | null;
}
