import { hash } from 'node:crypto';
import { LruCache } from './lru-cache.ts';
import { contextTag, type DerReader, onlyElement, TAG } from './der/der.ts';
import {
  bitStringValue,
  countValue,
  equalBytes,
  integerContent,
  timeValue,
  toHex,
} from './der/der-values.ts';
import { type DistinguishedName, parseDistinguishedName } from './names/distinguished-name.ts';
import { type ParsedExtensions, parseExtensions } from './parsed-extensions.ts';
import { type Extensions, readExtensionList } from './extension-list.ts';
import { PkiError } from './pki-error.ts';
import { parsePublicKey, type PublicKey } from './public-key.ts';
import { parseSignatureAlgorithm, type SignatureAlgorithm } from './signature.ts';
import { WEEK_MS } from '../../contract/durations.ts';

/** Maximum size of a certificate: OpenSSL accepts no larger one from a server. The largest in real use are under 20 kB. */
const MAX_CERTIFICATE_BYTES = 102_400;

/** A parsed certificate. Fields of malformed extensions are empty; `parseErrors` lists these extensions. */
export interface Certificate extends ParsedExtensions {
  readonly der: Uint8Array;
  /** SHA-256 of the DER in lower-case hex; identifies the certificate. */
  readonly fingerprint: string;
  readonly version: number;
  /** Lower-case hex of the INTEGER's content, including a leading 00 if it has one. */
  readonly serialNumber: string;
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  /** First valid second, in ms UTC. */
  readonly notBefore: number;
  /** Last valid second, in ms UTC. */
  readonly notAfter: number;
  /** True if dates through 2049 use UTCTime and later ones GeneralizedTime (RFC 5280 §4.1.2.5). */
  readonly timesAreEncodedAsRequired: boolean;
  readonly key: PublicKey;
  readonly signatureAlgorithm: string;
  readonly signature: {
    readonly algorithm: SignatureAlgorithm;
    readonly signed: Uint8Array;
    readonly octets: Uint8Array;
  };
  /** True if the certificate has an issuer or subject unique identifier (X.509 v2). */
  readonly hasUniqueIdentifier: boolean;
  /** Extensions by OID (dotted decimal), in the order of the certificate. */
  readonly extensions: Extensions;
  /** True if issuer and subject are the same name (RFC 5280 §6.1). This says nothing about the signature. */
  readonly selfIssued: boolean;
}

/**
 * Parses one DER certificate (RFC 5280 §4.1). Throws PkiError on malformed input. A malformed extension only adds to
 * `parseErrors`, so that the rest of the certificate can still be shown.
 */
export function parseCertificate(der: Uint8Array): Certificate {
  if (der.length > MAX_CERTIFICATE_BYTES) throw new PkiError('too_large', 'certificate larger than 100 kB');
  const fingerprint = hash('sha256', der, 'hex');
  let certificate = cache.get(fingerprint);
  if (certificate === null) {
    // Copy the bytes: the fields are views on them, and the caller may reuse its buffer or pass a slice of a large one.
    certificate = readCertificate(Uint8Array.from(der), fingerprint);
    cache.set(fingerprint, certificate, der.length);
  }
  return certificate;
}

/** Parses like `parseCertificate`, but returns null on malformed input. */
export function tryParseCertificate(der: Uint8Array): Certificate | null {
  try {
    return parseCertificate(der);
  } catch (error) {
    if (error instanceof PkiError) return null;
    throw error;
  }
}

/**
 * Size limit of the cache in bytes of DER: about 300 real certificates. The parsed certificates take ten times as
 * much memory.
 */
const CACHE_BYTES = 512 * 1024;

/**
 * Cache of parsed certificates: a check parses the same chain several times, and most chains share their intermediates.
 * Measured: 60 to 160 µs to parse a certificate, 8 µs from the cache.
 */
const cache = new LruCache<string, Certificate>(CACHE_BYTES);

function readCertificate(der: Uint8Array, fingerprint: string): Certificate {
  const outer = onlyElement(der, TAG.sequence).open();
  const signed = outer.read(TAG.sequence);
  const algorithm = parseSignatureAlgorithm(outer.read(TAG.sequence).encoded);
  const signatureBits = bitStringValue(outer.read(TAG.bitString));
  outer.end();
  if (signatureBits.unusedBits !== 0)
    throw new PkiError('der_bit_string', 'signature is not a whole number of bytes');

  const body = signed.open();
  const version = readVersion(body);
  const serialNumber = toHex(integerContent(body.read(TAG.integer)));
  if (!equalBytes(algorithm.der, body.read(TAG.sequence).encoded)) {
    throw new PkiError('algorithm_mismatch', 'signature algorithms differ');
  }
  const issuer = parseDistinguishedName(body.read(TAG.sequence).encoded);
  const validity = readValidity(body.enter(TAG.sequence));
  const subject = parseDistinguishedName(body.read(TAG.sequence).encoded);
  const key = parsePublicKey(body.read(TAG.sequence).encoded);
  const issuerId = body.optional(contextTag(1, 'primitive'));
  const subjectId = body.optional(contextTag(2, 'primitive'));
  const hasUniqueIdentifier = issuerId !== null || subjectId !== null;
  if (hasUniqueIdentifier && version === 1)
    throw new PkiError('version', 'unique identifier in a version 1 certificate');
  const extensions = readExtensions(body, version);
  body.end();

  return {
    der,
    fingerprint,
    version,
    serialNumber,
    subject,
    issuer,
    ...validity,
    key,
    signatureAlgorithm: algorithm.name,
    signature: { algorithm, signed: signed.encoded, octets: signatureBits.octets },
    hasUniqueIdentifier,
    extensions,
    selfIssued: isSameName(subject, issuer),
    ...parseExtensions(extensions),
  };
}

/** Returns whether two names are equal by the comparison of RFC 5280 §7.1. */
export function isSameName(left: DistinguishedName, right: DistinguishedName): boolean {
  return equalBytes(left.der, right.der) || left.comparisonKey === right.comparisonKey;
}

function readVersion(body: DerReader): number {
  const field = body.optional(contextTag(0, 'constructed'));
  if (field === null) return 1;
  const version = countValue(onlyElement(field.content, TAG.integer)) + 1;
  // Version 1 is the DEFAULT, which DER must omit.
  if (version !== 2 && version !== 3) throw new PkiError('version', 'unknown version');
  return version;
}

function readValidity(
  reader: DerReader,
): Pick<Certificate, 'notBefore' | 'notAfter' | 'timesAreEncodedAsRequired'> {
  const first = reader.read();
  const last = reader.read();
  reader.end();
  const [notBefore, notAfter] = [timeValue(first), timeValue(last)];
  const asRequired = (tag: number, instant: number): boolean =>
    (tag === TAG.generalizedTime) === instant >= Date.UTC(2050, 0);
  const timesAreEncodedAsRequired = asRequired(first.tag, notBefore) && asRequired(last.tag, notAfter);
  return { notBefore, notAfter, timesAreEncodedAsRequired };
}

function readExtensions(body: DerReader, version: number): Extensions {
  const field = body.optional(contextTag(3, 'constructed'));
  if (field === null) return new Map();
  if (version !== 3) throw new PkiError('version', 'extensions in a certificate below version 3');
  return readExtensionList(onlyElement(field.content, TAG.sequence).open());
}

const SHORT_LIVED_MS = WEEK_MS;

/**
 * Returns whether the CA intentionally provides no revocation information: the certificate says so (RFC 9608), or it is
 * valid for at most seven days and names no source (short-lived subscriber certificate, BR §1.6.1).
 */
export function hasNoRevocationInformation(certificate: Certificate): boolean {
  if (certificate.isCertificateAuthority) return false;
  if (certificate.hasNoRevAvail) return true;
  const namesSource = certificate.crlDistributionPoints.length > 0 || certificate.ocspUrls.length > 0;
  return !namesSource && certificate.notAfter - certificate.notBefore <= SHORT_LIVED_MS;
}

/** Returns the SHA-256 of SubjectPublicKeyInfo in lower-case hex. Equal for all certificates with the same key. */
export function subjectPublicKeyHash({ key }: Certificate): string {
  return hash('sha256', key.der, 'hex');
}
