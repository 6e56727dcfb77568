import type { Certificate } from '../certificate.ts';
import { type ByteRange, findEntries, walkEntries } from './crl-entries.ts';
import { contextTag, type DerElement, DerReader, onlyElement, TAG } from '../der/der.ts';
import { bitStringValue, countValue, equalBytes, timeValue } from '../der/der-values.ts';
import { type DistinguishedName, parseDistinguishedName } from '../names/distinguished-name.ts';
import { type Extensions, hasUnknownCritical, readExtensionList } from '../extension-list.ts';
import {
  directoryKeys,
  type IssuingDistributionPoint,
  parseIssuingDistributionPoint,
} from './issuing-distribution-point.ts';
import { CRL_EXTENSION } from '../der/object-identifiers.ts';
import { pemBlocks, pemText } from '../der/pem.ts';
import { PkiError } from '../pki-error.ts';
import { isFinal, reasonName } from './revocation-status.ts';
import {
  checkSignature,
  isBrokenSignature,
  parseSignatureAlgorithm,
  type SignatureCheck,
} from '../signature.ts';

/** Maximum size of a CRL. The largest in real use are about 15 MB. */
const MAX_LIST_BYTES = 32 * 1024 * 1024;
const TAG_ENUMERATED = 0x0a;

export interface RevokedEntry {
  /** Time of the revocation, ms UTC. */
  readonly revokedAt: number;
  /** Name of the reason (RFC 5280 §5.3.1) such as `keyCompromise`; null if the entry gives none. */
  readonly reason: string | null;
}

/** A parsed certificate revocation list (RFC 5280 §5.1). Not verified: call `checkIssuer` before trusting it. */
export interface RevocationList {
  readonly byteLength: number;
  readonly version: number;
  readonly issuer: DistinguishedName;
  /** Issue time of the CRL, ms UTC. */
  readonly thisUpdate: number;
  /** Time by which the CA issues the next CRL, ms UTC; null if absent. */
  readonly nextUpdate: number | null;
  readonly entryCount: number;
  readonly extensions: Extensions;
  /** Certificates that the CRL covers; null if it covers all certificates of its issuer. */
  readonly scope: IssuingDistributionPoint | null;
  /** True for a delta CRL, which lists only the changes since another CRL (RFC 5280 §5.2.4). */
  readonly isDelta: boolean;
  /** True if the CRL or an entry has an unknown critical extension. */
  readonly hasUnknownCritical: boolean;
  /** True if an extension is critical that we understand, but clients do not, such as the CRL number or a reason. */
  readonly hasUnusualCritical: boolean;
  /**
   * Returns the gravest entry with this serial number (hex as in `Certificate`), and in an indirect CRL this issuer, or null: a final
   * revocation, else a hold, else a removal. Throws PkiError if the entry is malformed, or for over 16,384 indirect entries.
   */
  find(serialNumber: string, issuer: DistinguishedName): RevokedEntry | null;
  /** True if the signature proves nothing, because its algorithm is outdated. */
  readonly hasWeakSignature: boolean;
  /** Checks whether the key of `issuer` made the signature. Returns `invalid` for weak algorithms. */
  checkIssuer(issuer: Certificate): SignatureCheck;
}

/**
 * Parses a CRL (some ms for 100,000 entries): DER up to 32 MB, or PEM up to 8 MB, which some CAs serve contrary to RFC
 * 5280 §4.2.1.13. Keeps a view on `list`, so callers must not change it. Throws PkiError on malformed input.
 */
export function parseCrl(list: Uint8Array): RevocationList {
  if (list.length > MAX_LIST_BYTES) throw new PkiError('too_large', 'CRL larger than 32 MB');
  const bytes = toDer(Buffer.from(list.buffer, list.byteOffset, list.length));
  const outer = onlyElement(bytes, TAG.sequence).open();
  const signed = outer.read(TAG.sequence);
  const algorithm = parseSignatureAlgorithm(outer.read(TAG.sequence).encoded);
  const signature = bitStringValue(outer.read(TAG.bitString));
  outer.end();
  if (signature.unusedBits !== 0)
    throw new PkiError('der_bit_string', 'signature is not a whole number of bytes');

  const body = signed.open();
  const version = readVersion(body);
  if (!equalBytes(algorithm.der, body.read(TAG.sequence).encoded)) {
    throw new PkiError('algorithm_mismatch', 'signature algorithms differ');
  }
  const issuer = parseDistinguishedName(body.read(TAG.sequence).encoded);
  const thisUpdate = timeValue(body.read());
  const isTime = body.nextTag === TAG.utcTime || body.nextTag === TAG.generalizedTime;
  const nextUpdate = isTime ? timeValue(body.read()) : null;
  const revoked = entriesRange(bytes, body.optional(TAG.sequence));
  const extensions = readExtensions(body);
  body.end();

  const entries = walkEntries(bytes, revoked, null);
  if (version === 1 && (extensions.size > 0 || entries.hasExtensions)) {
    throw new PkiError('version', 'extensions in a CRL below version 2');
  }
  const scope = extensions.get(CRL_EXTENSION.issuingDistributionPoint);
  const parsedScope = scope === undefined ? null : parseIssuingDistributionPoint(scope.value);
  const verified = new WeakMap<Certificate, SignatureCheck>();
  const hasWeakSignature = isBrokenSignature(algorithm);
  return {
    byteLength: bytes.length,
    version,
    issuer,
    thisUpdate,
    nextUpdate,
    entryCount: entries.count,
    extensions,
    scope: parsedScope,
    isDelta: extensions.has(CRL_EXTENSION.deltaCrlIndicator),
    hasUnknownCritical:
      entries.hasUnknownCritical ||
      (entries.hasCertificateIssuer && parsedScope?.isIndirect !== true) ||
      hasUnknownCritical(extensions, KNOWN_EXTENSIONS),
    hasUnusualCritical: entries.hasCriticalReason || hasUnknownCritical(extensions, USUALLY_CRITICAL),
    find(serialNumber, certificateIssuer) {
      const wanted = Buffer.from(serialNumber, 'hex');
      const found =
        parsedScope?.isIndirect === true
          ? indirectEntries(bytes, revoked, issuer, wanted, certificateIssuer)
          : findEntries(bytes, revoked, entries.marks, wanted);
      return gravestEntry(bytes, found);
    },
    hasWeakSignature,
    checkIssuer(certificate) {
      let result = verified.get(certificate);
      if (result === undefined) {
        result = hasWeakSignature
          ? 'invalid'
          : checkSignature(algorithm, signed.encoded, signature.octets, certificate.key);
        verified.set(certificate, result);
      }
      return result;
    },
  };
}

function toDer(bytes: Buffer): Buffer {
  if (bytes[0] === TAG.sequence) return bytes;
  const der = pemBlocks(pemText(bytes), 'crl')[0]?.der;
  if (der === undefined) throw new PkiError('der_tag', 'not a CRL');
  return Buffer.from(der.buffer, der.byteOffset, der.length);
}

function readVersion(body: DerReader): number {
  const field = body.optional(TAG.integer);
  if (field === null) return 1;
  if (countValue(field) !== 1) throw new PkiError('version', 'unknown version');
  return 2;
}

/**
 * Returns the byte range of the entries. If there are none, the list must be absent (RFC 5280 §5.1.2.6): Chromium uses no CRL with an empty list.
 */
function entriesRange(bytes: Buffer, list: DerElement | null): ByteRange {
  if (list === null) return { start: 0, end: 0 };
  if (list.content.length === 0) throw new PkiError('empty', 'an empty list of revoked certificates');
  return rangeOf(bytes, list.content);
}

/** Returns the byte range of a view on `bytes`. */
function rangeOf(bytes: Buffer, view: Uint8Array): ByteRange {
  const start = view.byteOffset - bytes.byteOffset;
  return { start, end: start + view.length };
}

function readExtensions(body: DerReader): Extensions {
  const field = body.optional(contextTag(0, 'constructed'));
  return field === null ? new Map() : readExtensionList(onlyElement(field.content, TAG.sequence).open());
}

/** CRL extensions that may be critical. OpenSSL, Java and Chromium use no CRL with another critical extension. */
const USUALLY_CRITICAL = new Set<string>([
  CRL_EXTENSION.deltaCrlIndicator,
  CRL_EXTENSION.issuingDistributionPoint,
]);
/** The extensions above, and those that do not change the meaning of entries. A revocation counts even if one of these is critical. */
const KNOWN_EXTENSIONS = new Set<string>([
  ...USUALLY_CRITICAL,
  CRL_EXTENSION.issuerAltName,
  CRL_EXTENSION.crlNumber,
  CRL_EXTENSION.authorityKeyIdentifier,
]);

/**
 * Returns the entries of an indirect CRL about a certificate. An entry without certificateIssuer has the issuer of the entry before it; the first
 * entry has the issuer of the CRL (RFC 5280 §5.3.3).
 */
function indirectEntries(
  bytes: Buffer,
  { start, end }: ByteRange,
  listIssuer: DistinguishedName,
  serialNumber: Uint8Array,
  certificateIssuer: DistinguishedName,
): ByteRange[] {
  const list = new DerReader(bytes, start, end);
  const found: ByteRange[] = [];
  let issuers = [listIssuer.comparisonKey];
  while (!list.done) {
    const element = list.read(TAG.sequence);
    const entry = element.open();
    const serial = entry.read(TAG.integer).content;
    entry.read();
    const named = entry.done
      ? undefined
      : readExtensionList(entry.enter(TAG.sequence)).get(CRL_EXTENSION.certificateIssuer);
    if (named !== undefined) issuers = directoryKeys(onlyElement(named.value, TAG.sequence));
    if (equalBytes(serial, serialNumber) && issuers.includes(certificateIssuer.comparisonKey))
      found.push(rangeOf(bytes, element.encoded));
  }
  return found;
}

function gravestEntry(bytes: Buffer, found: readonly ByteRange[]): RevokedEntry | null {
  let hold: RevokedEntry | null = null;
  let removed: RevokedEntry | null = null;
  for (const { start, end } of found) {
    const entry = new DerReader(bytes, start, end).enter(TAG.sequence);
    entry.read(TAG.integer);
    const revokedAt = timeValue(entry.read());
    const extensions = entry.done ? null : readExtensionList(entry.enter(TAG.sequence));
    const code = extensions?.get(CRL_EXTENSION.reasonCode);
    const reason = code === undefined ? null : reasonName(onlyElement(code.value, TAG_ENUMERATED).content);
    if (reason === 'removeFromCRL') removed ??= { revokedAt, reason };
    else if (isFinal({ reason })) return { revokedAt, reason };
    else hold ??= { revokedAt, reason };
  }
  return hold ?? removed;
}
