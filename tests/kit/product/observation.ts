import type {
  AlternateChain,
  HandshakeObservation,
  Observation,
  PostureObservation,
} from '../../../server/core/observation.ts';
import type { RevocationVerdict } from '../../../server/core/verdict.ts';

/** The parts of an observation that are empty in tests which only need handshakes. */
export const HANDSHAKES_ONLY: Pick<
  Observation,
  'http' | 'authorities' | 'revocation' | 'renewal' | 'posture'
> = { http: null, authorities: [], revocation: [], renewal: [], posture: null };

/** The fields that most handshakes have in common today. */
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

/** Returns a posture that found nothing, with these changes. */
export function postureAt(at: number, changes: Partial<PostureObservation> = {}): PostureObservation {
  return {
    at,
    tlsVersions: [],
    postQuantum: { state: 'unknown', group: null },
    alternates: [],
    untestedKeyTypes: [],
    caa: { outcome: 'none' },
    registration: { outcome: 'not_applicable' },
    ...changes,
  };
}

/** Returns a chain that a server at 192.0.2.1 sends to some clients only. */
export function alternateChain(
  keyType: AlternateChain['keyType'],
  presentedChain: readonly Uint8Array[],
  more: Partial<AlternateChain> = {},
): AlternateChain {
  const { tlsVersion, cipher, staple, alpn } = MODERN_TLS;
  const chain = presentedChain.map((der) => new Uint8Array(der));
  return { keyType, address: '192.0.2.1', presentedChain: chain, tlsVersion, cipher, staple, alpn, ...more };
}

/** No source was queried. */
export const UNASKED: RevocationVerdict = {
  state: 'unknown',
  source: null,
  at: null,
  reason: null,
  revokedAt: null,
  sources: [],
};
