import type { PathFailureCode, PublicKey } from '../pki/index.ts';
import type { Client, KeyType } from '../../contract/check-words.ts';
import type {
  HelloPart,
  HelloReaction,
  Http2Fault,
  ReachFailure,
  ReachStage,
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
  /** We cannot verify a key or a signature of the chain, so we cannot tell whether it is genuine. */
  | 'unverifiable'
  | 'malformed_certificate'
  | 'legacy_tls'
  | 'certificates_differ'
  /** Clients that send no ALPN get another certificate, probably of another service. */
  | 'other_certificate_without_alpn'
  | 'address_unreachable'
  /** The name also has addresses that the policy refuses. They were not contacted. */
  | 'address_left_out'
  | 'unused_certificate_expired'
  | 'wrong_order'
  /** The server sends more certificates than were read. */
  | 'chain_cut'
  /** The root is trusted, but Chrome refuses certificates that it issued after a certain date. */
  | 'distrusted_root'
  /** The lifetime exceeds what the Baseline Requirements allow for a certificate issued on that day. */
  | 'lifetime_too_long'
  | 'revoked'
  | 'intermediate_revoked'
  /**
   * The stapled OCSP answer cannot be used: it does not verify, is out of date or is about another certificate, for
   * example.
   */
  | 'staple_invalid'
  /** The certificate demands a stapled OCSP answer (RFC 7633), and the server sent none. */
  | 'staple_missing'
  /** The server still sends the certificate although its renewal is overdue. */
  | 'renewal_overdue'
  /** The CA asks for a replacement, either far before the usual time or with an explanation. */
  | 'replacement_wanted'
  /** The server sends a certificate that no client needs: the root, one outside the path, or the same one again. */
  | 'extra_certificate'
  /** Some clients refuse what others accept. */
  | 'refused_by_clients'
  /** An FTP server agreed to AUTH TLS with another reply code than that of the standard. */
  | 'start_tls_code'
  /** The handshake agreed on HTTP/2, but the server breaks RFC 9113. */
  | 'http2_fault';

/**
 * `critical`: all clients, a browser over https, or everything on OpenSSL refuses the endpoint; `warning`: only other clients
 * refuse it, or clients may refuse it soon; `note`: nobody needs to act.
 */
export type Severity = 'critical' | 'warning' | 'note';

/** A finding of a check, as codes and values only. `core/report` puts it into words when somebody reads it. */
export interface Finding {
  code: FindingCode;
  severity: Severity;
  facts: FindingFacts;
  /** The addresses that show the finding. */
  addresses: string[];
  /** Fingerprint of the certificate that the finding is about; null if it is about none. */
  fingerprint: string | null;
  /** Key type of the leaf, if the usual handshake shows another leaf; else null. */
  keyType: KeyType | null;
  /** The clients that get this leaf; absent if `keyType` is null, or if these clients are not known. */
  shownTo?: readonly Client[];
  /** `chain` if the fix is to serve the certificates of `Verdict.chainToServe`; else null. */
  attachment: 'chain' | null;
  /** The clients that refuse the endpoint because of it; absent if `clientsRefusing` knows them from its code. */
  clients?: readonly Client[];
}

/** A finding about a chain, before it is known which addresses show it. */
export interface ChainFinding extends Pick<
  Finding,
  'code' | 'severity' | 'fingerprint' | 'facts' | 'clients'
> {
  /** Set if serving the correct chain fixes the finding. */
  fixedByChain?: true;
}

/** Returns a key that is equal for findings with the same code and the same facts, ignoring their evidence. */
export function contentKey({ code, facts }: Pick<Finding, 'code' | 'facts'>): string {
  return JSON.stringify([code, { ...facts, evidence: undefined }]);
}

/**
 * The values in the words of a finding, instants in ms UTC. Names come from certificates, cut to one line: escape them.
 * `evidence` has the values that only the evidence list shows; findings that differ only there count as the same.
 */
export type FindingFacts =
  | LeafFacts
  | ChainFacts
  | AddressFacts
  /** Words of a finding that an older version stored as text. */
  | { kind: 'stored_words'; words: FindingWords };

export type LeafFacts =
  | { kind: 'expired'; notAfter: number; evidence: { notBefore: number } }
  | ({ kind: 'not_yet_valid'; notBefore: number; evidence: { notAfter: number } } & Soon)
  /** `names`: the first names of the certificate; `total`: how many it has. */
  /** `expected`: name that the certificate must be valid for, if the target names another one than the host. */
  | { kind: 'other_names'; names: string[]; total: number; expected?: string }
  | { kind: 'long_lifetime'; notBefore: number; days: number; mostDays: number }
  /** `evidence`: what can still be read; null if nothing, absent in findings of older versions. */
  | { kind: 'unreadable_leaf'; evidence?: UnverifiedLeaf | null }
  /**
   * `authority`: name of the CA certificate at fault; null if the leaf or the server is at fault. `evidence`: only for rules about a
   * ClientHello: the parts that the server does not accept, and how it reacts to them.
   */
  | {
      kind: 'refused_by_clients';
      rule: ClientRuleCode;
      authority: string | null;
      evidence?: { reaction: HelloReaction; parts: HelloPart[] };
    }
  | {
      /** Revocation of the leaf, or of an intermediate that was sent or is part of the path. */
      kind: 'revoked';
      role: 'leaf' | 'intermediate';
      name: string;
      source: RevocationSource;
      /** When the source was read, ms UTC. */
      at: number;
      revokedAt: number | null;
      reason: string | null;
      /** Whether clients need the certificate, see `RevokedCertificate`. */
      served: boolean;
      /** Whether only an earlier check saw the revocation, and no source reports it now. */
      wasSaidBefore: boolean;
      /** A source that reports the certificate as good; null if none does. */
      dissent: RevocationSource | null;
      evidence: { serialNumber: string };
    }
  | { kind: 'staple_missing' }
  | { kind: 'staple_invalid'; why: RevocationProblem }
  /** `hasBegun`: whether the CA's window had begun at the time of the check. */
  | { kind: 'replacement_wanted'; window: RenewalWindow; hasBegun: boolean }
  | {
      kind: 'renewal_overdue';
      dueAt: number;
      notAfter: number;
      evidence: { serialNumber: string; window: RenewalWindow | null };
    };

interface Soon {
  /** Minutes until the certificate is valid, rounded up; absent if more than five. */
  minutes?: number;
}

/** Values of a certificate that cannot be read as a whole: nothing of them is verified. Instants in ms UTC. */
export interface UnverifiedLeaf {
  subject: string | null;
  issuer: string | null;
  notBefore: number | null;
  notAfter: number | null;
  /** The first names. */
  names: string[];
}

export type ChainFacts =
  | PathFault
  | { kind: 'too_much_work' }
  | { kind: 'no_path' }
  | { kind: 'distrusted_root'; root: string; trustedUntil: number }
  /** No path is valid, and the search rejected this CA certificate because it has expired. */
  | { kind: 'expired_authority'; name: string; notAfter: number }
  /** The server sends an expired intermediate, but a path is valid with a certificate from another source. */
  | {
      kind: 'outdated_intermediate';
      name: string;
      notAfter: number;
      /** Whether the path ends in a root of no public program, so that Firefox has not seen the intermediates elsewhere. */
      isPrivate?: boolean;
      /** Whether such a path has a missing intermediate for which the certificate below it names no URL. */
      isUnfetchable?: boolean;
      evidence: { missing: string[]; sent: string[] };
    }
  | {
      kind: 'missing_intermediates';
      missing: string[];
      isPrivate?: boolean;
      isUnfetchable?: boolean;
      evidence: { sent: string[] };
    }
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
      /** Number of addresses that showed a certificate. */
      read: number;
      /** Number of different certificates that they showed. */
      certificates: number;
      /** How the certificates at other addresses compare with the one that expires first. */
      others: 'its_renewals' | 'later' | 'as_long';
      notAfter: number;
      evidence: { name: string; serialNumber: string; notAfter: number; addresses: string[] }[];
    }
  /** The certificates that servers behind one address show in rotation, the first to expire first. */
  | { kind: 'shown_in_turn'; certificates: { fingerprint: string; notAfter: number }[] }
  /** The certificate for clients that send no ALPN: its name, its first names and how many it has. */
  | {
      kind: 'other_without_alpn';
      name: string;
      names: string[];
      total: number;
      notAfter: number;
      evidence: { serialNumber: string };
    }
  | { kind: 'legacy_tls'; tlsVersion: string; evidence: { cipher: string } }
  | {
      kind: 'addresses_unreachable';
      reason: ReachFailure;
      total: number;
      evidence: { address: string; stage: ReachStage; durationMs: number }[];
    }
  | { kind: 'addresses_left_out'; count: number }
  /** `isAnswered`: the request got an answer nevertheless. */
  | { kind: 'http2_fault'; fault: Http2Fault; isAnswered?: boolean }
  /** `code`: the reply to AUTH TLS. */
  | { kind: 'start_tls_code'; code: number };

/** A reason why no path is valid. `authority`: name of the CA certificate at fault; null if the leaf is at fault. */
export type PathFault = { kind: 'path_fault'; evidence: { certificate: string; issuer: string } } &
  /** `canBeFetched`: the issuer of the leaf is missing, and the leaf has a URL from which it can be fetched. */
  (
    | { fault: 'no_issuer'; issuer: string; canBeFetched: boolean }
    | { fault: 'untrusted_root'; root: string }
    | { fault: 'expired'; authority: string; notAfter: number }
    | { fault: 'self_signed' }
    | { fault: 'weak_key'; authority: string | null; key: Pick<PublicKey, 'type' | 'bits' | 'curve'> }
    | { fault: 'weak_signature'; authority: string | null; algorithm: string }
    /** `algorithm`: its name, or its OID if it has none that we know. `identifier`: its OID. */
    | {
        fault: 'unknown_key' | 'unknown_signature';
        authority: string | null;
        algorithm: string;
        identifier: string;
      }
    | ({ fault: 'not_yet_valid'; authority: string | null; notBefore: number } & Soon)
    | { fault: OtherPathFault; authority: string | null }
  );

/** Path faults that have no values of their own. */
export type OtherPathFault = Exclude<
  PathFailureCode,
  | 'no_issuer'
  | 'untrusted_root'
  | 'expired'
  | 'self_signed'
  | 'weak_key'
  | 'weak_signature'
  | 'unknown_key'
  | 'unknown_signature'
  | 'not_yet_valid'
>;

/** The period in which a CA wants a certificate renewed (RFC 9773), ms UTC. */
export interface RenewalWindow {
  start: number;
  end: number;
  /** URL of an explanation; null if the CA gives none. */
  explanationUrl: string | null;
}

/** A finding in words, which contain untrusted strings from certificates: escape them. */
export interface FindingWords {
  /** One plain sentence. */
  message: string;
  /** One concrete thing to do, in one or two sentences; null only in verdicts of older versions. */
  fix: string | null;
  /** A shell command that reproduces the finding, safe to paste; null if there is none. */
  command: string | null;
  /** The values that prove the finding, with labels. */
  evidence: { label: string; value: string }[];
}

/** Reason why some clients refuse a certificate that others accept. The codes are stored, so they never change. */
export type ClientRuleCode =
  | 'no_digital_signature'
  | 'no_key_encipherment'
  | 'rsa_key_exchange'
  | 'p521_key'
  | 'ed25519_key'
  | 'ed448_key'
  | 'ml_dsa_key'
  | 'slh_dsa_key'
  | 'rsa_pss_key'
  | 'pss_key_parameters'
  | 'pss_salt'
  | 'pss_mask'
  | 'pss_encoding'
  | 'long_exponent'
  | 'no_key_null'
  | 'compressed_key'
  | 'weak_root_key'
  | 'rare_group'
  | 'rare_signature'
  | 'first_issuer'
  | 'several_roots'
  | 'root_order'
  | 'partial_chain'
  | 'anchor_policy'
  | 'long_path'
  | 'long_unordered_path'
  | 'large_chain'
  | 'large_certificate'
  | 'many_constraints'
  | 'forged_root'
  | 'excluded_directory_name'
  | 'email_constraint'
  | 'written_minimum'
  | 'critical_policy_constraints'
  | 'long_policy_count'
  | 'other_tls_feature'
  | 'rare_alternative_name'
  | 'hyphen_at_end'
  | 'public_suffix_wildcard'
  | 'http2_cipher'
  | 'malformed_key_identifier'
  | 'malformed_crl_points'
  | 'malformed_issuer_addresses'
  | 'malformed_issuer_alt_name'
  | 'malformed_netscape_type'
  | 'malformed_tls_feature'
  | 'malformed_timestamps'
  | 'malformed_companion'
  | 'any_purpose_only'
  | 'other_key_identifier'
  | 'other_issuer_serial'
  | 'critical_key_identifier'
  | 'critical_crl_points'
  | 'ocsp_signing_purpose'
  | 'authority_as_leaf'
  | 'explicit_default'
  | 'unknown_policy_qualifier'
  | 'netscape_type'
  | 'proxy_certificate'
  | 'long_path_length'
  | 'negative_serial_number'
  | 'odd_printable_string'
  | 'ampersand_in_name'
  | 'odd_ia5_string'
  | 'rare_name_type'
  | 'name_spelled_differently'
  | 'name_encoded_differently'
  | 'empty_subject'
  | 'empty_issuer_name'
  | 'empty_dns_name'
  | 'trailing_dot'
  | 'underscore'
  | 'malformed_other_name'
  | 'authority_tls_feature'
  | 'critical_policy_mappings'
  | 'self_issued_path_length'
  | 'unsupported_constraint'
  | 'empty_constraint'
  | 'early_date'
  | 'numeric_string'
  | 'odd_numeric_string'
  | 'odd_uri'
  | 'no_timestamps'
  | 'private_lifetime'
  | 'private_purpose'
  /** The server does not accept a part of a client's ClientHello. */
  | `hello_${Exclude<HelloPart, `grease_${string}`>}`
  | 'hello_grease'
  | 'hello_extensions'
  | 'warning_alert'
  | 'empty_record';

export type RevocationSource = 'crl' | 'ocsp' | 'staple';
