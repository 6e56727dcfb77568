import type { Certificate } from '../certificate.ts';
import { isSameName, parseReadable } from '../certificate.ts';
import { isUnderstood, validityFailure } from '../certificate-checks.ts';
import { equalBytes } from '../der/der-values.ts';
import { hasUnknownCritical } from '../extension-list.ts';
import { PURPOSE } from '../der/object-identifiers.ts';
import { isIdOf, keyHash } from './ocsp-certificate-id.ts';
import type { BasicOcspResponse, SingleResponse } from './ocsp-response.ts';
import { parseOcspResponse } from './ocsp-response.ts';
import { PkiError } from '../pki-error.ts';
import { isWeakKey } from '../public-key.ts';
import { CLOCK_SKEW_MS } from './revocation-answer.ts';
import type { RevocationAnswer, RevocationRefusal } from './revocation-answer.ts';
import { isWeakSignature, verifySignature } from '../signature.ts';
import { isSignedBy } from '../signature-memory.ts';
import { WorkBudget } from '../work-budget.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

const MAX_RESPONSE_BYTES = 65_536;
/** Without a nextUpdate "newer information is available all the time" (RFC 6960 §4.2.2.1): such an answer is for now only. */
const WITHOUT_END_MS = HOUR_MS;

export interface OcspQuestion {
  /** DER of an OCSPResponse: fetched, or stapled to a handshake. */
  readonly response: Uint8Array;
  readonly certificate: Certificate;
  /** The certificate that signed it, as on its path. */
  readonly issuer: Certificate;
  /** ms UTC. */
  readonly now: number;
  /** What the whole look may still cost; a response that takes more is `too_large`. Default: what one look may cost. */
  readonly work?: WorkBudget;
}

type PaidQuestion = OcspQuestion & { readonly work: WorkBudget };

/**
 * What an OCSP response says of a certificate, or why it says nothing (RFC 6960 §3.2): signed by the issuer or by whom the
 * issuer appointed for it, about this certificate, and fresh. Revoked counts even when stale, because a revocation is final. Never throws.
 */
export function ocspAnswer(asked: OcspQuestion): RevocationAnswer {
  const question = { ...asked, work: asked.work ?? new WorkBudget() };
  if (question.response.length > MAX_RESPONSE_BYTES) return none('too_large');
  try {
    const response = parseOcspResponse(question.response);
    return response === null ? none('responder_refused') : answerOf(response, question);
  } catch (error) {
    if (error instanceof PkiError) return none('malformed');
    throw error;
  }
}

function none(why: RevocationRefusal): RevocationAnswer {
  return { state: 'none', why };
}

function answerOf(response: BasicOcspResponse, question: PaidQuestion): RevocationAnswer {
  const { certificate, issuer, now, work } = question;
  const signers = signersOf(response, question);
  const isProven = signers.some((signer) => isSignedByResponder(response, signer, work));
  if (work.isExhausted) return none('too_large');
  if (signers.length === 0) return none('wrong_issuer');
  if (!isProven) return none('bad_signature');
  const about = response.responses.filter(({ id }) => isIdOf(id, certificate, issuer));
  if (about.length === 0) return none('wrong_scope');
  const isOfNow = response.producedAt <= now + CLOCK_SKEW_MS;
  const single =
    about.find(({ status }) => status === 'revoked') ?? about.find((one) => isOfNow && isFresh(one, now));
  if (single === undefined) return none('stale');
  if (single.status === 'unknown') return none('responder_refused');
  if ([response, single].some(({ extensions }) => hasUnknownCritical(extensions, NONE))) {
    return none('malformed');
  }
  const { status: state, reason, revokedAt, thisUpdate, nextUpdate } = single;
  return { state, reason, revokedAt, thisUpdate, nextUpdate };
}

const NONE: ReadonlySet<string> = new Set();

function isFresh({ thisUpdate, nextUpdate }: SingleResponse, now: number): boolean {
  if (thisUpdate > now + CLOCK_SKEW_MS) return false;
  if (nextUpdate === null) return now - thisUpdate <= WITHOUT_END_MS;
  return nextUpdate >= thisUpdate && now <= nextUpdate;
}

/** Who may have signed: the issuer itself, or a certificate that came along and that it issued for this very purpose. */
function signersOf({ responder, certificates }: BasicOcspResponse, question: PaidQuestion): Certificate[] {
  const isNamed = (certificate: Certificate): boolean =>
    'name' in responder
      ? isSameName(responder.name, certificate.subject)
      : equalBytes(responder.keyHash, keyHash(certificate, 'sha1'));
  const others = certificates.flatMap((der) => parseReadable(der) ?? []).filter(isNamed);
  const appointed = others.filter((other) => isAppointed(other, question));
  return isNamed(question.issuer) ? [question.issuer, ...appointed] : appointed;
}

/** RFC 6960 §4.2.2.2: issued directly by the CA, with id-kp-OCSPSigning; anyExtendedKeyUsage does not stand for it. */
function isAppointed(delegate: Certificate, { issuer, now, work }: PaidQuestion): boolean {
  return (
    delegate.extendedKeyUsage?.includes(PURPOSE.ocspSigning) === true &&
    (delegate.keyUsage === null || delegate.keyUsage.has('digitalSignature')) &&
    validityFailure(delegate, now) === null &&
    isUnderstood(delegate) &&
    !isWeakKey(delegate.key) &&
    !isWeakSignature(delegate.signature.algorithm) &&
    isSameName(delegate.issuer, issuer.subject) &&
    isSignedBy(delegate, issuer, work)
  );
}

function isSignedByResponder(
  { signature }: BasicOcspResponse,
  signer: Certificate,
  work: WorkBudget,
): boolean {
  const { algorithm, signed, octets } = signature;
  if (isWeakSignature(algorithm) || !work.spendVerification(signer.key, signed.length)) return false;
  return verifySignature(algorithm, signed, octets, signer.key);
}
