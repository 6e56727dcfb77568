import type { Certificate } from '../certificate.ts';
import { equalBytes } from '../der/der-values.ts';
import { parseIpAddress } from './ip-address.ts';

/** Reference identifier (RFC 9525): the host that the client wants to reach. `name` uses lower-case A-labels. */
export type ReferenceIdentifier =
  { readonly kind: 'dns'; readonly name: string } | { readonly kind: 'ip'; readonly address: string };

/**
 * Returns whether the certificate is valid for this reference. Uses SubjectAltName only, never the common name (RFC
 * 9525 §2). A DNS name matches only a dNSName, an IP address only an iPAddress.
 */
export function matchesReference(certificate: Certificate, reference: ReferenceIdentifier): boolean {
  if (reference.kind === 'ip') {
    const address = parseIpAddress(reference.address);
    if (address === null) return false;
    return certificate.subjectAltNames.all.some(
      (name) => name.kind === 'ip' && equalBytes(name.octets, address),
    );
  }
  const name = reference.name.toLowerCase();
  // Some certificates have IP addresses as dNSName. RFC 9525 §6.4 does not allow them to match.
  if (parseIpAddress(name) !== null) return false;
  return certificate.subjectAltNames.dnsNames.some((presented) => matchesDnsName(presented, name));
}

/**
 * Returns whether a dNSName matches a host name (RFC 9525 §6.3): case-insensitive; `*` matches exactly
 * one whole left-most label.
 */
function matchesDnsName(presented: string, reference: string): boolean {
  const pattern = presented.toLowerCase();
  if (!pattern.includes('*')) return pattern === reference && pattern !== '';
  const parent = pattern.slice(2);
  // Require at least two labels after the wildcard: `*.com` would cover a whole top-level domain.
  if (!pattern.startsWith('*.') || parent.includes('*') || !/^[^.]+(?:\.[^.]+)+$/.test(parent)) return false;
  const dot = reference.indexOf('.');
  return dot > 0 && reference.slice(dot + 1) === parent;
}
