import type { Client } from '../../../contract/check-words.ts';
import { longInstant } from '../long-date.ts';
import type { RevocationProblem } from '../observation.ts';
import { connectWith } from '../report/reproduce.ts';
import { boolean, code, type Infer, nullable, number, object, text } from '../shape.ts';
import { type Definition, kind, type Words } from './definition.ts';
import { REISSUE_ADVICE } from './path.ts';

export type RevocationSource = keyof typeof SOURCE_NAMES;

/** Revocation of the leaf, or of an intermediate that was sent or is part of the path. */
const revokedFacts = object({
  role: code<'leaf' | 'intermediate'>(),
  name: text,
  source: code<RevocationSource>(),
  /** When the source was read, ms UTC. */
  at: number,
  revokedAt: nullable(number),
  reason: nullable(text),
  /** Whether clients need the certificate, see `RevokedCertificate`. */
  served: boolean,
  /** Whether only an earlier check saw the revocation, and no source reports it now. */
  wasSaidBefore: boolean,
  /** A source that reports the certificate as good; null if none does. */
  dissent: nullable(code<RevocationSource>()),
  evidence: object({ serialNumber: text }),
});
const revokedKind = kind(revokedFacts, revokedWords, {
  refusedBy: ({ source }) => (source === 'staple' ? READING_STAPLES : undefined),
});

/** Clients that refuse a certificate because of a stapled OCSP response that says revoked (measured). */
const READING_STAPLES: readonly Client[] = ['chromium', 'firefox', 'apple', 'gnutls'];
/** Clients that refuse a certificate with “must staple” without a stapled OCSP response (measured). */
export const CLIENTS_DEMANDING_STAPLE: readonly Client[] = ['firefox', 'gnutls'];

/** Findings about revoked certificates and stapled OCSP responses. */
export const REVOCATION_FINDINGS = {
  revoked: {
    kinds: { revoked: revokedKind },
    fix: 'Create a new key, have a certificate issued for it, install it and reload the server.',
    command: connectWith('-crl_check -crl_download', { verifying: true }),
    problem: null,
    isReasonToReplace: true,
    // The other clients check neither CRL nor OCSP, or use only their own lists, such as CRLSets.
    refusedBy: ['firefox', 'apple'],
  },
  intermediate_revoked: {
    kinds: { revoked: revokedKind },
    fix: REISSUE_ADVICE,
    command: connectWith('-crl_check_all -crl_download', { verifying: true }),
    short: 'Not trusted: an intermediate is revoked',
    problem: null,
    isReasonToReplace: true,
    refusedBy: ['chromium', 'firefox', 'apple'],
  },
  /**
   * The stapled OCSP answer cannot be used: it does not verify, is out of date or is about another certificate, for
   * example.
   */
  staple_invalid: {
    kinds: {
      staple_invalid: kind(
        object({ why: code<RevocationProblem>() }),
        ({ why }) => ({
          message: `The server staples an OCSP response that ${why === 'unknown_signature' ? 'we cannot verify' : 'clients cannot use'}. ${revocationWhy(why)}`,
          evidence: [{ label: 'Stapled response', value: revocationWhy(why) }],
        }),
        { refusedBy: ({ why }) => clientsRefusingStaple(why) },
      ),
    },
    fix: 'Have the server fetch a new OCSP response. If it cannot, turn stapling off.',
    command: connectWith('-status'),
    short: 'The stapled OCSP response is not valid',
  },
  /** The certificate demands a stapled OCSP answer (RFC 7633), and the server sent none. */
  staple_missing: {
    kinds: {
      staple_missing: kind(object({}), () => ({
        message:
          'The certificate requires a stapled OCSP response, but the server sends none. Clients that check this refuse to connect.',
        evidence: [{ label: 'Extension', value: 'OCSP must staple' }],
      })),
    },
    fix: 'Turn OCSP stapling on, or have the certificate reissued without “must staple”.',
    command: connectWith('-status'),
    short: 'The required OCSP staple is missing',
    isReasonToReplace: true,
    refusedBy: CLIENTS_DEMANDING_STAPLE,
  },
} satisfies Readonly<Record<string, Definition>>;

/** Returns who refuses a server because of an OCSP response that it staples and that proves nothing (measured). */
export function clientsRefusingStaple(why: RevocationProblem): readonly Client[] {
  if (why === 'malformed') return ['firefox', 'java', 'gnutls'];
  if (['bad_signature', 'weak_signature', 'unknown_signature'].includes(why)) return ['firefox', 'gnutls'];
  if (why === 'responder_refused' || why === 'not_yet_valid') return ['firefox'];
  return ['gnutls'];
}

function revokedWords(facts: Infer<typeof revokedFacts>): Words {
  const { role, name, source, at, revokedAt, reason, served, wasSaidBefore, evidence } = facts;
  const because = revocationReason(reason);
  const dissent = facts.dissent && revocationSource(facts.dissent);
  const what = role === 'leaf' ? 'The certificate' : `The intermediate certificate “${name}”`;
  const when = revokedAt === null ? '' : ` on ${longInstant(revokedAt)}`;
  const why = because === null ? '' : ` because ${because}`;
  const who = wasSaidBefore
    ? `as ${revocationSource(source)} said on ${longInstant(at)}`
    : `according to ${revocationSource(source)}${dissent === null ? '' : `, although ${dissent} does not list it as revoked`}`;
  return {
    message: served
      ? `${what} was revoked${when}${why}, ${who}.`
      : `The server sends ${what.replace(/^T/, 't')}, which was revoked${when}${why}, ${who}. Clients can verify the host without it, but some may refuse to connect.`,
    evidence: [
      { label: 'Serial number', value: evidence.serialNumber },
      ...(revokedAt === null ? [] : [{ label: 'Revoked', value: longInstant(revokedAt) }]),
      ...(reason === null ? [] : [{ label: 'Reason', value: reasonWords(reason) }]),
      { label: 'Source', value: revocationSource(source) },
      ...(dissent === null ? [] : [{ label: 'Not revoked according to', value: dissent }]),
      { label: 'Received', value: longInstant(at) },
    ],
  };
}

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
