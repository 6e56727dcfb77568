import type { HandshakeObservation, Observation, RevocationVerdict } from '../../server/core/index.ts';

/** The part of an observation that stays empty where only handshakes matter. */
export const HANDSHAKES_ONLY: Pick<
  Observation,
  'http' | 'authorities' | 'revocation' | 'renewal' | 'posture'
> = { http: null, authorities: [], revocation: [], renewal: [], posture: null };

/** What today's handshakes mostly have in common. */
export const MODERN_TLS: Pick<
  HandshakeObservation,
  'outcome' | 'tlsVersion' | 'cipher' | 'group' | 'legacyTls' | 'staple'
> = {
  outcome: 'handshake',
  tlsVersion: 'TLSv1.3',
  cipher: 'TLS_AES_128_GCM_SHA256',
  group: 'X25519',
  legacyTls: false,
  staple: null,
};

/** Nobody has been asked. */
export const UNASKED: RevocationVerdict = {
  state: 'unknown',
  source: null,
  at: null,
  reason: null,
  revokedAt: null,
  sources: [],
};
