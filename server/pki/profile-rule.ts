import type { Certificate } from './certificate.ts';
import type { CertificateRole } from './path-failure.ts';

/**
 * How much is asked of a certificate beyond what decides whether TLS clients accept it:
 * `tls-client` nothing more; `rfc5280` what RFC 5280 §4 obliges issuing CAs to; `web-pki` what the CA/Browser Forum's
 * Baseline Requirements oblige publicly trusted CAs to, which is mostly the same and more.
 */
export type Profile = 'tls-client' | 'rfc5280' | 'web-pki';

/** One obligation of whoever issues. */
export interface ProfileRule {
  /** Stable name, kebab-case. */
  readonly id: string;
  /** Where it is written: a section of RFC 5280, or of the Baseline Requirements with `BR`. */
  readonly section: string;
  /** Absent: both. */
  readonly profile?: 'rfc5280' | 'web-pki';
  /** Absent: every role. */
  readonly roles?: readonly CertificateRole[];
  broken(certificate: Certificate, role: CertificateRole, purpose: 'serverAuth' | 'clientAuth'): boolean;
}
