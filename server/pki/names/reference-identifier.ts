import type { Certificate } from '../certificate.ts';
import { parseIpAddress } from './ip-address.ts';

/** Reference identifier (RFC 9525): the host that the client wants to reach. `name` uses lower-case A-labels. */
export type ReferenceIdentifier =
  { readonly kind: 'dns'; readonly name: string } | { readonly kind: 'ip'; readonly address: string };

/**
 * Returns whether the certificate is valid for this reference. Uses SubjectAltName only, never the common name (RFC
 * 9525 §2). A DNS name matches only a dNSName, an IP address only an iPAddress.
 */
export function matchesReference(certificate: Certificate, reference: ReferenceIdentifier): boolean {
  return referenceMatcher(certificate)(reference);
}

/** Returns `matchesReference` for many references: each takes the same time, however many names the certificate has. */
export function referenceMatcher({
  subjectAltNames,
}: Pick<Certificate, 'subjectAltNames'>): (reference: ReferenceIdentifier) => boolean {
  const patterns = subjectAltNames.dnsNames.map((name) => name.toLowerCase());
  const names = new Set(patterns.filter((pattern) => pattern !== '' && !pattern.includes('*')));
  const parents = new Set(patterns.flatMap(wildcardParent));
  const addresses = new Set(
    subjectAltNames.all.flatMap((name) => (name.kind === 'ip' ? name.octets.join('.') : [])),
  );
  return (reference) => {
    if (reference.kind === 'ip') return addresses.has(parseIpAddress(reference.address)?.join('.') ?? '');
    const name = reference.name.toLowerCase();
    // Some certificates have IP addresses as dNSName. RFC 9525 §6.4 does not allow them to match.
    if (parseIpAddress(name) !== null) return false;
    const dot = name.indexOf('.');
    return names.has(name) || (dot > 0 && parents.has(name.slice(dot + 1)));
  };
}

/**
 * Returns the names below which a dNSName with a wildcard matches (RFC 9525 §6.3): `*` matches exactly one whole left-most label.
 * None for other names, and for a wildcard with fewer than two labels after it: `*.com` would cover a whole top-level domain.
 */
function wildcardParent(pattern: string): string[] {
  const parent = pattern.slice(2);
  const isWildcard = pattern.startsWith('*.') && !parent.includes('*');
  return isWildcard && /^[^.]+(?:\.[^.]+)+$/.test(parent) ? [parent] : [];
}
