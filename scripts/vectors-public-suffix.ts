import { getPublicSuffix } from 'tldts';
import type { Certificate } from '../server/pki/index.ts';

/**
 * Whether the leaf has a wildcard for everything right below a registry's suffix, which no CA may issue (BR §3.2.2.6). TLS clients
 * leave that to the CAs, and so does the path builder.
 */
export function hasWildcardOfPublicSuffix({ subjectAltNames }: Certificate): boolean {
  return subjectAltNames.dnsNames.some((name) => {
    const parent = name.startsWith('*.') ? name.slice(2).toLowerCase() : null;
    return parent !== null && getPublicSuffix(parent, { allowPrivateDomains: false }) === parent;
  });
}
