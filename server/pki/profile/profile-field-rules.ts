import type { Certificate } from '../certificate.ts';
import type { CertificateRole } from '../path-failure.ts';
import { type Hash, HASH_BYTES } from '../pss-parameters.ts';
import { RSA_ENCRYPTION } from '../public-key.ts';

/** One requirement on the issuing CA. */
export interface ProfileRule {
  /** Stable name of the rule, in kebab-case. */
  readonly id: string;
  /** Section of RFC 5280, or of the Baseline Requirements if it starts with `BR`. */
  readonly section: string;
  /** Profile that the rule belongs to. If absent, it belongs to both `rfc5280` and `web-pki`. */
  readonly profile?: 'rfc5280' | 'web-pki';
  /** Roles that the rule applies to. If absent, it applies to every role. */
  readonly roles?: readonly CertificateRole[];
  /** Returns true if the certificate violates the rule. */
  broken(certificate: Certificate, role: CertificateRole, purpose: 'serverAuth' | 'clientAuth'): boolean;
}

/** Rules on certificate fields outside the extensions. */
export const FIELD_RULES: readonly ProfileRule[] = [
  {
    id: 'version-3',
    section: 'BR 7.1.1',
    profile: 'web-pki',
    broken: ({ version }) => version !== 3,
  },
  {
    id: 'serial-number-positive',
    section: '4.1.2.2',
    broken: ({ serialNumber }) =>
      /^(?:00)?$/.test(serialNumber) || parseInt(serialNumber.slice(0, 2), 16) >= 0x80,
  },
  {
    id: 'serial-number-within-20-octets',
    section: '4.1.2.2',
    broken: ({ serialNumber }) => serialNumber.length > 40,
  },
  {
    id: 'issuer-not-empty',
    section: '4.1.2.4',
    broken: ({ issuer }) => issuer.isEmpty,
  },
  {
    id: 'time-in-its-type',
    section: '4.1.2.5',
    broken: ({ timesAreEncodedAsRequired }) => !timesAreEncodedAsRequired,
  },
  {
    id: 'authority-subject-not-empty',
    section: '4.1.2.6',
    broken: ({ subject, isCertificateAuthority }, role) =>
      subject.isEmpty && (role !== 'leaf' || isCertificateAuthority),
  },
  {
    id: 'no-unique-identifiers',
    section: '4.1.2.8',
    broken: ({ hasUniqueIdentifier }) => hasUniqueIdentifier,
  },
  {
    id: 'key-permitted',
    section: 'BR 6.1.5, 7.1.3.1',
    profile: 'web-pki',
    broken({ key }) {
      if (key.type === 'rsa')
        return key.algorithm !== RSA_ENCRYPTION || key.bits < 2048 || key.bits % 8 !== 0;
      return key.type !== 'ec' || !['P-256', 'P-384', 'P-521'].includes(key.curve ?? '');
    },
  },
  {
    id: 'signature-algorithm-permitted',
    section: 'BR 7.1.3.2',
    profile: 'web-pki',
    broken({ signature: { algorithm } }) {
      const { hash, pss } = algorithm;
      if (hash === null || !PERMITTED_HASHES.has(hash)) return true;
      // BR §7.1.3.2.1 permits RSA-PSS only with a salt as long as the hash, and with the same hash in the mask.
      return pss !== null && (pss.saltBytes !== HASH_BYTES[hash] || pss.maskHash !== hash);
    },
  },
];

const PERMITTED_HASHES: ReadonlySet<Hash> = new Set<Hash>(['sha256', 'sha384', 'sha512']);
