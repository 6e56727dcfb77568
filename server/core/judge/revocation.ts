import { type Certificate, hasNoRevocationInformation } from '../../pki/index.ts';
import { certificateName } from '../facts.ts';
import { longDate } from '../long-date.ts';
import type { RevocationEvidence, RevocationProblem } from '../observation.ts';
import type { RevocationVerdict, RevokedCertificate } from '../verdict.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

/** Which of several answers is shown: a list covers all that its CA revoked, a staple is what the host itself hands out. */
const SOURCES = ['crl', 'ocsp', 'staple'] as const;

/** What a revocation is about: the issuer's name as encoded and the serial number. */
export function revocationKey({ issuer, serialNumber }: Certificate): string {
  return `${Buffer.from(issuer.der).toString('base64')} ${serialNumber}`;
}

/**
 * What is known of one certificate's revocation at `now`. Any verified `revoked` wins, also one of an earlier check
 * (`before`); then the verified answers that are still fresh, the CRL's first. No answer is never a good one.
 */
export function concludeRevocation(
  certificate: Certificate,
  evidence: readonly RevocationEvidence[],
  before: RevokedCertificate | null,
  now: number,
): RevocationVerdict {
  const asked = evidence
    .filter(({ fingerprint }) => fingerprint === certificate.fingerprint)
    .toSorted((left, right) => SOURCES.indexOf(left.source) - SOURCES.indexOf(right.source));
  const sources = asked.map((one) => readSource(one, now));
  const nobody = { source: null, at: null, reason: null, revokedAt: null, sources };

  const revoked = asked.find(({ answer }) => answer.state === 'revoked');
  if (revoked?.answer.state === 'revoked') {
    const { reason, revokedAt } = revoked.answer;
    return { state: 'revoked', source: revoked.source, at: revoked.at, reason, revokedAt, sources };
  }
  if (before !== null) {
    const { source, at, reason, revokedAt } = before;
    return { state: 'revoked', source, at, reason, revokedAt, sources };
  }
  const good = sources.find(({ state }) => state === 'good');
  if (good !== undefined) return { ...nobody, state: 'good', source: good.source, at: good.at };
  if (asked.length === 0)
    return { ...nobody, state: hasNoRevocationInformation(certificate) ? 'not_applicable' : 'unknown' };
  // An answer that is still on its way says nothing either way; the next check knows more.
  return { ...nobody, state: sources.some(({ why }) => why === 'pending') ? 'unknown' : 'unavailable' };
}

/** RFC 6960 §4.2.2.1: without a nextUpdate newer information is always there, and an answer is for now only. */
const WITHOUT_END_MS = HOUR_MS;

/** Until when a good answer counts, ms UTC. */
export function goodUntil({
  thisUpdate,
  nextUpdate,
}: {
  thisUpdate: number;
  nextUpdate: number | null;
}): number {
  return nextUpdate ?? thisUpdate + WITHOUT_END_MS;
}

function readSource(
  { source, url, at, answer }: RevocationEvidence,
  now: number,
): RevocationVerdict['sources'][number] {
  if (answer.state === 'none')
    return { source, url, at, state: 'none', why: answer.why, thisUpdate: null, nextUpdate: null };
  const { thisUpdate, nextUpdate } = answer;
  // Fresh when it was fetched, but the evidence may be judged anew much later.
  const isStale = answer.state === 'good' && goodUntil(answer) < now;
  return isStale
    ? { source, url, at, state: 'none', why: 'stale', thisUpdate, nextUpdate }
    : { source, url, at, state: answer.state, why: null, thisUpdate, nextUpdate };
}

/** For what is remembered of it: null where nobody called it revoked. */
export function rememberRevoked(
  certificate: Certificate,
  role: 'leaf' | 'intermediate',
  { state, source, at, reason, revokedAt }: RevocationVerdict,
  /** False where clients need it for nothing. */
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

const WHY: Record<RevocationProblem, string> = {
  pending: 'The answer has not arrived yet; the next check will know more.',
  unreachable: 'It could not be reached.',
  too_large: 'The answer is larger than can be accepted.',
  malformed: 'The answer cannot be read.',
  bad_signature: 'The answer is not signed by the authority of this certificate.',
  wrong_issuer: 'The answer comes from another authority.',
  wrong_scope: 'The answer is about other certificates than this one.',
  stale: 'The answer is out of date.',
  responder_refused: 'It answered with an error, or does not know the certificate.',
};

/** Why a source of revocation says nothing that counts, as a sentence. */
export function revocationWhy(why: RevocationProblem): string {
  return WHY[why];
}

const SOURCE_NAMES = {
  crl: 'the authority’s list (CRL)',
  ocsp: 'the authority’s responder (OCSP)',
  staple: 'the answer that the server staples (OCSP)',
} as const;

/** RFC 5280 §5.3.1 in plain words; null where the reason says nothing. */
export function revocationReason(reason: string | null): string | null {
  if (reason === null) return null;
  return REASONS[reason] ?? null;
}

/** "key compromise" for `keyCompromise`, as a value beside a label. */
export function reasonWords(reason: string): string {
  return (
    SHORT_REASONS[reason] ?? reason.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  );
}

const SHORT_REASONS: Readonly<Record<string, string>> = {
  cACompromise: 'compromise of its CA',
  aACompromise: 'compromise of an attribute authority',
  removeFromCRL: 'removed from the list',
  unspecified: 'no reason given',
};

const REASONS: Readonly<Record<string, string>> = {
  keyCompromise: 'its key was compromised',
  cACompromise: 'the key of its authority was compromised',
  affiliationChanged: 'its owner changed',
  superseded: 'it was replaced',
  cessationOfOperation: 'it is not used any more',
  certificateHold: 'it was put on hold',
  removeFromCRL: 'it was taken off the list',
  privilegeWithdrawn: 'its authority withdrew it',
  aACompromise: 'the key of an attribute authority was compromised',
};

/** "the authority’s list (CRL)", for a sentence of one's own. */
export function revocationSource(source: 'crl' | 'ocsp' | 'staple'): string {
  return SOURCE_NAMES[source];
}

/** Nobody says so now: it was said once, and counts on. */
export function wasSaidBefore({ state, sources }: Pick<RevocationVerdict, 'state' | 'sources'>): boolean {
  return state === 'revoked' && sources.every((one) => one.state !== 'revoked');
}

/** What is known of a certificate's revocation, as one sentence. */
export function revocationSentence(revocation: RevocationVerdict): string {
  const { state, source, at, sources } = revocation;
  const named = source === null ? 'its authority' : revocationSource(source);
  switch (state) {
    case 'good':
      return `Not revoked, says ${named}.`;
    case 'revoked':
      return wasSaidBefore(revocation) && at !== null
        ? `Revoked, said ${named} on ${longDate(at, 'UTC')}.`
        : `Revoked, says ${named}.`;
    case 'not_applicable':
      return 'It lives too short to be revoked, or says that it never will be.';
    case 'unavailable':
      return 'Could not be determined: nobody who was asked gave an answer that counts.';
    default:
      return sources.length === 0
        ? 'Not known: it names no list and no responder whose answer would count.'
        : 'Not known yet: the answer is still on its way.';
  }
}
