import { hash } from 'node:crypto';
import type { Certificate } from './certificate.ts';
import { parseCertificate } from './certificate.ts';
import type { DistinguishedName } from './names/distinguished-name.ts';

/** A certificate that is trusted because somebody said so. */
export interface TrustAnchor {
  readonly subject: DistinguishedName;
  readonly certificate: Certificate;
  /** Of a public root program, whose rules bind what hangs on it; false for what an operator or an account added. */
  readonly isPublic: boolean;
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
  /** The anchor with this fingerprint, null where there is none. */
  get(fingerprint: string): Certificate | null;
}

/** Makes a store of DER certificates; repeated ones count once. Throws PkiError on one that cannot be read. */
export function createTrustStore(
  certificates: Iterable<Uint8Array>,
  { arePublic = false }: { arePublic?: boolean } = {},
): TrustStore {
  return trustStore(readAnchors(certificates, arePublic));
}

/**
 * A store with everything in `base` and these certificates too, with a hash of its own. Reads nothing of the base again, which
 * stays as it is. Throws PkiError on a certificate that cannot be read.
 */
export function extendTrustStore(base: TrustStore, certificates: Iterable<Uint8Array>): TrustStore {
  const further = readAnchors(certificates, false).filter(
    ({ certificate }) => !base.has(certificate.fingerprint),
  );
  return further.length === 0 ? base : trustStore([...base.anchors, ...further]);
}

function readAnchors(certificates: Iterable<Uint8Array>, isPublic: boolean): TrustAnchor[] {
  const byFingerprint = new Map<string, TrustAnchor>();
  for (const der of certificates) {
    const certificate = parseCertificate(der);
    byFingerprint.set(certificate.fingerprint, { subject: certificate.subject, certificate, isPublic });
  }
  return [...byFingerprint.values()];
}

function trustStore(anchors: readonly TrustAnchor[]): TrustStore {
  const known = new Map(anchors.map(({ certificate }) => [certificate.fingerprint, certificate]));
  const bySubject = Map.groupBy(anchors, (anchor) => anchor.subject.comparisonKey);
  return {
    anchors,
    hash: hash('sha256', [...known.keys()].toSorted().join('\n'), 'hex'),
    withSubject: (name) => bySubject.get(name.comparisonKey) ?? [],
    has: (fingerprint) => known.has(fingerprint),
    get: (fingerprint) => known.get(fingerprint) ?? null,
  };
}
