import { hash } from 'node:crypto';
import type { Certificate } from './certificate.ts';
import { parseCertificate } from './certificate.ts';
import type { DistinguishedName } from './distinguished-name.ts';

/** A certificate that is trusted because somebody said so. */
export interface TrustAnchor {
  readonly subject: DistinguishedName;
  readonly certificate: Certificate;
}

/** A fixed set of anchors. */
export interface TrustStore {
  readonly anchors: readonly TrustAnchor[];
  /** SHA-256 over the sorted fingerprints, lower-case hex: tells one set of roots from another. */
  readonly hash: string;
  /** Anchors with this subject, by RFC 5280 §7.1 comparison. */
  withSubject(name: DistinguishedName): readonly TrustAnchor[];
  /** Whether exactly this certificate is an anchor. */
  has(fingerprint: string): boolean;
}

/** Makes a store of DER certificates; repeated ones count once. Throws PkiError on one that cannot be read. */
export function createTrustStore(certificates: Iterable<Uint8Array>): TrustStore {
  const byFingerprint = new Map<string, TrustAnchor>();
  for (const der of certificates) {
    const certificate = parseCertificate(der);
    byFingerprint.set(certificate.fingerprint, { subject: certificate.subject, certificate });
  }
  const anchors = [...byFingerprint.values()];
  const bySubject = Map.groupBy(anchors, (anchor) => anchor.subject.comparisonKey);
  const fingerprints = [...byFingerprint.keys()].toSorted();
  return {
    anchors,
    hash: hash('sha256', fingerprints.join('\n'), 'hex'),
    withSubject: (name) => bySubject.get(name.comparisonKey) ?? [],
    has: (fingerprint) => byFingerprint.has(fingerprint),
  };
}
