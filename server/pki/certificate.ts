import { hash } from 'node:crypto';
import { BoundedMap } from './bounded-map.ts';
import type { DerReader } from './der/der.ts';
import { contextTag, onlyElement, TAG } from './der/der.ts';
import { bitStringValue, countValue, equalBytes, integerContent } from './der/der-values.ts';
import { timeValue, toHex } from './der/der-values.ts';
import type { DistinguishedName } from './names/distinguished-name.ts';
import { parseDistinguishedName } from './names/distinguished-name.ts';
import type { ExtensionFacts } from './extension-facts.ts';
import { readExtensionFacts } from './extension-facts.ts';
import type { Extensions } from './extension-list.ts';
import { readExtensionList } from './extension-list.ts';
import { PkiError } from './pki-error.ts';
import type { PublicKey } from './public-key.ts';
import { parsePublicKey } from './public-key.ts';
import type { SignatureAlgorithm } from './signature.ts';
import { parseSignatureAlgorithm } from './signature.ts';

/** Over this no certificate is read: the largest in real use are under 20 kB. */
const MAX_CERTIFICATE_BYTES = 65_536;

/** A certificate as bytes and as facts. Facts of an extension that did not parse are absent and named in `parseErrors`. */
export interface Certificate extends ExtensionFacts {
  readonly der: Uint8Array;
  /** SHA-256 of the DER, lower-case hex: the certificate's identity. */
  readonly fingerprint: string;
  readonly version: number;
  /** Hex of the INTEGER's content, a leading 00 kept. */
  readonly serialNumber: string;
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  /** First and last valid second, ms UTC. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** RFC 5280 §4.1.2.5: UTCTime through 2049, GeneralizedTime from then on. */
  readonly timesAreEncodedAsRequired: boolean;
  readonly key: PublicKey;
  readonly signatureAlgorithm: string;
  readonly signature: {
    readonly algorithm: SignatureAlgorithm;
    readonly signed: Uint8Array;
    readonly octets: Uint8Array;
  };
  /** Has one of the unique identifiers of X.509 v2. */
  readonly hasUniqueIdentifier: boolean;
  /** By dotted identifier, in the order of the certificate. */
  readonly extensions: Extensions;
  /** Issuer and subject are the same name (RFC 5280 §6.1): says nothing of the signature. */
  readonly selfIssued: boolean;
}

/**
 * Reads one DER certificate (RFC 5280 §4.1). Throws PkiError on malformed input; an extension that does not
 * parse is an entry of `parseErrors` instead, so that the rest of a broken certificate can still be shown.
 */
export function parseCertificate(der: Uint8Array): Certificate {
  if (der.length > MAX_CERTIFICATE_BYTES) throw new PkiError('too_large', 'certificate over 64 kB');
  const fingerprint = hash('sha256', der, 'hex');
  let certificate = recent.get(fingerprint);
  if (certificate === null) {
    // A copy: the facts are views on it, and the caller's buffer may be reused, or a small part of a large one.
    certificate = readCertificate(Uint8Array.from(der), fingerprint);
    recent.set(fingerprint, certificate, der.length);
  }
  return certificate;
}

/** As `parseCertificate`, with null for what cannot be read. */
export function parseReadable(der: Uint8Array): Certificate | null {
  try {
    return parseCertificate(der);
  } catch (error) {
    if (error instanceof PkiError) return null;
    throw error;
  }
}

/** Of DER: some 300 real certificates, or one look's worth of the largest. What was read of them takes about ten times as much. */
const RECENT_BYTES = 512 * 1024;

/**
 * A check reads the same chain several times over, and most chains share their intermediates (measured: 60 to
 * 160 µs for one read, 8 µs for one remembered).
 */
const recent = new BoundedMap<string, Certificate>(RECENT_BYTES);

function readCertificate(der: Uint8Array, fingerprint: string): Certificate {
  const outer = onlyElement(der, TAG.sequence).open();
  const signed = outer.read(TAG.sequence);
  const algorithm = parseSignatureAlgorithm(outer.read(TAG.sequence).encoded);
  const signatureBits = bitStringValue(outer.read(TAG.bitString));
  outer.end();
  if (signatureBits.unusedBits !== 0)
    throw new PkiError('der_bit_string', 'signature is no whole number of octets');

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
  if (hasUniqueIdentifier && version === 1) throw new PkiError('version', 'unique identifier in version 1');
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
    ...readExtensionFacts(extensions),
  };
}

/** RFC 5280 §7.1 comparison. */
export function isSameName(left: DistinguishedName, right: DistinguishedName): boolean {
  return equalBytes(left.der, right.der) || left.comparisonKey === right.comparisonKey;
}

function readVersion(body: DerReader): number {
  const field = body.optional(contextTag(0, 'constructed'));
  if (field === null) return 1;
  const version = countValue(onlyElement(field.content, TAG.integer)) + 1;
  // Version 1 is the DEFAULT, which DER never writes.
  if (version !== 2 && version !== 3) throw new PkiError('version', 'no such version');
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
  if (version !== 3) throw new PkiError('version', 'extensions before version 3');
  return readExtensionList(onlyElement(field.content, TAG.sequence).open());
}
