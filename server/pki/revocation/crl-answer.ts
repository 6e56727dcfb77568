import { type Certificate, isSameName } from '../certificate.ts';
import type { RevocationList } from './crl.ts';
import { CRL_EXTENSION } from '../der/object-identifiers.ts';
import { PkiError } from '../pki-error.ts';
import type { Profile } from '../profile/profile.ts';
import { CLOCK_SKEW_MS, type RevocationAnswer, type RevocationRefusal } from './revocation-answer.ts';

export interface CrlQuestion {
  readonly crl: RevocationList;
  readonly certificate: Certificate;
  /** The certificate that signed it, as on its path. */
  readonly issuer: Certificate;
  /** The address in the certificate that the list was fetched from, byte for byte; null for one that was handed over. */
  readonly url: string | null;
  /** ms UTC. */
  readonly now: number;
  /** Beyond `tls-client`: also what RFC 5280 §5.2 obliges issuing CAs to. Default tls-client. */
  readonly profile?: Profile;
}

/**
 * Looks a certificate up in a CRL (RFC 5280 §6.3.3). An entry means revoked even if the CRL is expired, a delta or another shard,
 * because a revocation is final. A missing entry means good only if the CRL is current and covers this certificate. Otherwise returns
 * why the CRL does not answer. Never throws.
 */
export function crlAnswer(question: CrlQuestion): RevocationAnswer {
  const { crl, certificate } = question;
  const doubt = doubtOf(question);
  if (doubt !== null) return { state: 'none', why: doubt };
  const { thisUpdate, nextUpdate } = crl;
  try {
    const entry = crl.find(certificate.serialNumber);
    if (entry !== null) return { state: 'revoked', ...entry, thisUpdate, nextUpdate };
  } catch (error) {
    // An entry is read to its end only when it is the one that was looked for.
    if (error instanceof PkiError) return { state: 'none', why: 'malformed' };
    throw error;
  }
  const gap = gapOf(question);
  if (gap !== null) return { state: 'none', why: gap };
  return { state: 'good', reason: null, revokedAt: null, thisUpdate, nextUpdate };
}

/** Returns why the entries of the CRL cannot be trusted, or null if they can. */
function doubtOf(question: CrlQuestion): RevocationRefusal | null {
  const { crl, certificate, issuer, profile = 'tls-client' } = question;
  if (!isSameName(crl.issuer, certificate.issuer) || !isSameName(crl.issuer, issuer.subject)) {
    return 'wrong_issuer';
  }
  if (issuer.keyUsage !== null && !issuer.keyUsage.has('cRLSign')) return 'wrong_issuer';
  if (!crl.isSignedBy(issuer)) return 'bad_signature';
  if (crl.hasUnknownCritical || (profile !== 'tls-client' && !isAsIssuersMustWrite(crl))) return 'malformed';
  // The serial numbers may belong to other issuers or to attribute certificates.
  if (crl.scope?.isIndirect === true || crl.scope?.onlyAttributeCertificates === true) return 'wrong_scope';
  return null;
}

/** Returns why a missing entry proves nothing, or null if it means good. */
function gapOf({ crl, certificate, url, now }: CrlQuestion): RevocationRefusal | null {
  if (!isCompleteFor(certificate, crl, url)) return 'wrong_scope';
  if (crl.nextUpdate === null || now < crl.thisUpdate - CLOCK_SKEW_MS || now > crl.nextUpdate) return 'stale';
  return null;
}

function isCompleteFor(
  certificate: Certificate,
  { scope, isDelta }: RevocationList,
  url: string | null,
): boolean {
  if (isDelta) return false;
  const points = certificate.crlDistributionPoints.filter(
    ({ uris, isComplete }) => isComplete && url !== null && uris.includes(url),
  );
  if (url !== null && points.length === 0) return false;
  if (scope === null) return true;
  if (scope.onlySomeReasons) return false;
  if (scope.onlyUserCertificates && certificate.isCertificateAuthority) return false;
  if (scope.onlyAuthorityCertificates && !certificate.isCertificateAuthority) return false;
  // Several names of one distribution point are names of the same list (§4.2.1.13).
  const { uris } = scope;
  return uris === null || points.some((point) => point.uris.some((uri) => uris.includes(uri)));
}

/** §5.1.2.1, §5.2.1, §5.2.3. */
function isAsIssuersMustWrite({ version, extensions }: RevocationList): boolean {
  const required = [CRL_EXTENSION.authorityKeyIdentifier, CRL_EXTENSION.crlNumber];
  return version === 2 && required.every((identifier) => extensions.get(identifier)?.critical === false);
}
