import type { ReachFailure, ReachStage } from './observation.ts';

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
  | 'wrong_order';

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
}

/** A certificate whose expiry is worth a message. */
export interface ExpiringCertificate {
  fingerprint: string;
  notBefore: number;
  notAfter: number;
  role: 'leaf' | 'intermediate';
  /** Subject CN, else the first name it is for. */
  name: string;
}

/** What the last check that read a certificate knew; carried through the checks that read none. */
export interface LastSeen {
  at: number;
  leafFingerprint: string;
  /** What alerts are planned from: the leaf, and the certificate above it when that one expires earlier. */
  expiring: ExpiringCertificate[];
  findings: { code: FindingCode; fingerprint: string | null }[];
}

export interface AddressVerdict {
  address: string;
  family: 4 | 6;
  /** Of the leaf; null when none was read. */
  fingerprint: string | null;
  notAfter: number | null;
  tlsVersion: string | null;
  failure: { stage: ReachStage; reason: ReachFailure } | null;
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
  revocation: {
    state: 'unknown' | 'good' | 'revoked' | 'unavailable';
    source: null | 'crl' | 'ocsp' | 'staple';
    at: number | null;
  };
  /** Tells a change of the trust store from a change of the site. */
  trustStoreHash: string;
  lastSeen: LastSeen | null;
}
