import { contextTag, onlyElement, TAG } from '../der/der.ts';
import type { DerElement, DerReader } from '../der/der.ts';
import { booleanValue } from '../der/der-values.ts';
import { ADDRESS_LENGTHS, readGeneralName } from '../names/general-name.ts';

/** IssuingDistributionPoint (RFC 5280 §5.2.5): the certificates and reasons that a CRL covers. */
export interface IssuingDistributionPoint {
  /** URIs of the distribution point, byte for byte; empty if its name has no URI; null if it has no name. */
  readonly uris: readonly string[] | null;
  readonly onlyUserCertificates: boolean;
  readonly onlyAuthorityCertificates: boolean;
  readonly onlyAttributeCertificates: boolean;
  readonly onlySomeReasons: boolean;
  readonly isIndirect: boolean;
}

/** Parses the value of the extension IssuingDistributionPoint. Throws PkiError on malformed input. */
export function parseIssuingDistributionPoint(value: Uint8Array): IssuingDistributionPoint {
  const reader = onlyElement(value, TAG.sequence).open();
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
    uris: name === null ? null : distributionPointUris(name),
    onlyUserCertificates,
    onlyAuthorityCertificates,
    onlyAttributeCertificates,
    onlySomeReasons,
    isIndirect,
  };
}

/**
 * Returns the URIs of any scheme in a DistributionPointName (RFC 5280 §4.2.1.13). A name relative to the CRL issuer has
 * none. Throws PkiError on malformed input.
 */
export function distributionPointUris(name: DerElement): string[] {
  const choice = name.open();
  const fullName = choice.optional(contextTag(0, 'constructed'));
  if (fullName === null) {
    choice.read(contextTag(1, 'constructed'));
    choice.end();
    return [];
  }
  choice.end();
  return uris(fullName.open());
}

function uris(names: DerReader): string[] {
  const found: string[] = [];
  while (!names.done) {
    const name = readGeneralName(names, ADDRESS_LENGTHS);
    if (name.kind === 'uri') found.push(name.value);
  }
  return found;
}
