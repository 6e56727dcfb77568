import { getPublicSuffix } from 'tldts';
import type { Certificate } from '../server/pki/certificate.ts';

/**
 * Returns whether the leaf has a wildcard directly below a public suffix, which CAs must not issue (BR §3.2.2.6). The
 * path builder does not check this rule, because TLS clients rely on CAs to follow it.
 */
export function hasWildcardOfPublicSuffix({ subjectAltNames }: Certificate): boolean {
  return subjectAltNames.dnsNames.some((name) => {
    const parent = name.startsWith('*.') ? name.slice(2).toLowerCase() : null;
    return parent !== null && getPublicSuffix(parent, { allowPrivateDomains: false }) === parent;
  });
}
