import type { NoStatusReason, RevocationStatus } from '../pki/revocation/revocation-status.ts';
import { boolean, type Infer, list, nullable, number, object, text, union } from './shape.ts';
import type { CheckedEndpoint } from './target.ts';
import type { DomainServer } from './srv.ts';
import type { Client, KeyType } from '../../contract/check-words.ts';

/** Reason why a probe of an endpoint, or of one of its addresses, got no certificate. */
export type ReachFailure =
  | 'name_not_found'
  | 'no_addresses'
  /** The endpoint is checked with one address family only, and its name has no address of that family. */
  | 'no_ipv4_addresses'
  | 'no_ipv6_addresses'
  | 'dns_failed'
  | 'dns_timeout'
  | 'dns_refused'
  /** Our own name servers do not answer, which says nothing about the endpoint. */
  | 'resolver_silent'
  /** The domain's SRV records say that it does not have this service (RFC 2782). */
  | 'service_declined'
  | 'address_refused'
  | 'refused'
  | 'reset'
  | 'timeout'
  /** The connection is open, but the server's greeting is not complete within the limit of its protocol. */
  | 'greeting_timeout'
  /** We ended the check while a slow server was still answering before TLS, which says nothing about the endpoint. */
  | 'slow_answers'
  | 'unroutable'
  /** This machine has no IPv6 or no IPv4, which says nothing about the endpoint. */
  | 'no_route_here'
  | 'not_tls'
  | 'tls_alert'
  | 'protocol_version'
  | 'no_certificate'
  /** OpenSSL cannot decode the certificate, so that we do not get its bytes. */
  | 'unreadable_certificate'
  | 'too_large'
  | 'closed'
  /** The server's answer before the handshake is not in the endpoint's protocol. */
  | 'wrong_protocol'
  /** The port of a protocol with STARTTLS speaks TLS at once. */
  | 'expects_tls'
  /** The server speaks the protocol and does not offer TLS in it. */
  | 'no_starttls'
  /** The server speaks the protocol and refused this connection or the start of TLS; see `Refusal`. */
  | 'server_refused'
  /** The server blocks our address because it counted too many connection errors (MySQL error 1129). */
  | 'client_blocked'
  /** Only in verdicts of older versions: `no_starttls` or `server_refused`. */
  | 'starttls_refused'
  /** The server sent plain text after it agreed to STARTTLS: an attacker may have injected it. */
  | 'starttls_injection'
  /** Our own examination took too long and was aborted, which says nothing about the endpoint. */
  | 'not_examined'
  | 'other';

/** `starttls`: the plain-text dialogue before the handshake. `examination`: our own work on the evidence. */
export type ReachStage = 'dns' | 'policy' | 'connect' | 'starttls' | 'handshake' | 'examination';

export interface HandshakeObservation {
  address: string;
  family: 4 | 6;
  /** The server of the domain that the address belongs to, if an SRV record named it. */
  server?: DomainServer;
  outcome: 'handshake';
  /** Certificates in DER as the server sent them, leaf first, at most 256. */
  presentedChain: Uint8Array[];
  /** Set if the server sent more certificates than were read. */
  chainCut?: true;
  tlsVersion: string;
  cipher: string;
  group: string | null;
  /** Protocol agreed by ALPN, such as `h2` or `http/1.1`; null if there was no agreement. */
  alpn: string | null;
  /** The reply code with which the server agreed to start TLS, if it is not the one of the standard. */
  startTlsCode?: number;
  /** Whether the handshake needed TLS settings that clients refuse today, for example TLS 1.1 or small keys. */
  legacyTls: boolean;
  /** Set if a web server answered only when we offered signatures that browsers do not offer. */
  rareSignature?: true;
  /** DER of the OCSPResponse that came with the handshake (RFC 6066 §8). */
  staple: Uint8Array | null;
  durationMs: number;
}

/**
 * What a server answered instead of starting TLS. `code` and `text` are null if the answer has none, or if they are withheld: a stranger
 * could otherwise read banners through our checks.
 */
export interface Refusal {
  /** Code in terms of the protocol: a reply code, a word such as BYE, an error number, an SQLSTATE or an XMPP condition. */
  code: string | null;
  /** Text beside the code: at most 200 printable ASCII characters, other bytes escaped as `\xNN`. */
  text: string | null;
  /** Whether the answer asks to try again later, such as 421 in SMTP. */
  isTemporary: boolean;
}

/** At the stages `dns` and `policy`, `address` may be the name of a server that an SRV record names. */
export interface FailedObservation {
  address: string;
  family: 4 | 6;
  server?: DomainServer;
  outcome: 'failed';
  stage: 'dns' | 'policy' | 'connect' | 'starttls' | 'handshake';
  reason: ReachFailure;
  /** The number of the TLS alert that the peer sent (RFC 8446 §6). */
  tlsAlert: number | null;
  detail: string | null;
  /** Set if the server answered with a refusal before the handshake. */
  refusal?: Refusal;
  /** The scheme that fits the port, if the port starts with TLS and the protocol in plain text, or the reverse: `smtps`, `smtp`. */
  scheme?: string;
  durationMs: number;
}

export type AddressObservation = HandshakeObservation | FailedObservation;

export type Resolution =
  /** `leftOut`: the number of addresses that the policy refuses, if there are any. The observation does not contain these addresses. */
  | { ok: true; addresses: string[]; leftOut?: number }
  | { ok: false; stage: 'dns' | 'policy' | 'examination'; reason: ReachFailure; detail: string | null };

/** Result of the HTTP request to `/` at the address whose handshake succeeded first. */
export type HttpObservation = (
  | { outcome: 'answered'; address: string; method: 'HEAD' | 'GET'; status: number; durationMs: number }
  | {
      outcome: 'failed';
      address: string;
      /** `not_http2`: the handshake agreed on HTTP/2, and the answer breaks it. `not_http`: any other answer that is not HTTP. */
      reason: 'timeout' | 'closed' | 'not_http' | 'not_http2' | 'too_large';
      durationMs: number;
    }
) & {
  /** What is wrong with the server's HTTP/2; absent if nothing is, or if the server answered neither by HTTP/2 nor by HTTP/1.1. */
  http2Faults?: readonly Http2Fault[];
};

/** Ways in which a server that agreed on HTTP/2 breaks it (RFC 9113). Each client tolerates some of them. */
export type Http2Fault =
  /** The server sends nothing, or ends the connection or the stream. */
  | 'no_answer'
  /** The first bytes are not a frame, but for example an answer by HTTP/1.1. */
  | 'garbage'
  | 'malformed_settings'
  /** A frame or answer is malformed, or on another stream. */
  | 'malformed_frame'
  /** A frame that is larger than we allow (RFC 9113 §4.2). */
  | 'large_frame'
  /** A well-formed frame that is forbidden: a body before its headers, or a window update of 0 for the connection. */
  | 'forbidden_frame'
  /** Status 101, which HTTP/2 does not have (RFC 9113 §8.6). */
  | 'switched_protocols'
  /** The server demands HTTP/1.1 for the request (HTTP_1_1_REQUIRED, RFC 9113 §7). */
  | 'http1_required'
  /** The first frame is not SETTINGS, and no answer follows. Firefox then asks by HTTP/1.1. */
  | 'no_settings'
  /** The first frame is not SETTINGS, and an answer follows. */
  | 'late_settings'
  | 'invalid_window'
  | 'invalid_frame_size'
  | 'second_status'
  /** A pseudo-header field of requests, or one that does not exist, in the answer (RFC 9113 §8.3). */
  | 'request_field'
  | 'unknown_pseudo_field'
  | 'transfer_encoding'
  /** Several fields Content-Length with different values. */
  | 'several_lengths'
  | 'invalid_length'
  /** Fields of HTTP/1.1, such as Connection, that only programs with nghttp2 refuse (RFC 9113 §8.2.2). */
  | 'connection_field'
  /** Settings that only programs with nghttp2 refuse, such as curl. */
  | 'odd_settings';

/** A certificate that the server did not send and that may complete its chain. */
export interface FoundIntermediate {
  der: Uint8Array;
  /**
   * Origin of the certificate: `cache` is an earlier fetch or another endpoint; `fetched` is `url`, an AIA caIssuers address
   * of the chain.
   */
  source: 'cache' | 'fetched';
  url: string | null;
}

/** Reason why a revocation source has no valid answer. The list of codes is closed, and codes never change. */
export type RevocationProblem =
  | NoStatusReason
  /** The answer was still being fetched when the check had to end; the next check may have it. */
  | 'pending'
  | 'unreachable';

/** The answer of one revocation source about one certificate, after verification. Instants in ms UTC. */
export interface RevocationEvidence {
  /** The certificate in question: the leaf, or an intermediate of its path. */
  fingerprint: string;
  source: 'crl' | 'ocsp' | 'staple';
  /** URL of the source; null for a staple. */
  url: string | null;
  /** When the answer was fetched or received. */
  at: number;
  answer: RevocationStatus | { state: 'none'; why: RevocationProblem };
}

/** The CA's renewal information for a certificate (RFC 9773). Instants in ms UTC. */
export type RenewalEvidence = { fingerprint: string; at: number } & (
  | { outcome: 'window'; start: number; end: number; explanationUrl: string | null }
  /** The CA has no such service, or does not know the certificate. */
  | { outcome: 'unsupported' }
  | { outcome: 'unavailable' }
);

export const TLS_VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
export type TlsVersion = (typeof TLS_VERSIONS)[number];

/**
 * Parts of the posture that need handshakes of their own, in the order in which they are tested: first the certificates for other key
 * types, because only they can cause alerts, then the part that servers rarely refuse.
 */
export const POSTURE_PARTS = ['certificates', 'client_hellos', 'key_exchange', 'tls_versions'] as const;
export type PosturePart = (typeof POSTURE_PARTS)[number];

/**
 * Parts of a browser's ClientHello that our usual one lacks, and that some servers or middleboxes do not accept. `size`: more bytes than
 * fit into one packet. `whole`: the server refuses the ClientHello, but accepts each of its parts alone.
 */
export const HELLO_PARTS = [
  'size',
  'ml_kem',
  'ml_dsa',
  'grease_ciphers',
  'grease_extensions',
  'grease_groups',
  'grease_versions',
  'grease_signatures',
  'ech',
  'compression',
  'alps',
  'trust_anchors',
  'timestamps',
  'delegated_credentials',
  'record_size_limit',
  'whole',
] as const;
export type HelloPart = (typeof HELLO_PARTS)[number];

/** How a server reacts to a ClientHello that it does not accept. `silent`: no answer in time. `not_tls`: an answer that is not TLS. */
export type HelloReaction = 'silent' | 'reset' | 'closed' | 'alert' | 'not_tls';

/** What an https server that completes our usual handshake answers to the ClientHellos of other clients. */
export interface HelloObservation {
  address: string;
  /** `clients`: the clients that cannot connect, because their ClientHello has this part. */
  intolerances: { part: HelloPart; reaction: HelloReaction; clients: readonly Client[] }[];
  /** Alerts with the level of a warning in answer to a ClientHello, by their numbers (RFC 8446 §6). */
  warningAlerts: number[];
  /** Whether the server sent an empty handshake record before its answer was complete. */
  hasEmptyRecord: boolean;
  /** Whether the server sent an empty ChangeCipherSpec before its answer was complete. */
  hasEmptyChange: boolean;
}

/** A chain from a handshake that offered other signatures or ciphers than the usual one. */
export interface AlternateChain extends Pick<
  HandshakeObservation,
  'address' | 'presentedChain' | 'tlsVersion' | 'cipher' | 'staple' | 'alpn'
> {
  keyType: KeyType;
  /** The clients that get it; absent if this is not known. */
  clients?: readonly Client[];
}

/** The clients that get the leaf of the usual handshake, including those that we have not tested. */
export interface UsualLeaf {
  keyType: KeyType;
  clients: readonly Client[];
}

/** Facts that are probed once a day. Only the certificates of `alternates` can cause alerts. */
export interface PostureObservation {
  at: number;
  /** TLS versions at the first address whose handshake succeeded; `offered` is null if the probe got no answer. */
  tlsVersions: { version: TlsVersion; offered: boolean | null }[];
  /**
   * Support for post-quantum key exchange. `intolerant`: the handshake fails with an ML-KEM key share and succeeds without
   * it.
   */
  postQuantum: { state: 'negotiated' | 'not_offered' | 'intolerant' | 'unknown'; group: string | null };
  /** Chains with other leaves than the usual handshake showed. */
  alternates: AlternateChain[];
  /** The key type of the usual leaf and the clients that get it; absent if the server has one leaf, or if this is not known. */
  usual?: UsualLeaf;
  /** Chain that clients without ALPN get. Set for https only, and only if its leaf differs from that of the usual handshake each time. */
  withoutAlpn?: { address: string; presentedChain: Uint8Array[] };
  /**
   * Key types of which we could not learn whether the server has a certificate: the handshake failed, or our OpenSSL does not know
   * them.
   */
  untestedKeyTypes: KeyType[];
  /** Set for https only; absent if it was not tested. */
  hellos?: HelloObservation;
  /** Parts of which some tests were postponed to a later probe; absent if there are none. */
  postponed?: PosturePart[];
  /**
   * When the limit of failed handshakes at the address allows more, ms UTC; absent if it is not reached. See `createFailureLimit`.
   */
  resumesAt?: number;
  caa: CaaObservation;
  registration: RegistrationObservation;
}

export const caa = union('outcome', {
  records: { domain: text, records: list(object({ critical: boolean, tag: text, value: text })) },
  none: {},
  /** Earlier versions stored this for records that node:dns cannot read. */
  unreadable: { domain: text },
  /** The host is an IP address, for which CAs look up no CAA records. */
  not_applicable: {},
  unavailable: {},
});
/** The CAA records (RFC 8659) of the closest name that has any. */
export type CaaObservation = Infer<typeof caa>;

export const registration = union('outcome', {
  expires: { domain: text, expiresAt: number, registrar: nullable(text) },
  /** The registry answered but publishes no date. */
  no_date: { domain: text },
  not_found: { domain: text },
  /** The registry has no RDAP service, or it did not answer. */
  unavailable: { domain: text },
  /** The host is an IP address or a local name, which has no registration. */
  not_applicable: {},
});
/** The end of the domain registration according to RDAP (RFC 9083 §4.5). */
export type RegistrationObservation = Infer<typeof registration>;

/** The evidence of one check, as plain data. `judge` evaluates it, right away or at any later time. */
export interface Observation {
  endpoint: CheckedEndpoint;
  observedAt: number;
  durationMs: number;
  resolution: Resolution;
  /**
   * One observation per resolved address, in the order of the resolution, then a failed one for each server in the SRV records whose
   * name gave no permitted address. Servers may share an address, so it may occur several times.
   */
  addresses: AddressObservation[];
  /**
   * Result of the HTTP request. Null for protocols other than https, if no handshake succeeded, if we aborted the request,
   * and if the server demands a client certificate.
   */
  http: HttpObservation | null;
  authorities: FoundIntermediate[];
  /** Set if a chain is still incomplete with `authorities` and the search for missing certificates has not finished. */
  authoritiesPending?: true;
  /** Answers of revocation sources about the certificates of valid paths: those that were queried, and staples. */
  revocation: RevocationEvidence[];
  /** Renewal information of each distinct leaf whose CA is known to publish windows. */
  renewal: RenewalEvidence[];
  /** Result of the posture probe; null if this check had none. */
  posture: PostureObservation | null;
}

/** Returns an empty observation for a check whose examination was aborted, with a failure on our side. */
export function unexaminedObservation(endpoint: Observation['endpoint'], observedAt: number): Observation {
  return {
    endpoint,
    observedAt,
    durationMs: 0,
    resolution: { ok: false, stage: 'examination', reason: 'not_examined', detail: null },
    addresses: [],
    http: null,
    authorities: [],
    revocation: [],
    renewal: [],
    posture: null,
  };
}
