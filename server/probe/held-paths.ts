import { hash } from 'node:crypto';

import type { AddressObservation } from '../core/index.ts';
import type { Certificate, TrustStore, WorkBudget } from '../pki/index.ts';
import { buildPath, parseReadable } from '../pki/index.ts';

/** One chain as servers sent it, leaf first, with what can be read of it, and the first staple that came along. */
export interface SentChain {
  certificates: [Certificate, ...Certificate[]];
  staple: Uint8Array | null;
}

/** Nodes of one name seldom show more than two; for more the CAs are not asked. */
const MOST_CHAINS = 4;

/** The distinct readable chains of a look, in the order of the addresses, as far as `work` pays for reading them. */
export function sentChains(addresses: readonly AddressObservation[], work: WorkBudget): SentChain[] {
  const chains = new Map<string, SentChain>();
  const asSent = new Set<string>();
  for (const seen of addresses) {
    if (seen.outcome !== 'handshake' || work.isExhausted) continue;
    const sent = seen.presentedChain.map((der) => hash('sha256', der, 'hex')).join(' ');
    if (asSent.size >= MOST_CHAINS && !asSent.has(sent)) continue;
    asSent.add(sent);
    const [leaf, ...others] = seen.presentedChain.map(parseReadable);
    if (leaf === undefined || leaf === null) continue;
    const certificates: SentChain['certificates'] = [leaf, ...others.filter((one) => one !== null)];
    for (const one of certificates) work.spendReading(one);
    const key = certificates.map(({ fingerprint }) => fingerprint).join(' ');
    const known = chains.get(key);
    if (known === undefined) chains.set(key, { certificates, staple: seen.staple });
    else known.staple ??= seen.staple;
  }
  return [...chains.values()];
}

/**
 * The path of a chain that holds, leaf first and anchor last; null where none does. An expired leaf has one too: what
 * its CA says of it is worth knowing.
 */
export function heldPath(
  [leaf, ...intermediates]: readonly [Certificate, ...Certificate[]],
  trustStore: TrustStore,
  now: number,
  work: WorkBudget,
): Certificate[] | null {
  const result = buildPath({ leaf, intermediates, trustStore, now, work, ignoreLeafValidity: true });
  return result.ok ? result.path : null;
}

/** Whether a path that holds ends in an anchor of a public root program. */
export function isPublicPath(path: readonly Certificate[], trustStore: TrustStore): boolean {
  const last = path.at(-1);
  const namesakes = last === undefined ? [] : trustStore.withSubject(last.subject);
  return namesakes.some(
    ({ certificate, isPublic }) => isPublic && certificate.fingerprint === last?.fingerprint,
  );
}
