import { type Certificate, hasNoRevocationInformation } from '../../pki/certificate.ts';
import { isFinal, MAX_AGE_WITHOUT_NEXT_UPDATE_MS } from '../../pki/revocation/revocation-status.ts';
import { certificateName } from '../facts.ts';
import { revocationSource } from '../findings/revocation.ts';
import { longInstant } from '../long-date.ts';
import type { RevocationEvidence } from '../observation.ts';
import type { RevocationVerdict, RevokedCertificate } from '../verdict.ts';

/** The sources by precedence: a CRL covers everything that its CA revoked; a staple comes from the host itself. */
const SOURCES = ['crl', 'ocsp', 'staple'] as const;

/** Returns the key of a revoked certificate: its encoded issuer name and serial number. */
export function revocationKey({ issuer, serialNumber }: Certificate): string {
  return `${Buffer.from(issuer.der).toString('base64')} ${serialNumber}`;
}

/**
 * Decides whether a certificate is revoked at `now`. A verified `revoked` wins, even from an earlier check (`before`), and a final one wins
 * over a hold. Otherwise the first fresh `good` wins, in the order CRL, OCSP, staple. A missing answer is never treated as good.
 */
export function concludeRevocation(
  certificate: Certificate,
  evidence: readonly RevocationEvidence[],
  before: RevokedCertificate | null,
  now: number,
): RevocationVerdict {
  const relevant = evidence
    .filter(({ fingerprint }) => fingerprint === certificate.fingerprint)
    .toSorted((left, right) => SOURCES.indexOf(left.source) - SOURCES.indexOf(right.source));
  const sources = relevant.map((one) => readSource(one, now));
  const withoutSource = { source: null, at: null, reason: null, revokedAt: null, sources };

  const allRevoked = relevant.filter(({ answer }) => answer.state === 'revoked');
  const revoked =
    allRevoked.find(({ answer }) => answer.state === 'revoked' && isFinal(answer)) ?? allRevoked[0];
  if (revoked?.answer.state === 'revoked') {
    const { reason, revokedAt } = revoked.answer;
    return { state: 'revoked', source: revoked.source, at: revoked.at, reason, revokedAt, sources };
  }
  if (before !== null) {
    const { source, at, reason, revokedAt } = before;
    return { state: 'revoked', source, at, reason, revokedAt, sources };
  }
  const good = sources.find(({ state }) => state === 'good');
  if (good !== undefined) return { ...withoutSource, state: 'good', source: good.source, at: good.at };
  if (relevant.length === 0)
    return {
      ...withoutSource,
      state: hasNoRevocationInformation(certificate) ? 'not_applicable' : 'unknown',
    };
  // A pending answer says nothing either way; the next check may have it.
  return {
    ...withoutSource,
    state: sources.some(({ why }) => why === 'pending') ? 'unknown' : 'unavailable',
  };
}

/** Returns until when a response is fresh, ms UTC. */
export function freshUntil({
  thisUpdate,
  nextUpdate,
}: {
  thisUpdate: number;
  nextUpdate: number | null;
}): number {
  return nextUpdate ?? thisUpdate + MAX_AGE_WITHOUT_NEXT_UPDATE_MS;
}

function readSource(
  { source, url, at, answer }: RevocationEvidence,
  now: number,
): RevocationVerdict['sources'][number] {
  if (answer.state === 'none')
    return { source, url, at, state: 'none', why: answer.why, thisUpdate: null, nextUpdate: null };
  const { thisUpdate, nextUpdate } = answer;
  // The answer was fresh when fetched, but the evidence may be judged again much later.
  const isStale = answer.state === 'good' && freshUntil(answer) < now;
  return isStale
    ? { source, url, at, state: 'none', why: 'stale', thisUpdate, nextUpdate }
    : { source, url, at, state: answer.state, why: null, thisUpdate, nextUpdate };
}

/**
 * Returns the revoked certificates of earlier checks without those that were on hold and that a source now calls good. An answer that
 * was signed before the hold began, such as an old staple, does not lift it.
 */
export function withoutLiftedHolds(
  known: readonly RevokedCertificate[],
  evidence: readonly RevocationEvidence[],
  now: number,
): RevokedCertificate[] {
  const isLifted = ({ fingerprint, revokedAt, at }: RevokedCertificate): boolean =>
    evidence.some((one) => {
      const { state, thisUpdate } = readSource(one, now);
      return one.fingerprint === fingerprint && state === 'good' && (thisUpdate ?? 0) > (revokedAt ?? at);
    });
  return known.filter((one) => isFinal(one) || !isLifted(one));
}

/** Returns the record of a revoked certificate for later checks; null if the certificate is not revoked. */
export function rememberRevoked(
  certificate: Certificate,
  role: 'leaf' | 'intermediate',
  { state, source, at, reason, revokedAt }: RevocationVerdict,
  /** Whether the certificate is the leaf, or an intermediate that clients need. */
  served: boolean,
): RevokedCertificate | null {
  if (state !== 'revoked' || source === null || at === null) return null;
  const { fingerprint, notBefore, notAfter } = certificate;
  return {
    fingerprint,
    key: revocationKey(certificate),
    source,
    at,
    revokedAt,
    reason,
    role,
    name: certificateName(certificate),
    notBefore,
    notAfter,
    served,
  };
}

/** Returns whether the revocation is known only from an earlier check. A certificate stays revoked if no source reports it now. */
export function isKnownFromEarlierCheck({
  state,
  sources,
}: Pick<RevocationVerdict, 'state' | 'sources'>): boolean {
  return state === 'revoked' && sources.every((one) => one.state !== 'revoked');
}

/** Returns one sentence about the revocation of a certificate. */
export function revocationSentence(revocation: RevocationVerdict): string {
  const { state, source, at, sources } = revocation;
  const named = source === null ? 'its authority' : revocationSource(source);
  switch (state) {
    case 'good':
      return `Not revoked, according to ${named}.`;
    case 'revoked':
      return isKnownFromEarlierCheck(revocation) && at !== null
        ? `Revoked, as ${named} said on ${longInstant(at)}.`
        : `Revoked, according to ${named}.`;
    case 'not_applicable':
      return 'Not applicable: short-lived, or issued without revocation.';
    case 'unavailable':
      return 'Unknown: no source gave a usable response.';
    default:
      return sources.length === 0
        ? 'Unknown: no CRL or OCSP responder that we can verify.'
        : 'Not known yet: the response has not arrived.';
  }
}
