import { hash } from 'node:crypto';

import type { AddressObservation } from '../core/index.ts';
import type { Certificate, TrustStore, WorkBudget } from '../pki/index.ts';
import { buildPath, tryParseCertificate } from '../pki/index.ts';

/** The readable certificates of one chain, leaf first as sent, and the first OCSP staple received with it. */
export interface ReceivedChain {
  certificates: [Certificate, ...Certificate[]];
  staple: Uint8Array | null;
}

/** Maximum number of distinct chains per check. The servers behind one name seldom send more than two. */
const MAX_CHAINS = 4;

/** Returns up to four distinct chains whose leaf is readable, by order of the addresses. Stops once `work` is exhausted. */
export function receivedChains(addresses: readonly AddressObservation[], work: WorkBudget): ReceivedChain[] {
  const chains = new Map<string, ReceivedChain>();
  const rawKeys = new Set<string>();
  for (const seen of addresses) {
    if (seen.outcome !== 'handshake' || work.isExhausted) continue;
    const rawKey = seen.presentedChain.map((der) => hash('sha256', der, 'hex')).join(' ');
    if (rawKeys.size >= MAX_CHAINS && !rawKeys.has(rawKey)) continue;
    rawKeys.add(rawKey);
    const [leaf, ...others] = seen.presentedChain.map(tryParseCertificate);
    if (leaf === undefined || leaf === null) continue;
    const certificates: ReceivedChain['certificates'] = [leaf, ...others.filter((one) => one !== null)];
    for (const one of certificates) work.spendReading(one);
    const key = certificates.map(({ fingerprint }) => fingerprint).join(' ');
    const known = chains.get(key);
    if (known === undefined) chains.set(key, { certificates, staple: seen.staple });
    else known.staple ??= seen.staple;
  }
  return [...chains.values()];
}

/**
 * Builds a valid path, leaf first and anchor last; returns null if there is none. Ignores the leaf's validity period,
 * because the CA's answers matter for an expired leaf too.
 */
export function validPath(
  [leaf, ...intermediates]: readonly [Certificate, ...Certificate[]],
  trustStore: TrustStore,
  now: number,
  work: WorkBudget,
): Certificate[] | null {
  const result = buildPath({ leaf, intermediates, trustStore, now, work, ignoreLeafValidity: true });
  return result.ok ? result.path : null;
}

/** Returns whether a valid path ends in an anchor of a public root program. */
export function isPublicPath(path: readonly Certificate[], trustStore: TrustStore): boolean {
  const last = path.at(-1);
  const candidates = last === undefined ? [] : trustStore.withSubject(last.subject);
  return candidates.some(
    ({ certificate, isPublic }) => isPublic && certificate.fingerprint === last?.fingerprint,
  );
}
