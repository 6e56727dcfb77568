import { DAY_MS } from '../../../contract/durations.ts';
import {
  type CertificateOptions,
  mintAuthority,
  type MintedAuthority,
  type MintedCertificate,
  mintKey,
} from './mint.ts';

/**
 * Mints a leaf below an unknown root whose key `root` cross-signed twice: one certificate expired yesterday, one is valid for years.
 */
export function belowUnknownRoot(
  root: MintedAuthority,
  leaf: CertificateOptions,
): Record<'leaf' | 'authority' | 'expiredCross' | 'validCross', MintedCertificate> {
  const names = { commonName: 'New Root', key: mintKey() };
  const authority = mintAuthority(names).intermediate({ commonName: 'New CA' });
  return {
    leaf: authority.issue(leaf),
    authority,
    expiredCross: root.intermediate({ ...names, notAfter: Date.now() - DAY_MS }),
    validCross: root.intermediate(names),
  };
}
