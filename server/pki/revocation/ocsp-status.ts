import { type Certificate, isSameName, tryParseCertificate } from '../certificate.ts';
import { checkIssuer, hasOnlyKnownCriticalExtensions, validityFailure } from '../certificate-checks.ts';
import { equalBytes } from '../der/der-values.ts';
import { hasUnknownCritical } from '../extension-list.ts';
import { PURPOSE } from '../der/object-identifiers.ts';
import { matchesCertificateId, keyHash } from './ocsp-request.ts';
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
  MAX_AGE_WITHOUT_NEXT_UPDATE_MS,
  type NoStatusReason,
  type RevocationStatus,
} from './revocation-status.ts';
import { checkSignature, isBrokenSignature, type SignatureCheck } from '../signature.ts';
import { WorkBudget } from '../work-budget.ts';

const MAX_RESPONSE_BYTES = 65_536;

export interface OcspStatusRequest {
  /** DER of an OCSPResponse, fetched or stapled. */
  readonly response: Uint8Array;
  readonly certificate: Certificate;
  /** Issuer of `certificate` on its path. */
  readonly issuer: Certificate;
  /** Time of the check, ms UTC. */
  readonly now: number;
  /** Remaining work budget of the check. A response that exceeds it is `too_large`. Default: a new budget. */
  readonly work?: WorkBudget;
}

type BudgetedRequest = OcspStatusRequest & { readonly work: WorkBudget };

/**
 * Returns the status from an OCSP response (RFC 6960 §3.2). Never throws. The issuer or its delegate must have signed
 * it, and it must name this certificate and be fresh. A stale `revoked` is still accepted, because revocation is final.
 */
export function ocspStatus(request: OcspStatusRequest): RevocationStatus {
  const budgeted = { ...request, work: request.work ?? new WorkBudget() };
  if (budgeted.response.length > MAX_RESPONSE_BYTES) return none('too_large');
  try {
    const response = parseOcspResponse(budgeted.response);
    return response === null ? none('responder_refused') : answerOf(response, budgeted);
  } catch (error) {
    if (error instanceof PkiError) return none('malformed');
    throw error;
  }
}

function none(why: NoStatusReason): RevocationStatus {
  return { state: 'none', why };
}

function answerOf(response: BasicOcspResponse, request: BudgetedRequest): RevocationStatus {
  const { certificate, issuer, now, work } = request;
  const signers = signersOf(response, request);
  if (isBrokenSignature(response.signature.algorithm)) return none('weak_signature');
  const checks = signers.map((signer) => checkResponder(response, signer, work));
  if (work.isExhausted) return none('too_large');
  if (signers.length === 0) return none('wrong_issuer');
  if (!checks.includes('valid'))
    return none(checks.includes('unverifiable') ? 'unknown_signature' : 'bad_signature');
  const matching = response.responses.filter(({ id }) => matchesCertificateId(id, certificate, issuer));
  if (matching.length === 0) return none('wrong_scope');
  // The order within a response means nothing, so the strictest status counts, as in Chromium.
  const fresh = isMadeInTime(response, request) ? matching.filter((one) => isFresh(one, now)) : [];
  const single =
    matching.find(({ status }) => status === 'revoked') ??
    fresh.find(({ status }) => status === 'unknown') ??
    fresh[0];
  if (single === undefined) return none('stale');
  if (single.status === 'unknown') return none('responder_refused');
  if ([response, single].some(({ extensions }) => hasUnknownCritical(extensions, KNOWN_EXTENSIONS))) {
    return none('malformed');
  }
  const { status: state, reason, revokedAt, thisUpdate, nextUpdate } = single;
  return { state, reason, revokedAt, thisUpdate, nextUpdate };
}

/** OCSP extensions that may be critical. */
const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set([CERTIFICATE_TIMESTAMPS]);

/** Returns whether the response was made while the certificate was valid and before now, as Chromium requires. */
function isMadeInTime({ producedAt }: BasicOcspResponse, { certificate, now }: BudgetedRequest): boolean {
  const latest = Math.min(now + CLOCK_SKEW_MS, certificate.notAfter);
  return certificate.notBefore <= producedAt && producedAt <= latest;
}

function isFresh({ thisUpdate, nextUpdate }: SingleResponse, now: number): boolean {
  if (thisUpdate > now + CLOCK_SKEW_MS) return false;
  if (nextUpdate === null) return now - thisUpdate <= MAX_AGE_WITHOUT_NEXT_UPDATE_MS;
  return nextUpdate >= thisUpdate && now <= nextUpdate;
}

/** A certificate whose key may have signed the response. `delegation`: whether the issuer signed it; `valid` for the issuer. */
interface Signer {
  certificate: Certificate;
  delegation: SignatureCheck;
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
    .map((certificate) => ({ certificate, delegation: checkIssuer(certificate, issuer, work) }))
    .filter(({ delegation }) => delegation !== 'invalid');
  return matchesResponderId(issuer)
    ? [{ certificate: issuer, delegation: 'valid' }, ...delegates]
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
