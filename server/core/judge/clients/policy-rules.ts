import { DAY_MS } from '../../../../contract/durations.ts';
import type { Certificate } from '../../../pki/certificate.ts';
import { PURPOSE } from '../../../pki/der/object-identifiers.ts';
import type { ClientRule } from './client-rule.ts';

/** A leaf, and what the policies of browsers ask about it. */
interface Issued {
  certificate: Certificate;
  /** Whether its path ends in an anchor of a public root program. */
  isPublic: boolean;
  /** Whether the certificate or a stapled OCSP response has a timestamp of a Certificate Transparency log. */
  hasTimestamp: boolean;
}

/** Apple applies its limits to certificates issued from this instant on (ms UTC). */
const APPLE_SINCE = Date.UTC(2019, 6, 1);
const APPLE_DAYS = 825;

/** Rules that clients apply by the kind of the root: public ones, or those that somebody added. */
export const POLICY_RULES: readonly ClientRule<Issued>[] = [
  {
    code: 'no_timestamps',
    clients: ['chromium', 'firefox', 'apple'],
    source: 'Certificate Transparency policies of Chrome, Firefox and Apple',
    applies: ({ isPublic, hasTimestamp }) => isPublic && !hasTimestamp,
  },
  {
    code: 'private_lifetime',
    clients: ['apple'],
    source: 'support.apple.com/103769',
    applies: ({ certificate: { notBefore, notAfter }, isPublic }) =>
      !isPublic && notBefore >= APPLE_SINCE && notAfter + 1000 - notBefore > APPLE_DAYS * DAY_MS,
  },
  {
    code: 'private_purpose',
    clients: ['apple'],
    source: 'support.apple.com/103769',
    applies: ({ certificate: { notBefore, extendedKeyUsage }, isPublic }) =>
      !isPublic && notBefore >= APPLE_SINCE && extendedKeyUsage?.includes(PURPOSE.serverAuth) !== true,
  },
];
