import type { HandshakeObservation, Observation, RevocationVerdict } from '../../../server/core/index.ts';

/** The parts of an observation that stay empty in tests of handshakes. */
export const HANDSHAKES_ONLY: Pick<
  Observation,
  'http' | 'authorities' | 'revocation' | 'renewal' | 'posture'
> = { http: null, authorities: [], revocation: [], renewal: [], posture: null };

/** What most current handshakes have in common. */
export const MODERN_TLS: Pick<
  HandshakeObservation,
  'outcome' | 'tlsVersion' | 'cipher' | 'group' | 'alpn' | 'legacyTls' | 'staple'
> = {
  outcome: 'handshake',
  tlsVersion: 'TLSv1.3',
  cipher: 'TLS_AES_128_GCM_SHA256',
  group: 'X25519',
  alpn: 'h2',
  legacyTls: false,
  staple: null,
};

/** No source was queried. */
export const UNASKED: RevocationVerdict = {
  state: 'unknown',
  source: null,
  at: null,
  reason: null,
  revokedAt: null,
  sources: [],
};
