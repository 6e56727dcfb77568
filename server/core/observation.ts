import type { RevocationAnswer, RevocationRefusal } from '../pki/index.ts';
import type { Protocol } from './protocol.ts';

/** Why a look at an endpoint, or at one of its addresses, ended without a certificate. */
export type ReachFailure =
  | 'name_not_found'
  | 'no_addresses'
  | 'dns_failed'
  | 'dns_timeout'
  | 'dns_refused'
  /** Our own name servers answer nobody: says nothing about the endpoint. */
  | 'resolver_silent'
  | 'address_refused'
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'unroutable'
  /** Our side has no IPv6: says nothing about the endpoint. */
  | 'no_route_here'
  | 'not_tls'
  | 'tls_alert'
  | 'protocol_version'
  | 'no_certificate'
  | 'too_large'
  | 'closed'
  /** What answered before the handshake does not speak the protocol of the endpoint. */
  | 'wrong_protocol'
  /** It does, but will not change over to TLS. */
  | 'starttls_refused'
  /** Plain bytes came after it had agreed to change over: somebody may be putting them there. */
  | 'starttls_injection'
  /** Our own examination took too long and was ended: says nothing about the endpoint. */
  | 'not_examined'
  | 'other';

/** `starttls`: the talk in plain text before the handshake. `examination`: our own work on what was seen. */
export type ReachStage = 'dns' | 'policy' | 'connect' | 'starttls' | 'handshake' | 'examination';

export interface HandshakeObservation {
  address: string;
  family: 4 | 6;
  outcome: 'handshake';
  /** DER as sent, leaf first, at most 32. */
  presentedChain: Uint8Array[];
  /** The server sent more certificates than were read. */
  chainCut?: true;
  tlsVersion: string;
  cipher: string;
  group: string | null;
  /** The server needed a protocol version or key size that clients refuse today. */
  legacyTls: boolean;
  /** DER of the OCSPResponse that came with the handshake (RFC 6066 §8). */
  staple: Uint8Array | null;
  durationMs: number;
}

export interface FailedObservation {
  address: string;
  family: 4 | 6;
  outcome: 'failed';
  stage: 'policy' | 'connect' | 'starttls' | 'handshake';
  reason: ReachFailure;
  /** The number of the TLS alert that the peer sent (RFC 8446 §6). */
  tlsAlert: number | null;
  detail: string | null;
  durationMs: number;
}

export type AddressObservation = HandshakeObservation | FailedObservation;

export type Resolution =
  | { ok: true; addresses: string[] }
  | { ok: false; stage: 'dns' | 'policy' | 'examination'; reason: ReachFailure; detail: string | null };

/** The one request to `/`, over the connection of the first address that shook hands. */
export type HttpObservation =
  | { outcome: 'answered'; address: string; method: 'HEAD' | 'GET'; status: number; durationMs: number }
  | {
      outcome: 'failed';
      address: string;
      reason: 'timeout' | 'closed' | 'not_http' | 'too_large';
      durationMs: number;
    };

/** A certificate that the server did not send and that may complete its chain. */
export interface FetchedAuthority {
  der: Uint8Array;
  /** `cache`: remembered from elsewhere; `fetched`: from `url`, an AIA caIssuers address of the chain. */
  source: 'cache' | 'fetched';
  url: string | null;
}

/** Why a source of revocation says nothing that counts. Closed and stable. */
export type RevocationProblem =
  | RevocationRefusal
  /** Still being fetched when the check had to end; the next one knows more. */
  | 'pending'
  | 'unreachable';

/** What one source said of one certificate, verified before it counts. Instants in ms UTC. */
export interface RevocationEvidence {
  /** The certificate asked about: the leaf, or an intermediate of its path. */
  fingerprint: string;
  source: 'crl' | 'ocsp' | 'staple';
  /** null for a staple. */
  url: string | null;
  /** When it was fetched or received. */
  at: number;
  answer: RevocationAnswer | { state: 'none'; why: RevocationProblem };
}

/** What the CA says about renewing a certificate (RFC 9773). Instants in ms UTC. */
export type RenewalEvidence = { fingerprint: string; at: number } & (
  | { outcome: 'window'; start: number; end: number; explanationUrl: string | null }
  /** The CA has no such service, or does not know the certificate. */
  | { outcome: 'unsupported' }
  | { outcome: 'unavailable' }
);

export const TLS_VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
export type TlsVersion = (typeof TLS_VERSIONS)[number];

/** Facts that are looked at once a day and alarm nobody by themselves. */
export interface PostureObservation {
  at: number;
  /** By the first address that shook hands; null where the question got no answer. */
  tlsVersions: { version: TlsVersion; offered: boolean | null }[];
  /** `intolerant`: silent or broken when the hello has an ML-KEM key share, well without. */
  postQuantum: { state: 'negotiated' | 'not_offered' | 'intolerant' | 'unknown'; group: string | null };
  /** Handshakes that asked for one kind of signature alone: leaves that the usual handshake may never show. */
  alternates: { keyType: 'rsa' | 'ecdsa'; address: string; presentedChain: Uint8Array[] }[];
  caa: CaaObservation;
  registration: RegistrationObservation;
}

/** RFC 8659: the records of the closest name that has any. */
export type CaaObservation =
  | { outcome: 'records'; domain: string; records: { critical: boolean; tag: string; value: string }[] }
  | { outcome: 'none' }
  /** An IP address: CAs look nothing up for one. */
  | { outcome: 'not_applicable' }
  | { outcome: 'unavailable' };

/** When the registration of the domain ends, by RDAP (RFC 9083 §4.5). */
export type RegistrationObservation =
  | { outcome: 'expires'; domain: string; expiresAt: number; registrar: string | null }
  /** The registry answered and publishes no date. */
  | { outcome: 'no_date'; domain: string }
  | { outcome: 'not_found'; domain: string }
  /** The registry has no RDAP service, or it did not answer. */
  | { outcome: 'unavailable'; domain: string }
  /** An address or a local name: nobody registered it. */
  | { outcome: 'not_applicable' };

/** Evidence as seen by one check. Plain data; conclusions are drawn by `judge`, at any later time too. */
export interface Observation {
  endpoint: { host: string; port: number; protocol: Protocol };
  observedAt: number;
  durationMs: number;
  resolution: Resolution;
  /** One per resolved address, in the order of the resolution. */
  addresses: AddressObservation[];
  /** null for other protocols than https, and where no address shook hands. */
  http: HttpObservation | null;
  authorities: FetchedAuthority[];
  /** A chain does not hold with them, and where more may be found nobody has looked to the end yet. */
  authoritiesPending?: true;
  /** Every source that was asked about a certificate of a path that holds. */
  revocation: RevocationEvidence[];
  /** One per distinct leaf whose CA is known to publish windows. */
  renewal: RenewalEvidence[];
  /** null when this check did not look. */
  posture: PostureObservation | null;
}

/** What a look saw whose examination had to be ended: nothing, and that is our own doing. */
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
