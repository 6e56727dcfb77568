export type { Certificate } from './certificate.ts';
export type { LenientCertificate } from './lenient-certificate.ts';
export { readLeniently } from './lenient-certificate.ts';
export { LruCache } from './lru-cache.ts';
export { parseCertificate, tryParseCertificate } from './certificate.ts';
export type { Purpose } from './certificate-checks.ts';
export { unknownCriticalExtensions, validityFailure } from './certificate-checks.ts';
export { parseCrl } from './revocation/crl.ts';
export type { RevocationList } from './revocation/crl.ts';
export { crlSigners } from './revocation/crl-signers.ts';
export { crlStatus } from './revocation/crl-status.ts';
export { parseCertificateBundle, splitPem } from './certificate-bundle.ts';
export type { DistinguishedName } from './names/distinguished-name.ts';
export type { SubjectAltNames } from './extensions.ts';
export { formatDistinguishedName } from './names/distinguished-name.ts';
export { parseIpAddress } from './names/ip-address.ts';
export { hasTimestamps } from './revocation/ocsp-response.ts';
export { ocspStatus } from './revocation/ocsp-status.ts';
export { ocspRequest } from './revocation/ocsp-request.ts';
export { arePoliciesSatisfied } from './certificate-policies.ts';
export type { PathRequest, PathResult } from './path.ts';
export type { FoundPath } from './path-search.ts';
export { buildPath } from './path.ts';
export type { CertificateRole, PathFailure, PathFailureCode } from './path-failure.ts';
export { toPem } from './der/pem.ts';
export type { PkiErrorCode } from './pki-error.ts';
export { PkiError } from './pki-error.ts';
export type { Profile } from './profile/profile.ts';
export { HASH_BYTES, type PssParameters } from './pss-parameters.ts';
export type { PublicKey } from './public-key.ts';
export { isWeakKey, KEY_ALGORITHMS, publicKeyName, RSA_PSS } from './public-key.ts';
export { EMAIL_ADDRESS, EXTENSION, PURPOSE } from './der/object-identifiers.ts';
export { type Mailbox, splitMailbox } from './names/name-constraints.ts';
export { type NameConstraints } from './names/general-name.ts';
export type { ReferenceIdentifier } from './names/reference-identifier.ts';
export { matchesReference, referenceMatcher } from './names/reference-identifier.ts';
export type { GeneralName } from './names/general-name.ts';
export { parseRenewalInfo, renewalInfoId } from './renewal-info.ts';
export type { RenewalWindow } from './renewal-info.ts';
export {
  isFinal,
  MAX_AGE_WITHOUT_NEXT_UPDATE_MS,
  type NoStatusReason,
  type RevocationStatus,
} from './revocation/revocation-status.ts';
export { hasNoRevocationInformation, subjectPublicKeyHash } from './certificate.ts';
export { isKeyFor } from './signature.ts';
export { checkIssuer, isSignedBy } from './certificate-checks.ts';
export type { TrustAnchor, TrustStore } from './trust-store.ts';
export { createTrustStore, extendTrustStore, filterTrustStore } from './trust-store.ts';
export { DEFAULT_WORK_PER_CHECK, WorkBudget } from './work-budget.ts';
