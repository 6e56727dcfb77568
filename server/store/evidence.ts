import { createHash } from 'node:crypto';
import type { Observation } from '../core/index.ts';

/** An observation in the form in which checks keep it. */
export interface Evidence {
  /** Plain data with fingerprints in the place of DER, which is kept once, in `certificates`. */
  observation: unknown;
  /** By fingerprint. */
  ders: Map<string, Uint8Array>;
  /** The role of each of them; leaves in the order of the addresses. */
  roles: Map<string, 'leaf' | 'chain' | 'beside'>;
}

/** Takes the bytes out of an observation. Of a staple its length stays: what it said is among the evidence of revocation. */
export function evidenceOf(observation: Observation): Evidence {
  const ders: Evidence['ders'] = new Map();
  const roles: Evidence['roles'] = new Map();
  const keep = (der: Uint8Array, role: 'leaf' | 'chain' | 'beside'): string => {
    const fingerprint = createHash('sha256').update(der).digest('hex');
    ders.set(fingerprint, der);
    const known = roles.get(fingerprint);
    if (known === undefined || RANK[role] < RANK[known]) roles.set(fingerprint, role);
    return fingerprint;
  };
  const addresses = observation.addresses.map((address) =>
    address.outcome === 'failed'
      ? address
      : {
          ...address,
          presentedChain: address.presentedChain.map((der, index) =>
            keep(der, index === 0 ? 'leaf' : 'chain'),
          ),
          staple: address.staple?.byteLength ?? null,
        },
  );
  const authorities = observation.authorities.map(({ der, source, url }) => ({
    fingerprint: keep(der, 'beside'),
    source,
    url,
  }));
  const posture = observation.posture && {
    ...observation.posture,
    alternates: observation.posture.alternates.map((alternate) => ({
      ...alternate,
      presentedChain: alternate.presentedChain.map((der) => keep(der, 'beside')),
    })),
  };
  return { observation: { ...observation, addresses, authorities, posture }, ders, roles };
}

const RANK = { leaf: 0, chain: 1, beside: 2 };
