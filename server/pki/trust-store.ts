import { hash } from 'node:crypto';
import { type Certificate, parseCertificate } from './certificate.ts';
import type { DistinguishedName } from './names/distinguished-name.ts';

/** A trust anchor: a certificate that is trusted by configuration. */
export interface TrustAnchor {
  readonly subject: DistinguishedName;
  readonly certificate: Certificate;
  /**
   * True for a root of a public root program, whose rules then apply to the certificates below the root; false
   * for an added private root.
   */
  readonly isPublic: boolean;
}

/** Immutable set of trust anchors. */
export interface TrustStore {
  readonly anchors: readonly TrustAnchor[];
  /** SHA-256 over the sorted fingerprints in lower-case hex; identifies the set. */
  readonly hash: string;
  /** Returns the anchors with this subject, compared by RFC 5280 §7.1. */
  withSubject(name: DistinguishedName): readonly TrustAnchor[];
  /** Returns whether the certificate with this fingerprint is an anchor. */
  has(fingerprint: string): boolean;
  /** Returns the anchor with this fingerprint, or null. */
  get(fingerprint: string): Certificate | null;
  /** Returns whether the certificate with this fingerprint is an anchor of a public root program. */
  isPublic(fingerprint: string): boolean;
}

/** Creates a store from DER certificates and ignores duplicates. Throws PkiError if one cannot be parsed. */
export function createTrustStore(
  certificates: Iterable<Uint8Array>,
  { arePublic = false }: { arePublic?: boolean } = {},
): TrustStore {
  return trustStore(readAnchors(certificates, arePublic));
}

/**
 * Returns a store with the anchors of `base` and these certificates, or `base` if it has them all. Does not parse
 * `base` again. Throws PkiError if a certificate cannot be parsed.
 */
export function extendTrustStore(base: TrustStore, certificates: Iterable<Uint8Array>): TrustStore {
  const added = readAnchors(certificates, false).filter(
    ({ certificate }) => !base.has(certificate.fingerprint),
  );
  return added.length === 0 ? base : trustStore([...base.anchors, ...added]);
}

/** Returns a store with the anchors of `base` that `isKept` keeps. */
export function filterTrustStore(base: TrustStore, isKept: (anchor: TrustAnchor) => boolean): TrustStore {
  return trustStore(base.anchors.filter(isKept));
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
  const known = new Map(anchors.map((anchor) => [anchor.certificate.fingerprint, anchor]));
  const bySubject = Map.groupBy(anchors, (anchor) => anchor.subject.comparisonKey);
  return {
    anchors,
    hash: hash('sha256', [...known.keys()].toSorted().join('\n'), 'hex'),
    withSubject: (name) => bySubject.get(name.comparisonKey) ?? [],
    has: (fingerprint) => known.has(fingerprint),
    get: (fingerprint) => known.get(fingerprint)?.certificate ?? null,
    isPublic: (fingerprint) => known.get(fingerprint)?.isPublic === true,
  };
}
