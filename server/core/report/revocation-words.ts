import type { RevocationSource } from '../finding.ts';
import { isKnownFromEarlierCheck } from '../judge/revocation.ts';
import { longDate } from '../long-date.ts';
import type { RevocationProblem } from '../observation.ts';
import type { RevocationVerdict } from '../verdict.ts';

const WHY: Record<RevocationProblem, string> = {
  pending: 'The response has not arrived yet. The next check will show it.',
  unreachable: 'The source could not be reached.',
  too_large: 'The response is larger than we accept.',
  malformed: 'The response cannot be read.',
  bad_signature: 'The response is not signed by the authority of this certificate.',
  weak_signature: 'The response is signed with an outdated algorithm, so it proves nothing.',
  unknown_signature:
    'We cannot verify the response: we do not know its signature algorithm or the key of its signer.',
  wrong_issuer: 'The response comes from another authority.',
  wrong_scope: 'The response does not cover this certificate.',
  indirect: 'The list is marked as indirect. Chrome and OpenSSL do not use such lists, so it proves nothing.',
  stale: 'The response is out of date.',
  not_yet_valid: 'The response is dated more than a day in the future.',
  misdated: 'The response is dated in the future, or from a time when the certificate was not valid.',
  too_old: 'The response is older than clients accept.',
  no_next_update: 'The list does not say until when it is valid, so it could be of any age.',
  contradictory: 'The response contradicts itself: it has several statuses of this certificate.',
  sha1_signature: 'The response is signed with SHA-1, which can be forged.',
  sha1_responder: 'The certificate of the responder is signed with SHA-1, which can be forged.',
  try_later: 'The responder asks to try again later.',
  responder_refused: 'The responder returned an error or does not know the certificate.',
};

/** Returns a sentence that says why the answer of a revocation source is not used. */
export function revocationWhy(why: RevocationProblem): string {
  return WHY[why];
}

const SOURCE_NAMES = {
  crl: 'the authority’s list (CRL)',
  ocsp: 'the authority’s responder (OCSP)',
  staple: 'the server’s stapled response (OCSP)',
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
  removeFromCRL: 'removed from the revocation list',
  unspecified: 'no reason given',
};

const REASONS: Readonly<Record<string, string>> = {
  keyCompromise: 'its key was compromised',
  cACompromise: 'the key of its authority was compromised',
  affiliationChanged: 'the details of its owner changed',
  superseded: 'it was replaced',
  cessationOfOperation: 'it is no longer used',
  certificateHold: 'it was put on hold',
  removeFromCRL: 'it was removed from the revocation list',
  privilegeWithdrawn: 'its owner is no longer entitled to it',
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
      return `Not revoked, according to ${named}.`;
    case 'revoked':
      return isKnownFromEarlierCheck(revocation) && at !== null
        ? `Revoked, as ${named} said on ${longDate(at, 'UTC')}.`
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
