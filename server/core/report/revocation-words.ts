import type { RevocationSource } from '../finding.ts';
import { isKnownFromEarlierCheck } from '../judge/revocation.ts';
import { longDate } from '../long-date.ts';
import type { RevocationProblem } from '../observation.ts';
import type { RevocationVerdict } from '../verdict.ts';

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

/** Returns a sentence that says why the answer of a revocation source is not used. */
export function revocationWhy(why: RevocationProblem): string {
  return WHY[why];
}

const SOURCE_NAMES = {
  crl: 'the authority’s list (CRL)',
  ocsp: 'the authority’s responder (OCSP)',
  staple: 'the answer that the server staples (OCSP)',
} as const;

/** Returns a reason code (RFC 5280 §5.3.1) as a clause, for example "its key was compromised"; null if it gives no reason. */
export function revocationReason(reason: string | null): string | null {
  if (reason === null) return null;
  return REASONS[reason] ?? null;
}

/** Returns a reason code as a value beside a label, for example "key compromise" for `keyCompromise`. */
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

/** Returns the name of a revocation source for sentences, for example "the authority’s list (CRL)". */
export function revocationSource(source: RevocationSource): string {
  return SOURCE_NAMES[source];
}

/** Returns one sentence about the revocation of a certificate. */
export function revocationSentence(revocation: RevocationVerdict): string {
  const { state, source, at, sources } = revocation;
  const named = source === null ? 'its authority' : revocationSource(source);
  switch (state) {
    case 'good':
      return `Not revoked, says ${named}.`;
    case 'revoked':
      return isKnownFromEarlierCheck(revocation) && at !== null
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
