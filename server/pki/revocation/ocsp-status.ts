import { type Certificate, isSameName, tryParseCertificate } from '../certificate.ts';
import { checkIssuer, hasOnlyKnownCriticalExtensions, validityFailure } from '../certificate-checks.ts';
import { equalBytes } from '../der/der-values.ts';
import { hasUnknownCritical } from '../extension-list.ts';
import { PURPOSE } from '../der/object-identifiers.ts';
import { keyHash, matchesCertificateId } from './ocsp-request.ts';
import {
  type BasicOcspResponse,
  CERTIFICATE_TIMESTAMPS,
  parseOcspResponse,
  type SingleResponse,
} from './ocsp-response.ts';
import { PkiError } from '../pki-error.ts';
import { isWeakKey } from '../public-key.ts';
import {
  CLOCK_SKEW_MS,
  isFinal,
  isTooOld,
  MAX_AGE_WITHOUT_NEXT_UPDATE_MS,
  type NoStatusReason,
  type RevocationStatus,
} from './revocation-status.ts';
import { checkSignature, isBrokenSignature, type SignatureCheck } from '../signature.ts';
import { WorkBudget } from '../work-budget.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const MAX_RESPONSE_BYTES = 65_536;

/** Maximum age in ms of a response without nextUpdate in GnuTLS (MAX_OCSP_VALIDITY_SECS). It refuses an older staple. */
const REFUSED_AGE_WITHOUT_NEXT_UPDATE_MS = 15 * DAY_MS;

export interface OcspStatusRequest {
  /** DER of an OCSPResponse, fetched or stapled. */
  readonly response: Uint8Array;
  readonly certificate: Certificate;
  /** Issuer of `certificate` on its path. */
  readonly issuer: Certificate;
  /** Whether the path ends in a public root. */
  readonly isPublic: boolean;
  /** Time of the check, ms UTC. */
  readonly now: number;
  /** Remaining work budget of the check. A response that exceeds it is `too_large`. Default: a new budget. */
  readonly work?: WorkBudget;
}

type BudgetedRequest = OcspStatusRequest & { readonly work: WorkBudget };

/**
 * Returns the status from an OCSP response (RFC 6960 §3.2). Never throws. The issuer or its delegate must have signed it, and it must
 * name this certificate. Counts fresh statuses and a `revoked` that is merely `too_old`. Without any, counts a `revoked` that is not a hold.
 */
export function ocspStatus(request: OcspStatusRequest): RevocationStatus {
  const budgeted = { ...request, work: request.work ?? new WorkBudget() };
  if (budgeted.response.length > MAX_RESPONSE_BYTES) return none('too_large');
  try {
    const response = parseOcspResponse(budgeted.response);
    return typeof response === 'string' ? none(response) : answerOf(response, budgeted);
  } catch (error) {
    if (error instanceof PkiError) return none('malformed');
    throw error;
  }
}

function none(why: NoStatusReason): RevocationStatus {
  return { state: 'none', why };
}

function answerOf(response: BasicOcspResponse, request: BudgetedRequest): RevocationStatus {
  const { certificate, issuer, isPublic, work } = request;
  const signers = signersOf(response, request);
  if (isBrokenSignature(response.signature.algorithm)) return none('weak_signature');
  const checks = signers.map((signer) => checkResponder(response, signer, work));
  if (work.isExhausted) return none('too_large');
  if (signers.length === 0) return none('wrong_issuer');
  if (!checks.includes('valid'))
    return none(checks.includes('unverifiable') ? 'unknown_signature' : 'bad_signature');
  const matching = response.responses.filter(({ id }) => matchesCertificateId(id, certificate, issuer));
  const [first] = matching;
  if (first === undefined) return none('wrong_scope');
  const fresh = matching.filter((one) => {
    const problem = dateProblem(one, response, request);
    return problem === null || (problem === 'too_old' && one.status === 'revoked');
  });
  // The order within a response means nothing, so the strictest of the fresh statuses counts, as in Chromium.
  const single =
    fresh.find((one) => one.status === 'revoked' && isFinal(one)) ??
    fresh.find(({ status }) => status === 'revoked') ??
    fresh.find(({ status }) => status === 'unknown') ??
    fresh[0] ??
    matching.find((one) => one.status === 'revoked' && isFinal(one));
  if (single === undefined) return none(dateProblem(first, response, request) ?? 'stale');
  if (single.status === 'unknown')
    return none(fresh.some(({ status }) => status === 'good') ? 'contradictory' : 'responder_refused');
  if ([response, single].some(({ extensions }) => hasUnknownCritical(extensions, KNOWN_EXTENSIONS))) {
    return none('malformed');
  }
  const { status: state, reason, revokedAt, thisUpdate, nextUpdate } = single;
  const answer = { state, reason, revokedAt, thisUpdate, nextUpdate };
  if (state === 'revoked') return answer;
  // All clients accept SHA-1 (measured).
  if (isPublic && response.signature.algorithm.hash === 'sha1') return none('sha1_signature');
  const isVouchedFor = signers.some(
    ({ hasSha1Certificate }, index) => checks[index] === 'valid' && !hasSha1Certificate,
  );
  if (!isVouchedFor) return none('sha1_responder');
  return single === first ? answer : { ...answer, isPreceded: true };
}

/** OCSP extensions that may be critical. */
const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set([CERTIFICATE_TIMESTAMPS]);

/** Returns why a single response is not fresh; null if it is. */
function dateProblem(
  { thisUpdate, nextUpdate }: SingleResponse,
  { producedAt }: BasicOcspResponse,
  { certificate, isPublic, now }: BudgetedRequest,
): NoStatusReason | null {
  if (thisUpdate > now + DAY_MS) return 'not_yet_valid';
  if (thisUpdate > now + CLOCK_SKEW_MS) return 'misdated';
  const end = nextUpdate ?? thisUpdate + REFUSED_AGE_WITHOUT_NEXT_UPDATE_MS;
  if (end < thisUpdate || now > end) return 'stale';
  // Chromium requires that the response was made while the certificate was valid.
  const latest = Math.min(now + CLOCK_SKEW_MS, certificate.notAfter);
  if (producedAt < certificate.notBefore || producedAt > latest) return 'misdated';
  const age = now - thisUpdate;
  const isTooOldForAll = nextUpdate === null && age > MAX_AGE_WITHOUT_NEXT_UPDATE_MS;
  return isTooOldForAll || (isPublic && isTooOld(certificate, age)) ? 'too_old' : null;
}

/**
 * A certificate whose key may have signed the response. `delegation`: check of the issuer's signature on it; `valid` for the issuer itself.
 */
interface Signer {
  certificate: Certificate;
  delegation: SignatureCheck;
  /** Whether its certificate is signed with SHA-1; false for the issuer itself. */
  hasSha1Certificate: boolean;
}

/** Returns the allowed signers that match the responder id: the issuer and enclosed delegate certificates. */
function signersOf({ responder, certificates }: BasicOcspResponse, request: BudgetedRequest): Signer[] {
  const { issuer, work } = request;
  const matchesResponderId = (certificate: Certificate): boolean =>
    'name' in responder
      ? isSameName(responder.name, certificate.subject)
      : equalBytes(responder.keyHash, keyHash(certificate, 'sha1'));
  const enclosed = certificates.flatMap((der) => tryParseCertificate(der) ?? []).filter(matchesResponderId);
  const delegates = enclosed
    .filter((other) => mayBeDelegate(other, request))
    .map((certificate) => ({
      certificate,
      delegation: checkIssuer(certificate, issuer, work),
      hasSha1Certificate: certificate.signature.algorithm.hash === 'sha1',
    }))
    .filter(({ delegation }) => delegation !== 'invalid');
  return matchesResponderId(issuer)
    ? [{ certificate: issuer, delegation: 'valid', hasSha1Certificate: false }, ...delegates]
    : delegates;
}

/**
 * Returns whether the issuer delegated OCSP signing to this certificate, if the issuer signed it: valid, and with
 * id-kp-OCSPSigning. anyExtendedKeyUsage does not suffice (RFC 6960 §4.2.2.2).
 */
function mayBeDelegate(delegate: Certificate, { issuer, now }: BudgetedRequest): boolean {
  return (
    delegate.extendedKeyUsage?.includes(PURPOSE.ocspSigning) === true &&
    (delegate.keyUsage === null || delegate.keyUsage.has('digitalSignature')) &&
    validityFailure(delegate, now) === null &&
    hasOnlyKnownCriticalExtensions(delegate) &&
    !isWeakKey(delegate.key) &&
    !isBrokenSignature(delegate.signature.algorithm) &&
    isSameName(delegate.issuer, issuer.subject)
  );
}

function checkResponder(
  { signature: { algorithm, signed, octets } }: BasicOcspResponse,
  { certificate, delegation }: Signer,
  work: WorkBudget,
): SignatureCheck {
  if (!work.spendVerification(certificate.key, signed.length)) return 'invalid';
  const made = checkSignature(algorithm, signed, octets, certificate.key);
  return made === 'valid' ? delegation : made;
}
