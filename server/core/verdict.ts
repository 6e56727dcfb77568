import type { Client, KeyType } from '../../contract/check-words.ts';
import type { Finding, FindingCode, RevocationSource } from './finding.ts';
import type { DomainServer } from './srv.ts';
import type {
  CaaObservation,
  PostureObservation,
  PosturePart,
  ReachFailure,
  ReachStage,
  Refusal,
  RegistrationObservation,
  RevocationProblem,
  UsualLeaf,
} from './observation.ts';

/** The reason why no certificate was read. */
export interface Failure {
  stage: ReachStage;
  reason: ReachFailure;
  detail: FailureDetail | null;
}

export type FailureDetail =
  | { kind: 'tls_alert'; alert: number }
  /**
   * The server refused us before the handshake. `code` as in `Refusal`. `refusedSince`: when the first of consecutive checks
   * met a temporary refusal, ms UTC; null if the refusal is not temporary.
   */
  | { kind: 'refusal'; code: string | null; refusedSince: number | null }
  /** The port must be checked by another scheme, for example `smtps`. */
  | { kind: 'other_scheme'; scheme: string }
  /** An address showed a certificate, but it cannot be parsed. */
  | { kind: 'unreadable_certificate' }
  /** Message of a verdict that an older version stored as text. */
  | { kind: 'stored_words'; message: string };

/** A certificate for which expiry alerts are sent. */
export interface ExpiringCertificate {
  fingerprint: string;
  notBefore: number;
  notAfter: number;
  role: 'leaf' | 'intermediate';
  /**
   * Display name: subject CN, else the first dNSName, else the subject's O, else the first 16 characters of the fingerprint.
   */
  name: string;
  /** The renewal window of its CA (RFC 9773), ms UTC; null for intermediates, and if the CA gives none. */
  renewalWindow: { start: number; end: number } | null;
}

/** A certificate that a verified source reported as revoked. It stays revoked even if later answers differ. */
export interface RevokedCertificate {
  fingerprint: string;
  /** Issuer name and serial number, which identify a certificate even if it is encoded differently. */
  key: string;
  source: RevocationSource;
  /** When the answer that first reported the revocation was fetched or received, ms UTC. */
  at: number;
  revokedAt: number | null;
  /** Reason code (RFC 5280 §5.3.1), for example `keyCompromise`; null if none was given. */
  reason: string | null;
  role: 'leaf' | 'intermediate';
  name: string;
  notBefore: number;
  notAfter: number;
  /** Whether it was the leaf, or an intermediate that clients need, at the last check that read a certificate. */
  served: boolean;
}

/** A leaf that consecutive checks saw. */
export interface ServedPeriod {
  certificate: ExpiringCertificate;
  /** Time of the last check that saw the leaf, ms UTC. */
  at: number;
  /** Number of consecutive checks that saw the leaf. */
  checks: number;
}

/** The results of the last check that read a certificate. Checks that read none leave them unchanged. */
export interface LastSeen {
  at: number;
  leafFingerprint: string;
  /**
   * The certificates with expiry alerts: the leaves of all addresses, those in rotation and those of the posture check, and
   * an intermediate if one expires before the leaves of the addresses.
   */
  expiring: ExpiringCertificate[];
  findings: { code: FindingCode; fingerprint: string | null }[];
  revoked: RevokedCertificate[];
  /** The leaves that the last few checks saw, the current one last. They distinguish rotating servers from a replacement. */
  turns: ServedPeriod[];
}

export interface AddressVerdict {
  address: string;
  family: 4 | 6;
  /** The server of the domain that the address belongs to, if an SRV record named it. */
  server?: DomainServer;
  /** Fingerprint of the leaf; null if none was read. */
  fingerprint: string | null;
  notAfter: number | null;
  tlsVersion: string | null;
  /** Usual name of the key exchange group; null if unknown. */
  group: string | null;
  /** Protocol agreed by ALPN, such as `h2` or `http/1.1`; null if there was no agreement, or if unknown. */
  alpn: string | null;
  /** Duration of the connection attempts, with STARTTLS and handshake. */
  durationMs: number;
  /** `reply`: what the server answered, if it refused us. Only the report shows it. */
  failure: { stage: ReachStage; reason: ReachFailure; reply?: Reply } | null;
}

/** The answer of a server that refused us, as in `Refusal`. */
export type Reply = Pick<Refusal, 'code' | 'text'>;

/** One certificate of the path that was built, for display. */
export interface PathEntry {
  fingerprint: string;
  name: string;
  role: 'leaf' | 'intermediate' | 'anchor';
  notAfter: number;
  /** Origin of the certificate: the server, our cache, the address of its CA, or the trust store. */
  source: 'sent' | 'cache' | 'fetched' | 'trust_store';
}

export interface RevocationVerdict {
  /**
   * Revocation state. `not_applicable`: the certificate is too short-lived to be revoked, or says that no revocation
   * information exists (RFC 9608).
   */
  state: 'unknown' | 'good' | 'revoked' | 'unavailable' | 'not_applicable';
  source: RevocationSource | null;
  /** When the source was read, ms UTC. */
  at: number | null;
  reason: string | null;
  revokedAt: number | null;
  /** The answers of all sources about the certificate, including missing ones. */
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

/** The period in which the shown certificate should be renewed; instants in ms UTC. */
export interface RenewalVerdict {
  from: number;
  to: number;
  source: 'ari' | 'lifetime';
  /** URL of the CA's reason for a replacement; null if it gives none. */
  explanationUrl: string | null;
  /** Time from which the renewal is overdue; null if another address already shows the renewed certificate. */
  overdueAt: number | null;
}

/** `seenAt`: when the registry last answered with this end, ms UTC; absent in verdicts of older versions. */
export type RegistrationVerdict = RegistrationObservation & { seenAt?: number };

export interface PostureVerdict {
  at: number;
  tlsVersions: PostureObservation['tlsVersions'];
  postQuantum: PostureObservation['postQuantum'];
  caa: CaaObservation;
  registration: RegistrationVerdict;
  /** Leaves that the usual handshake does not show. `clients`: the clients that get the leaf; absent if they are not known. */
  alternates: {
    keyType: KeyType;
    address: string;
    certificate: ExpiringCertificate;
    clients?: readonly Client[];
  }[];
  /** As in `PostureObservation`. */
  usual?: UsualLeaf;
  /** Key types of which we could not learn whether the server has a certificate. */
  untestedKeyTypes: KeyType[];
  /**
   * The parts with results of earlier checks, and the time of these results, ms UTC; null if a part was never tested wholly. Absent
   * if every part was tested at `at`.
   */
  earlier?: { part: PosturePart; at: number | null }[];
  /** When the limit of failed handshakes allows more, as in `PostureObservation`. */
  resumesAt?: number;
  /** Findings about the alternates. `Verdict.findings` includes them until the next posture check. */
  findings: Finding[];
}

/** The conclusions of `judge` from an observation at a given time. Plain JSON, with codes and values instead of words. */
export interface Verdict {
  judgedAt: number;
  observedAt: number;
  /** Whether at least one address showed a certificate that could be read. */
  reached: boolean;
  /** The most telling failure; null if the host was reached. */
  failure: Failure | null;
  addresses: AddressVerdict[];
  /** Fingerprint of the leaf that expires first among the answering addresses; null if none was read. */
  leafFingerprint: string | null;
  /**
   * The certificate that limits the validity over all addresses: the one below the anchors that expires first, or an
   * expired intermediate that makes clients refuse a chain. Null if none was read.
   */
  limiting: ExpiringCertificate | null;
  /** Every finding, worst first. */
  findings: Finding[];
  /** Whether the host was reached and, as far as we could verify, clients accept what every answering address shows. */
  trusted: boolean;
  /** The certificates from the shown leaf to the anchor; empty if no path is valid. */
  path: PathEntry[];
  /**
   * Fingerprints of the certificates that the server should send, the leaf first and without the root; null if no path is
   * known.
   */
  chainToServe: string[] | null;
  /** Whether the path ends at a private authority. */
  hasOwnRoot: boolean;
  /** Revocation of the shown leaf. */
  revocation: RevocationVerdict;
  /** Renewal of the shown leaf; null if no check has read a certificate. */
  renewal: RenewalVerdict | null;
  /** Result of the last posture check, which may be a day old; null before the first one. */
  posture: PostureVerdict | null;
  /** Hash of the trust store, which distinguishes a change of the trust store from a change of the site. */
  trustStoreHash: string;
  lastSeen: LastSeen | null;
}
