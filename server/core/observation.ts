/** Why a look at an endpoint, or at one of its addresses, ended without a certificate. */
export type ReachFailure =
  | 'name_not_found'
  | 'no_addresses'
  | 'dns_failed'
  | 'dns_timeout'
  | 'dns_refused'
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
  | 'other';

export type ReachStage = 'dns' | 'policy' | 'connect' | 'handshake';

export interface HandshakeObservation {
  address: string;
  family: 4 | 6;
  outcome: 'handshake';
  /** DER as sent, leaf first, at most 10. */
  presentedChain: Uint8Array[];
  tlsVersion: string;
  cipher: string;
  group: string | null;
  /** The server needed a protocol version or key size that clients refuse today. */
  legacyTls: boolean;
  durationMs: number;
}

export interface FailedObservation {
  address: string;
  family: 4 | 6;
  outcome: 'failed';
  stage: 'policy' | 'connect' | 'handshake';
  reason: ReachFailure;
  /** The number of the TLS alert that the peer sent (RFC 8446 §6). */
  tlsAlert: number | null;
  detail: string | null;
  durationMs: number;
}

export type AddressObservation = HandshakeObservation | FailedObservation;

export type Resolution =
  | { ok: true; addresses: string[] }
  | { ok: false; stage: 'dns' | 'policy'; reason: ReachFailure; detail: string | null };

/** Evidence as seen by one check. Plain data; conclusions are drawn by `judge`, at any later time too. */
export interface Observation {
  endpoint: { host: string; port: number };
  observedAt: number;
  durationMs: number;
  resolution: Resolution;
  /** One per resolved address, in the order of the resolution. */
  addresses: AddressObservation[];
}
