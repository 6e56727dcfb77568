import { type Certificate, isSameName } from '../certificate.ts';
import { maySignCrls } from './crl-signers.ts';
import type { RevocationList } from './crl.ts';
import { CRL_EXTENSION } from '../der/object-identifiers.ts';
import { PkiError } from '../pki-error.ts';
import { haveNameInCommon } from './issuing-distribution-point.ts';
import type { Profile } from '../profile/profile.ts';
import {
  CLOCK_SKEW_MS,
  isFinal,
  isTooOld,
  type NoStatusReason,
  type RevocationStatus,
} from './revocation-status.ts';

export interface CrlStatusRequest {
  readonly crl: RevocationList;
  readonly certificate: Certificate;
  /** CAs above `certificate` on its path, and the `crlSigners` whose own status is good. */
  readonly signers: readonly Certificate[];
  /** Whether the path ends in a public root. */
  readonly isPublic: boolean;
  /** URL in the certificate from which the CRL was fetched, byte for byte; null if the CRL was not fetched. */
  readonly url: string | null;
  /** Time of the check, ms UTC. */
  readonly now: number;
  /**
   * Profile whose rules apply. All except `tls-client` add the rules of RFC 5280 §5.2 for issuing
   * CAs. Default: `tls-client`.
   */
  readonly profile?: Profile;
}

/**
 * Looks a certificate up in a CRL (RFC 5280 §6.3.3). Never throws. An entry counts even in an expired, delta or partial CRL, unless
 * it is a hold. A missing entry means good only if the CRL is current and complete, and clients that check CRLs rely on it.
 */
export function crlStatus(request: CrlStatusRequest): RevocationStatus {
  const { crl, certificate } = request;
  const untrusted = untrustedReason(request);
  if (untrusted !== null) return { state: 'none', why: untrusted };
  const { thisUpdate, nextUpdate } = crl;
  try {
    const entry = crl.find(certificate.serialNumber, certificate.issuer);
    if (entry?.reason === 'removeFromCRL') {
      // Only a delta CRL may have removeFromCRL (RFC 5280 §5.3.1). OpenSSL takes it as good, Java and Chromium as revoked.
      if (!crl.isDelta) return { state: 'none', why: 'contradictory' };
    } else if (entry !== null) {
      const counts = isFinal(entry) || !isStale(request);
      return counts
        ? { state: 'revoked', ...entry, thisUpdate, nextUpdate }
        : { state: 'none', why: 'stale' };
    }
  } catch (error) {
    // parseCrl checks only the shape of entries; their content is parsed here.
    if (error instanceof PkiError) return { state: 'none', why: 'malformed' };
    throw error;
  }
  const inconclusive = inconclusiveReason(request);
  if (inconclusive !== null) return { state: 'none', why: inconclusive };
  return { state: 'good', reason: null, revokedAt: null, thisUpdate, nextUpdate };
}

/** Returns the reason why the entries of the CRL cannot be trusted, or null if they can. */
function untrustedReason(request: CrlStatusRequest): NoStatusReason | null {
  const { crl, certificate, profile = 'tls-client' } = request;
  if (!isForIssuer(certificate, crl)) return 'wrong_issuer';
  const signers = request.signers.filter((one) => isSameName(crl.issuer, one.subject) && maySignCrls(one));
  if (signers.length === 0) return 'wrong_issuer';
  if (crl.hasWeakSignature) return 'weak_signature';
  const checks = signers.map((signer) => crl.checkIssuer(signer));
  if (!checks.includes('valid'))
    return checks.includes('unverifiable') ? 'unknown_signature' : 'bad_signature';
  if (crl.hasUnknownCritical || (profile !== 'tls-client' && !followsIssuerRules(crl))) return 'malformed';
  return crl.scope?.onlyAttributeCertificates === true ? 'wrong_scope' : null;
}

/** Returns whether the CRL may list the certificate: its issuer's own CRL, or an indirect one that the certificate names. */
function isForIssuer(
  { issuer, crlDistributionPoints }: Certificate,
  { issuer: crlIssuer, scope }: RevocationList,
): boolean {
  return (
    isSameName(crlIssuer, issuer) ||
    (scope?.isIndirect === true &&
      crlDistributionPoints.some(({ crlIssuerKeys }) => crlIssuerKeys?.includes(crlIssuer.comparisonKey)))
  );
}

/** Returns the reason why a missing entry proves nothing, or null if it means good. */
function inconclusiveReason(request: CrlStatusRequest): NoStatusReason | null {
  const { crl, certificate, url, now, isPublic } = request;
  if (!isCompleteFor(certificate, crl, url)) return 'wrong_scope';
  if (crl.scope?.isIndirect === true && isSameName(crl.issuer, certificate.issuer)) return 'indirect';
  if (crl.hasUnusualCritical) return 'malformed';
  if (isStale(request)) return 'stale';
  // Java uses no such CRL (X509CRLSelector), and Chromium and OpenSSL would use it forever.
  if (crl.nextUpdate === null) return 'no_next_update';
  return isPublic && isTooOld(certificate, now - crl.thisUpdate) ? 'too_old' : null;
}

function isStale({ crl: { thisUpdate, nextUpdate }, now }: CrlStatusRequest): boolean {
  return now < thisUpdate - CLOCK_SKEW_MS || (nextUpdate !== null && now > nextUpdate);
}

function isCompleteFor(
  certificate: Certificate,
  { issuer, scope, isDelta }: RevocationList,
  url: string | null,
): boolean {
  if (isDelta) return false;
  const isOwn = isSameName(issuer, certificate.issuer);
  const points = certificate.crlDistributionPoints.filter(
    ({ uris, coversAllReasons, crlIssuerKeys }) =>
      coversAllReasons &&
      (crlIssuerKeys === null ? isOwn : crlIssuerKeys.includes(issuer.comparisonKey)) &&
      (url === null || uris.includes(url)),
  );
  if (!isOwn && points.length === 0) return false;
  if (url !== null && points.length === 0) return false;
  if (scope === null) return true;
  if (scope.onlySomeReasons) return false;
  // Certificates of versions 1 and 2 do not say whether they belong to a CA.
  if (scope.onlyUserCertificates && (certificate.isCertificateAuthority || certificate.version < 3))
    return false;
  if (scope.onlyAuthorityCertificates && !certificate.isCertificateAuthority) return false;
  // All names of one distribution point name the same CRL (RFC 5280 §4.2.1.13).
  const { name } = scope;
  return name === null || points.some((point) => haveNameInCommon(point, name, issuer));
}

/** Returns whether the CRL has the version and extensions that RFC 5280 requires of CAs (§5.1.2.1, §5.2.1, §5.2.3). */
function followsIssuerRules({ version, extensions }: RevocationList): boolean {
  const required = [CRL_EXTENSION.authorityKeyIdentifier, CRL_EXTENSION.crlNumber];
  return version === 2 && required.every((identifier) => extensions.get(identifier)?.critical === false);
}
