import { goodUntil } from './revocation.ts';
import type { RenewalEvidence } from '../observation.ts';
import type { LastSeen, RevocationVerdict, Verdict } from '../verdict.ts';

/** What earlier checks knew that this one starts from. Verdicts that an older version wrote have none of it. */
export function recall(previous: Verdict | null): Pick<LastSeen, 'revoked' | 'turns'> {
  const { revoked, turns }: Partial<LastSeen> = previous?.lastSeen ?? {};
  return { revoked: revoked ?? [], turns: turns ?? [] };
}

const NOBODY_ASKED: RevocationVerdict = {
  state: 'unknown',
  source: null,
  at: null,
  reason: null,
  revokedAt: null,
  sources: [],
};

/**
 * The part of a verdict that read no certificate which the one before it decides: what was last seen stays, so that alerts go
 * out "as of" then and a revoked certificate does not turn into an unknown one.
 */
export function unreachedVerdict(
  previous: Verdict | null,
): Omit<Verdict, 'judgedAt' | 'observedAt' | 'addresses' | 'trustStoreHash' | 'failure' | 'findings'> {
  return {
    reached: false,
    trusted: false,
    leafFingerprint: null,
    limiting: null,
    path: [],
    chainToServe: null,
    revocation: previous?.revocation ?? NOBODY_ASKED,
    renewal: previous?.renewal ?? null,
    posture: previous?.posture ?? null,
    lastSeen: previous?.lastSeen ?? null,
  };
}

/** While an answer is on its way, a good one of an earlier check counts for as long as its signer said. */
export function withPendingAnswer(
  revocation: RevocationVerdict | null,
  leafFingerprint: string,
  previous: Verdict | null,
  now: number,
): RevocationVerdict {
  if (revocation === null) return NOBODY_ASKED;
  const known = previous?.lastSeen?.leafFingerprint === leafFingerprint ? previous.revocation : null;
  const isPending = revocation.sources.some(({ why }) => why === 'pending');
  if (revocation.state !== 'unknown' || !isPending || known?.state !== 'good') return revocation;
  const answer = known.sources.find(({ state, source }) => state === 'good' && source === known.source);
  const isFresh =
    answer !== undefined && goodUntil({ ...answer, thisUpdate: answer.thisUpdate ?? answer.at }) >= now;
  return isFresh ? { ...known, sources: [...revocation.sources, answer] } : revocation;
}

/** What CAs say about renewing, with the windows of before where one gave no answer this time. */
export function withKnownWindows(
  renewal: readonly RenewalEvidence[],
  previous: Verdict | null,
): RenewalEvidence[] {
  const answered = new Set(
    renewal.filter(({ outcome }) => outcome !== 'unavailable').map(({ fingerprint }) => fingerprint),
  );
  const { at, leafFingerprint, expiring = [] }: Partial<LastSeen> = previous?.lastSeen ?? {};
  const known = expiring.flatMap(({ fingerprint, renewalWindow }): RenewalEvidence[] => {
    if (!renewalWindow || answered.has(fingerprint)) return [];
    const explanationUrl =
      fingerprint === leafFingerprint ? (previous?.renewal?.explanationUrl ?? null) : null;
    return [{ fingerprint, at: at ?? 0, outcome: 'window', ...renewalWindow, explanationUrl }];
  });
  return [...known, ...renewal];
}
