import type { Certificate } from '../certificate.ts';
import { equalBytes } from '../der/der-values.ts';
import { parseIpAddress } from './ip-address.ts';

/** Reference identifier of RFC 9525: what the client meant to reach. `name` is an A-label in lower case. */
export type Reference =
  { readonly kind: 'dns'; readonly name: string } | { readonly kind: 'ip'; readonly address: string };

/**
 * Whether the certificate is for this reference: by SubjectAltName only, never by common name (RFC 9525 §2). A DNS
 * reference matches dNSName, an address matches iPAddress, and neither the other.
 */
export function matchesReference(certificate: Certificate, reference: Reference): boolean {
  if (reference.kind === 'ip') {
    const address = parseIpAddress(reference.address);
    if (address === null) return false;
    return certificate.subjectAltNames.all.some(
      (name) => name.kind === 'ip' && equalBytes(name.octets, address),
    );
  }
  const name = reference.name.toLowerCase();
  // Some certificates carry addresses as dNSName; RFC 9525 §6.4 gives such a name no meaning.
  if (parseIpAddress(name) !== null) return false;
  return certificate.subjectAltNames.dnsNames.some((presented) => matchesDnsName(presented, name));
}

/** RFC 9525 §6.3: label by label without case; `*` stands for exactly one whole left-most label. */
function matchesDnsName(presented: string, reference: string): boolean {
  const pattern = presented.toLowerCase();
  if (!pattern.includes('*')) return pattern === reference && pattern !== '';
  const parent = pattern.slice(2);
  // At least two labels after it: `*.com` and `*.` speak for a registry, which nobody can own.
  if (!pattern.startsWith('*.') || parent.includes('*') || !/^[^.]+(?:\.[^.]+)+$/.test(parent)) return false;
  const dot = reference.indexOf('.');
  return dot > 0 && reference.slice(dot + 1) === parent;
}
