import { contextTag, type DerElement, onlyElement, TAG } from '../der/der.ts';
import { booleanValue } from '../der/der-values.ts';
import { type DistinguishedName, relativeNameKeyOf } from '../names/distinguished-name.ts';
import { PkiError } from '../pki-error.ts';
import { ADDRESS_LENGTHS, type GeneralName, readGeneralName } from '../names/general-name.ts';

/** IssuingDistributionPoint (RFC 5280 §5.2.5): the certificates and reasons that a CRL covers. */
export interface IssuingDistributionPoint {
  /** Null if it has no name, and thus covers every distribution point of its issuer. */
  readonly name: DistributionPointName | null;
  readonly onlyUserCertificates: boolean;
  readonly onlyAuthorityCertificates: boolean;
  readonly onlyAttributeCertificates: boolean;
  readonly onlySomeReasons: boolean;
  readonly isIndirect: boolean;
}

/** Parses the value of the extension IssuingDistributionPoint. Throws PkiError on malformed input. */
export function parseIssuingDistributionPoint(value: Uint8Array): IssuingDistributionPoint {
  const reader = onlyElement(value, TAG.sequence).open();
  if (reader.done) throw new PkiError('empty', 'an issuing distribution point without fields');
  const flag = (number: number): boolean => {
    const element = reader.optional(contextTag(number, 'primitive'));
    return element !== null && booleanValue(element);
  };
  const name = reader.optional(contextTag(0, 'constructed'));
  const onlyUserCertificates = flag(1);
  const onlyAuthorityCertificates = flag(2);
  const onlySomeReasons = reader.optional(contextTag(3, 'primitive')) !== null;
  const isIndirect = flag(4);
  const onlyAttributeCertificates = flag(5);
  reader.end();
  return {
    name: name === null ? null : readDistributionPointName(name),
    onlyUserCertificates,
    onlyAuthorityCertificates,
    onlyAttributeCertificates,
    onlySomeReasons,
    isIndirect,
  };
}

/** DistributionPointName (RFC 5280 §4.2.1.13): equivalent names of one CRL. */
export interface DistributionPointName {
  /** URIs of any scheme, byte for byte. */
  readonly uris: readonly string[];
  /** Comparison keys of directory names. */
  readonly directoryKeys: readonly string[];
  /** Comparison key of a relative name, which continues the name of the CRL issuer; null if the names are full. */
  readonly relativeKey: string | null;
}

/** Reads a DistributionPointName. Ignores name forms other than URI and directory name. Throws PkiError on malformed input. */
export function readDistributionPointName(name: DerElement): DistributionPointName {
  const choice = name.open();
  const fullName = choice.optional(contextTag(0, 'constructed'));
  if (fullName === null) {
    const relativeName = choice.read(contextTag(1, 'constructed'));
    choice.end();
    return { uris: [], directoryKeys: [], relativeKey: relativeNameKeyOf(relativeName) };
  }
  choice.end();
  const names = readNames(fullName);
  return {
    uris: names.flatMap((one) => (one.kind === 'uri' ? [one.value] : [])),
    directoryKeys: keysOf(names),
    relativeKey: null,
  };
}

/** Returns the comparison keys of the directory names among GeneralNames. Throws PkiError on malformed input. */
export function directoryKeys(list: DerElement): string[] {
  return keysOf(readNames(list));
}

function readNames(list: DerElement): GeneralName[] {
  const reader = list.open();
  const names: GeneralName[] = [];
  while (!reader.done) names.push(readGeneralName(reader, ADDRESS_LENGTHS));
  return names;
}

const keysOf = (names: readonly GeneralName[]): string[] =>
  names.flatMap((one) => (one.kind === 'directory' ? [one.name.comparisonKey] : []));

/** Returns whether two names of distribution points have a name in common. `issuer`: the issuer of the CRL. */
export function haveNameInCommon(
  left: DistributionPointName,
  right: DistributionPointName,
  issuer: DistinguishedName,
): boolean {
  const keys = new Set(directoryKeysOf(right, issuer));
  return (
    left.uris.some((uri) => right.uris.includes(uri)) ||
    directoryKeysOf(left, issuer).some((key) => keys.has(key))
  );
}

function directoryKeysOf(
  { directoryKeys: full, relativeKey }: DistributionPointName,
  { comparisonKey }: DistinguishedName,
): readonly string[] {
  return relativeKey === null ? full : [comparisonKey + relativeKey];
}
