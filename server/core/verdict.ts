import type {
  CaaObservation,
  PostureObservation,
  ReachFailure,
  ReachStage,
  RegistrationObservation,
  RevocationProblem,
} from './observation.ts';

export type FindingCode =
  | 'expired'
  | 'not_yet_valid'
  | 'name_mismatch'
  | 'self_signed'
  | 'untrusted_root'
  | 'incomplete_chain'
  | 'intermediate_expired'
  | 'path_invalid'
  | 'weak_key'
  | 'weak_signature'
  | 'malformed_certificate'
  | 'legacy_tls'
  | 'certificates_differ'
  | 'address_unreachable'
  | 'unused_certificate_expired'
  | 'wrong_order'
  /** The server sends more certificates than were read. */
  | 'chain_cut'
  /** The root is trusted, but not for certificates of this age (constraints of browsers). */
  | 'distrusted_root'
  /** Longer than the Baseline Requirements allow a certificate of that day. */
  | 'lifetime_too_long'
  | 'revoked'
  | 'intermediate_revoked'
  /** The stapled OCSP answer does not verify or is out of date. */
  | 'staple_invalid'
  /** The certificate demands a staple (RFC 7633) and none came. */
  | 'staple_missing'
  /** Still served after its time to be renewed. */
  | 'renewal_overdue'
  /** The CA asks for a replacement before the usual time. */
  | 'replacement_wanted'
  /** Sent although nothing needs it: another certificate or the root. */
  | 'extra_certificate';

/** `critical`: clients refuse the endpoint; `warning`: some do or soon will; `note`: nobody needs to act. */
export type Severity = 'critical' | 'warning' | 'note';

export interface Finding {
  code: FindingCode;
  severity: Severity;
  /** One plain sentence. It carries strings out of certificates: escape it like any other stranger's text. */
  message: string;
  /** The addresses that show it. */
  addresses: string[];
  /** The certificate it is about. */
  fingerprint: string | null;
  /** One concrete thing to do, as a sentence or two; null where there is nothing to do. */
  fix: string | null;
  /** A `curl` or `openssl` line that shows the same, safe to paste into a shell; null where none would. */
  command: string | null;
  /** What the finding rests on, as label and value for people. */
  evidence: { label: string; value: string }[];
  /** `chain`: the fix is to serve the certificates of `Verdict.chainToServe`. */
  attachment: 'chain' | null;
}

/** A certificate whose expiry is worth a message. */
export interface ExpiringCertificate {
  fingerprint: string;
  notBefore: number;
  notAfter: number;
  role: 'leaf' | 'intermediate';
  /** Subject CN, else the first name it is for. */
  name: string;
  /** What its CA says about renewing it (RFC 9773), ms UTC; null where it says nothing. */
  renewalWindow: { start: number; end: number } | null;
}

/** A certificate that a trustworthy source called revoked; it stays so, whatever is said or not said later. */
export interface RevokedCertificate {
  fingerprint: string;
  /** Issuer name and serial number: what a revocation is about, also in a certificate encoded anew. */
  key: string;
  source: 'crl' | 'ocsp' | 'staple';
  /** When we learned it. */
  at: number;
  revokedAt: number | null;
  /** RFC 5280 §5.3.1, as `keyCompromise`. */
  reason: string | null;
  role: 'leaf' | 'intermediate';
  name: string;
  notBefore: number;
  notAfter: number;
  /** Whether the check that last read a certificate met it, and on a path that clients need. */
  served: boolean;
}

/** One leaf that was shown for some checks in a row. */
export interface Turn {
  certificate: ExpiringCertificate;
  /** Of the last of those checks. */
  at: number;
  /** How many checks. */
  checks: number;
}

/** What the last check that read a certificate knew; carried through the checks that read none. */
export interface LastSeen {
  at: number;
  leafFingerprint: string;
  /** What alerts are planned from: the leaf, and the certificate above it when that one expires earlier. */
  expiring: ExpiringCertificate[];
  findings: { code: FindingCode; fingerprint: string | null }[];
  revoked: RevokedCertificate[];
  /** The leaves of the last few checks, the current one last: tells servers that take turns from a replacement. */
  turns: Turn[];
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

/** One certificate of the path that was built, as people are shown it. */
export interface PathEntry {
  fingerprint: string;
  name: string;
  role: 'leaf' | 'intermediate' | 'anchor';
  notAfter: number;
  /** Where it came from: the server, our cache, its CA's address, or the trust store. */
  source: 'sent' | 'cache' | 'fetched' | 'trust_store';
}

export interface RevocationVerdict {
  /** `not_applicable`: it lives too short to be revoked, or says so (RFC 9608). */
  state: 'unknown' | 'good' | 'revoked' | 'unavailable' | 'not_applicable';
  source: null | 'crl' | 'ocsp' | 'staple';
  /** When the source was read, ms UTC. */
  at: number | null;
  reason: string | null;
  revokedAt: number | null;
  /** Every source that was asked about the leaf, for the panel. */
  sources: {
    source: 'crl' | 'ocsp' | 'staple';
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
  /** Why the CA wants it replaced, where it says so. */
  explanationUrl: string | null;
  /** From when on the renewal is overdue; null where another address already shows the renewed certificate. */
  overdueAt: number | null;
}

export interface PostureVerdict {
  at: number;
  tlsVersions: PostureObservation['tlsVersions'];
  postQuantum: PostureObservation['postQuantum'];
  caa: CaaObservation;
  registration: RegistrationObservation;
  /** Leaves that only a handshake for one kind of signature showed. */
  alternates: { keyType: 'rsa' | 'ecdsa'; address: string; certificate: ExpiringCertificate }[];
  /** What is wrong with those; they stand among the findings of the verdict until the next look. */
  findings: Finding[];
}

/** What is concluded from an observation at a given time. Plain JSON data. */
export interface Verdict {
  judgedAt: number;
  observedAt: number;
  /** At least one address answered with a certificate that could be read. */
  reached: boolean;
  /** When not reached: the most telling reason. */
  failure: { stage: ReachStage; reason: ReachFailure; message: string } | null;
  addresses: AddressVerdict[];
  /** The leaf that expires first among the answering addresses. */
  leafFingerprint: string | null;
  /** The weakest link: what ends first on the way from the leaf to the trust anchor, the anchor not counted. */
  limiting: ExpiringCertificate | null;
  /** Every finding, worst first. */
  findings: Finding[];
  /** Reached, and a client would accept what every answering address shows. */
  trusted: boolean;
  /** From the shown leaf to the anchor; empty where none holds. */
  path: PathEntry[];
  /** Fingerprints of what the server should send, the leaf first and without the root; null where no path is known. */
  chainToServe: string[] | null;
  /** Of the shown leaf. */
  revocation: RevocationVerdict;
  /** null where no certificate was read. */
  renewal: RenewalVerdict | null;
  /** Of the last look at it, which may be a day old; null before the first. */
  posture: PostureVerdict | null;
  /** Tells a change of the trust store from a change of the site. */
  trustStoreHash: string;
  lastSeen: LastSeen | null;
}
