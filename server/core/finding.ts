import type { PathFailureCode, PublicKey } from '../pki/index.ts';
import type { ReachFailure, ReachStage, RevocationProblem } from './observation.ts';

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

/** Something that a check found, as codes and values only: `core/report` puts it into words when somebody reads it. */
export interface Finding {
  code: FindingCode;
  severity: Severity;
  facts: FindingFacts;
  /** The addresses that show it. */
  addresses: string[];
  /** The certificate it is about. */
  fingerprint: string | null;
  /** Set if only clients that accept no other kind of signature see it. */
  keyType: KeyType | null;
  /** `chain`: the fix is to serve the certificates of `Verdict.chainToServe`. */
  attachment: 'chain' | null;
}

/** A finding about a chain, before it is known which addresses show it. */
export interface ChainFinding extends Pick<Finding, 'code' | 'severity' | 'fingerprint' | 'facts'> {
  /** Serving the right chain fixes it. */
  fixedByChain?: true;
}

/** Returns a key that is equal for findings that say the same; what only their evidence shows does not count. */
export function contentKey({ code, facts }: Pick<Finding, 'code' | 'facts'>): string {
  return JSON.stringify([code, { ...facts, evidence: undefined }]);
}

/**
 * What the sentence of a finding says. Names come out of certificates, cut to one line, and still have to be escaped.
 * `evidence` holds what only the list of evidence shows: findings that differ in nothing else are the same finding.
 * Instants are ms UTC.
 */
export type FindingFacts =
  | LeafFacts
  | ChainFacts
  | AddressFacts
  /** Of a verdict that an older version stored in words. */
  | { kind: 'stored_words'; words: FindingWords };

export type LeafFacts =
  | { kind: 'expired'; notAfter: number; evidence: { notBefore: number } }
  | { kind: 'not_yet_valid'; notBefore: number; evidence: { notAfter: number } }
  /** `names`: the first few of `total`. */
  | { kind: 'other_names'; names: string[]; total: number }
  | { kind: 'long_lifetime'; notBefore: number; days: number; mostDays: number }
  | { kind: 'unreadable_leaf' }
  | {
      /** Of the leaf, or of an intermediate that was sent or is part of the path. */
      kind: 'revoked';
      role: 'leaf' | 'intermediate';
      name: string;
      source: RevocationSource;
      /** When the source was read. */
      at: number;
      revokedAt: number | null;
      reason: string | null;
      /** Whether clients need the certificate, see `RevokedCertificate`. */
      served: boolean;
      /** No source says so now: an earlier check learned it. */
      wasSaidBefore: boolean;
      /** A source that calls the certificate good. */
      dissent: RevocationSource | null;
      evidence: { serialNumber: string };
    }
  | { kind: 'staple_missing' }
  | { kind: 'staple_invalid'; why: RevocationProblem }
  /** `hasBegun`: the window of the CA, at the time of the check. */
  | { kind: 'replacement_wanted'; window: RenewalWindow; hasBegun: boolean }
  | {
      kind: 'renewal_overdue';
      dueAt: number;
      notAfter: number;
      evidence: { serialNumber: string; window: RenewalWindow | null };
    };

export type ChainFacts =
  | PathFault
  | { kind: 'too_much_work' }
  | { kind: 'no_path' }
  | { kind: 'distrusted_root'; root: string; trustedUntil: number }
  /** No path holds without it. */
  | { kind: 'expired_authority'; name: string; notAfter: number }
  /** The server sends an expired intermediate, but a path holds with a certificate found elsewhere. */
  | {
      kind: 'outdated_intermediate';
      name: string;
      notAfter: number;
      evidence: { missing: string[]; sent: string[] };
    }
  | { kind: 'missing_intermediates'; missing: string[]; evidence: { sent: string[] } }
  /** Certificates that may complete the path are still being fetched. */
  | { kind: 'path_pending'; issuer: string; isIssuerSent: boolean; evidence: { certificate: string } }
  | { kind: 'unreadable_companion' }
  | { kind: 'unused_expired'; name: string; notAfter: number }
  /** `why`: for each name, why no client needs the certificate. */
  | { kind: 'extra_certificates'; names: string[]; evidence: { why: ('repeated' | 'root' | 'unrelated')[] } }
  | { kind: 'wrong_order'; evidence: { sent: string[] } }
  | { kind: 'chain_cut'; read: number };

export type AddressFacts =
  | {
      kind: 'addresses_differ';
      /** How many addresses showed a certificate, and how many different ones. */
      read: number;
      certificates: number;
      /** How the certificates elsewhere compare with the one that expires first. */
      others: 'its_renewals' | 'later' | 'as_long';
      notAfter: number;
      evidence: { name: string; serialNumber: string; notAfter: number; addresses: string[] }[];
    }
  /** The certificates in the order of their ends. */
  | { kind: 'shown_in_turn'; certificates: { fingerprint: string; notAfter: number }[] }
  | { kind: 'legacy_tls'; tlsVersion: string; evidence: { cipher: string } }
  | {
      kind: 'addresses_unreachable';
      reason: ReachFailure;
      total: number;
      evidence: { address: string; stage: ReachStage; durationMs: number }[];
    };

/** A reason for which no path holds. `authority`: the certificate at fault, null where that is the leaf. */
export type PathFault = { kind: 'path_fault'; evidence: { certificate: string; issuer: string } } &
  /** `canBeFetched`: the leaf says where its issuer is. */
  (
    | { fault: 'no_issuer'; issuer: string; canBeFetched: boolean }
    | { fault: 'untrusted_root'; root: string }
    | { fault: 'expired'; authority: string; notAfter: number }
    | { fault: 'self_signed' }
    | { fault: 'weak_key'; authority: string | null; key: Pick<PublicKey, 'type' | 'bits' | 'curve'> }
    | { fault: 'weak_signature'; authority: string | null; algorithm: string }
    | { fault: 'not_yet_valid'; authority: string | null; notBefore: number }
    | { fault: OtherPathFault; authority: string | null }
  );

/** Faults that need no values of their own. */
export type OtherPathFault = Exclude<
  PathFailureCode,
  'no_issuer' | 'untrusted_root' | 'expired' | 'self_signed' | 'weak_key' | 'weak_signature' | 'not_yet_valid'
>;

/** When a CA wants a certificate replaced (RFC 9773). */
export interface RenewalWindow {
  start: number;
  end: number;
  /** Why, where the CA says so. */
  explanationUrl: string | null;
}

/** A finding in words. They carry strings out of certificates: escape them like any other stranger's text. */
export interface FindingWords {
  /** One plain sentence. */
  message: string;
  /** One concrete thing to do, as a sentence or two. Only verdicts of older versions have none. */
  fix: string | null;
  /** A `curl` or `openssl` line that shows the same, safe to paste into a shell. */
  command: string | null;
  /** What the finding rests on. */
  evidence: { label: string; value: string }[];
}

export type KeyType = 'rsa' | 'ecdsa';

export type RevocationSource = 'crl' | 'ocsp' | 'staple';
